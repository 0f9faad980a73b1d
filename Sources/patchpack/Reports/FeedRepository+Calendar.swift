import PatchCrypto
import PatchFeed
import PatchPublishing

extension FeedRepository {
    /// The expiry times of signatures and of the keys in a delivered trust store, as a calendar (RFC 5545). An event keeps its
    /// UID when its time changes, so a calendar that reads the file again moves it.
    func calendar(of keys: [TrustedKey], at now: Timestamp) -> String {
        var text = CalendarText()
        let name = "\(app) \(environment)"
        text.add("BEGIN", "VCALENDAR")
        text.add("VERSION", "2.0")
        text.add("PRODID", "-//patchpack//feed status//EN")
        text.add("CALSCALE", "GREGORIAN")
        func event(_ id: String, _ end: Timestamp, _ sequence: Int, days: Int, _ summary: String, _ action: String) {
            text.add("BEGIN", "VEVENT")
            text.add("UID", text: "\(id).\(environment).\(app)@patchpack")
            text.add("DTSTAMP", now.basic)
            text.add("DTSTART", end.basic)
            text.add("SEQUENCE", String(sequence))
            text.add("SUMMARY", text: "\(name): \(summary)")
            text.add("DESCRIPTION", text: action)
            text.add("BEGIN", "VALARM")
            text.add("ACTION", "DISPLAY")
            text.add("TRIGGER", "-P\(days)D")
            text.add("DESCRIPTION", text: "\(name): \(summary)")
            text.add("END", "VALARM")
            text.add("END", "VEVENT")
        }
        for role in roles(at: now) {
            event(
                role.role.rawValue, role.expires, min(role.version, Int(Int32.max)),
                days: role.role.days > 30 ? 14 : 3, "the signatures of \(role.role) end",
                "patchpack feed refresh DIR, with \(role.threshold) of the keys \(FeedKey.short(role.keyIDs))")
        }
        // Each change of the trust store is a new version of the targets.
        let sequence = min(state(of: .targets).version, Int(Int32.max))
        for key in keys {
            guard let end = key.notAfter, !key.isRevoked else { continue }
            event(
                "key-\(key.key.id)", end, sequence, days: 14, "the key \(key.name) of envelopes ends",
                "Sign the patches with another key, and deliver a trust store that has it: patchpack feed trust DIR STORE"
            )
        }
        text.add("END", "VCALENDAR")
        return text.text
    }
}

extension Timestamp {
    /// A time such as `20270301T120000Z`.
    fileprivate var basic: String { description.filter { $0 != "-" && $0 != ":" } }
}

/// Lines of RFC 5545, which end in CRLF and have at most 75 octets.
private struct CalendarText {
    private(set) var text = ""

    /// Adds a property with a value that needs no escapes.
    mutating func add(_ name: String, _ value: String) {
        var room = 75
        for scalar in "\(name):\(value)".unicodeScalars {
            let size = String(scalar).utf8.count
            if size > room {
                text += "\r\n "
                room = 74
            }
            text.unicodeScalars.append(scalar)
            room -= size
        }
        text += "\r\n"
    }

    /// Adds a property with an untrusted value.
    mutating func add(_ name: String, text value: String) {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\", ";", ",": escaped += "\\\(scalar)"
            case "\n": escaped += "\\n"
            // The remaining control characters cannot be written.
            case _ where isUnprintable(scalar): escaped += "?"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        add(name, escaped)
    }
}
