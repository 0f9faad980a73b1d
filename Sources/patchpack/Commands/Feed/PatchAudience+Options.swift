import PatchCrypto
import PatchFeed
import PatchPublishing

extension PatchAudience {
    /// The audience that the options name.
    ///
    /// - Parameters:
    ///   - percent: The percentage; nil for the value of `--rollout`.
    ///   - old: The rollout so far, whose unit and seed stay unless others are given; nil if there is none.
    /// - Throws: `usage` if a value is wrong, or if a unit or a seed is given without a percentage.
    init(_ arguments: ParsedArguments, percent: String? = nil, after old: Rollout? = nil) throws(PatchError) {
        let given = try arguments.text(of: .percentage)
        let text = percent ?? given
        let basisPoints = text.flatMap(Rollout.basisPoints)
        if let text, basisPoints == nil {
            let lacksSign = Rollout.basisPoints("\(text)%") != nil
            throw .usage(
                "\(text): expected a percentage from 0% to 100%, such as 5% or 0.5%",
                hint: lacksSign ? "below 1%, the sign is needed: \(text)%" : nil)
        }
        let unit = try arguments.text(of: .rolloutUnit).flatMap(Rollout.Unit.init)
        let seed = try arguments.text(of: .seed)
        self.init(
            basisPoints: basisPoints, unit: unit, seed: seed, groups: try arguments.groups(of: .group),
            users: try arguments.texts(of: .user),
            moment: try arguments.text(of: .activation).flatMap(PatchList.Entry.Moment.init), after: old)
        if basisPoints == nil, unit != nil || seed != nil {
            throw .usage("--rollout-unit and --seed are for a percentage", hint: "give --rollout PERCENT")
        }
    }
}

extension ParsedArguments {
    /// The groups that an option names.
    ///
    /// - Throws: `usage` if one has a comma, or begins or ends with a space.
    func groups(of option: Option) throws(PatchError) -> [String] {
        let groups = try texts(of: option)
        let name = "--\(option.name)"
        for group in groups {
            switch PatchAudience.fault(ofGroup: group) {
            case .comma?: throw .usage("\(name) \(group): one group has no comma", hint: "give \(name) once for each")
            case .outerSpace?: throw .usage("\(name) \"\(group)\": a group does not begin or end with a space")
            case nil: break
            }
        }
        return groups
    }
}
