import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

extension PatchAudience {
    /// Makes the audience that the options describe.
    ///
    /// - Parameters:
    ///   - percent: The percentage; nil for the value of `--rollout`.
    ///   - old: The previous rollout. Values that are not given stay as they are in it.
    init(_ arguments: ParsedArguments, percent: String? = nil, after old: Rollout? = nil) throws(PatchError) {
        let given = try arguments.text(of: .percentage)
        let text = percent ?? given
        let basisPoints = text.flatMap(Rollout.basisPoints)
        if let text, basisPoints == nil {
            throw PatchError(.usage, "\(text): expected a percentage from 0% to 100%, such as 5% or 0.5%")
        }
        let unit = try arguments.text(of: .rolloutUnit).flatMap(Rollout.Unit.init)
        let seed = try arguments.text(of: .seed)
        self.init(
            basisPoints: basisPoints, unit: unit, seed: seed, groups: try arguments.texts(of: .group),
            users: try arguments.texts(of: .user),
            moment: try arguments.text(of: .activation).flatMap(PatchList.Entry.Moment.init), after: old)
        guard basisPoints != nil || unit == nil && seed == nil else {
            throw PatchError(.usage, "--rollout-unit and --seed are for a percentage", hint: "give --rollout PERCENT")
        }
    }
}

extension FeedPreview {
    /// Counts the ids in `--ids`, on the app version in `--app-version`. Without `--ids`, nothing is counted.
    init(of feed: FeedRepository, _ arguments: ParsedArguments) throws(PatchError) {
        guard let path = arguments.value(of: .ids)?.path else {
            try self.init(of: feed, units: [], appVersion: nil)
            return
        }
        let version = try arguments.appVersion()
        guard version != nil else {
            throw PatchError(.usage, "--ids without an app version", hint: "give --app-version V")
        }
        try self.init(of: feed, units: Self.units(of: path), appVersion: version)
    }

    /// The ids in a file.
    static func units(of path: Path) throws(PatchError) -> [String] {
        units(in: try InputFile.contents(of: path, limit: 1 << 30))
    }
}
