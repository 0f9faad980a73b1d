import PatchCrypto
import PatchFeed
import PatchPublishing
import PatchText

extension FeedRepository {
    /// The state in Prometheus' text format, for the textfile collector of its node exporter.
    ///
    /// - Parameters:
    ///   - place: The place that the feed was read from, so that the served feed can be compared with the folder.
    ///   - keys: The keys of envelopes that the feed delivers.
    func metrics(of place: String, _ keys: [TrustedKey]) -> String {
        var text = OpenMetricsText()
        let labels = [("app", app), ("environment", environment), ("place", place)]
        func family(_ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Int)]) {
            text.begin("patchpack_feed_\(name)", "gauge", help: help)
            for sample in samples { text.add("patchpack_feed_\(name)", labels + sample.labels, sample.value) }
        }
        func patchLabels(_ entry: PatchEntryDraft) -> [(String, String)] {
            [("patch", entry.id), ("version", String(entry.version))]
        }
        func perPatch(_ name: String, _ help: String, _ value: (PatchEntryDraft) -> Int) {
            family(name, help, list.entries.map { (patchLabels($0), value($0)) })
        }
        family("enabled", "0 if all patches are switched off.", [([], list.isEnabled ? 1 : 0)])
        family(
            "timestamp_version", "The version of the timestamp, which rises with each change.",
            [([], state(of: .timestamp).version)])
        family(
            "role_expires_timestamp_seconds", "When the metadata of a role end.",
            FeedRole.allCases.map { ([("role", $0.rawValue)], state(of: $0).expires.secondsSince1970) })
        let ending = keys.filter { !$0.isRevoked }.compactMap { key in
            key.expires.map { (labels: [("key", key.name ?? key.key.id.description)], value: $0.secondsSince1970) }
        }
        if !ending.isEmpty {
            family("key_expires_timestamp_seconds", "When the trust store stops trusting a key of envelopes.", ending)
        }
        perPatch("patch_offered_permyriad", "To how many of 10,000 devices it is offered; 0 unless it is active.") {
            $0.state == .active ? $0.basisPoints : 0
        }
        perPatch("patch_shadow_permyriad", "On how many of 10,000 devices it is in shadow; 0 unless it is.") {
            $0.state == .shadow ? $0.basisPoints : 0
        }
        perPatch("patch_in_shadow", "1 if it is in shadow.") { $0.state == .shadow ? 1 : 0 }
        perPatch("patch_withdrawn", "1 if it is withdrawn.") { $0.state == .withdrawn ? 1 : 0 }
        perPatch("patch_paused", "1 if it is paused.") { $0.state == .paused ? 1 : 0 }
        perPatch("patch_paused_in_shadow", "1 if it is paused, and was in shadow before.") {
            $0.state == .paused && $0.resumedState == .shadow ? 1 : 0
        }
        let partial = list.entries.filter { $0.state == .active && $0.basisPoints < 10_000 }
        let steps = partial.compactMap { entry in
            entry.since.map { (labels: patchLabels(entry), value: $0.secondsSince1970) }
        }
        if !steps.isEmpty {
            let help = "When a patch that is offered to a part of all devices was changed last."
            family("patch_step_timestamp_seconds", help, steps)
        }
        return text.text
    }
}
