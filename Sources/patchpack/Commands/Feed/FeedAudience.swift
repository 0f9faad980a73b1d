import PatchCrypto
import PatchFeed
import PatchPublishing

/// Whom a patch is offered to, as the options say.
struct FeedAudience {
    private let permyriad: Int?
    private let unit: Rollout.Unit?
    private let seed: String?
    private let groups: [String]
    private let users: [String]
    private let moment: PatchList.Entry.Moment?

    /// - Parameters:
    ///   - percent: The percentage; nil for that of `--rollout`.
    ///   - old: The rollout before. What is not said again stays as it is there.
    init(_ arguments: ParsedArguments, percent: String? = nil, after old: Rollout? = nil) throws(PatchError) {
        let given = try arguments.text(of: .percentage)
        let text = percent ?? given
        permyriad = text.flatMap(Self.permyriad)
        if let text, permyriad == nil {
            throw PatchError(.usage, "\(text): expected a percentage from 0% to 100%, such as 5% or 0.5%")
        }
        unit = try arguments.text(of: .rolloutUnit).flatMap(Rollout.Unit.init) ?? old?.unit
        seed = try arguments.text(of: .seed) ?? old?.seed
        groups = try arguments.texts(of: .group)
        users = try arguments.texts(of: .user)
        moment = try arguments.text(of: .activation).flatMap(PatchList.Entry.Moment.init)
        guard permyriad != nil || unit == nil && seed == nil else {
            throw PatchError(.usage, "--by and --seed are for a percentage", hint: "give --rollout PERCENT")
        }
    }

    /// A percentage with at most two places after the point, as parts of 10,000.
    static func permyriad(_ text: String) -> Int? {
        let number = text.hasSuffix("%") ? text.dropLast() : text[...]
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...2).contains(parts.count), parts.allSatisfy({ $0.utf8.allSatisfy(digits.contains) && !$0.isEmpty }),
            parts[0].count <= 3, parts.count == 1 || parts[1].count <= 2, let whole = Int(parts[0])
        else { return nil }
        let places = parts.count == 2 ? String(parts[1]) + (parts[1].count == 1 ? "0" : "") : "0"
        guard let hundredths = Int(places), case let permyriad = whole * 100 + hundredths, permyriad <= 10_000 else {
            return nil
        }
        return permyriad
    }

    /// Says in the list's entry whom it is offered to. What is not said again stays.
    func apply(to entry: inout PatchEntryDraft) throws(PatchError) {
        // All of them are written as a percentage too, so that a later, smaller one counts the same units.
        if let permyriad {
            entry.rollout = Rollout(permyriad: permyriad, unit: unit ?? .installation, seed: seed)
        }
        if !groups.isEmpty { entry.groups = groups }
        if !users.isEmpty {
            var names: [String] = []
            for user in users { names.append(try Rollout.name(of: user, patch: entry.id)) }
            entry.users = names
        }
        if let moment { entry.when = moment }
    }

    /// In words.
    var text: String {
        let groups = groups.isEmpty ? [] : ["groups \(groups.joined(separator: ", "))"]
        let users = users.isEmpty ? [] : ["\(users.count) users"]
        let part = permyriad.map { Self.percent($0) + " by \((unit ?? .installation).rawValue)" }
        let all = (part.map { [$0] } ?? []) + groups + users
        return all.isEmpty ? "to all" : "to " + all.joined(separator: ", and ")
    }

    static func percent(_ permyriad: Int) -> String {
        let (whole, rest) = permyriad.quotientAndRemainder(dividingBy: 100)
        let places = rest.isMultiple(of: 10) ? "\(rest / 10)" : "\(rest < 10 ? "0" : "")\(rest)"
        return rest == 0 ? "\(whole)%" : "\(whole).\(places)%"
    }
}
