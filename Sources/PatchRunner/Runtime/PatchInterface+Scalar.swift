internal import PatchCrypto

extension PatchInterface.Scalar {
    /// Finds the basic type that scripts see for a type's values, which are pushed as they are for a script.
    ///
    /// - Parameter sample: A value of it, for a type whose values cannot be listed.
    /// - Returns: nil if scripts see tables, objects, or values of several types.
    init?(_ type: any PatchValue.Type, sample: (any PatchValue)? = nil, host: HostInfo) {
        let listed = (type as? any CaseIterable.Type).map { Self.values(of: $0) } ?? []
        let sample = sample ?? (type as? any BasicValue.Type)?._sample(false, depth: 0)
        let samples = listed.isEmpty ? [sample].compactMap { $0 } : listed
        guard !samples.isEmpty,
            let state = try? ScriptState(
                [], limits: PatchLimits(), host: host, names: NameTable(), reports: .none, seed: 1)
        else { return nil }
        defer { state.close() }
        let stack = unsafe _PatchStack(state.lua.main)
        var types: Set<String> = []
        var cases: [Case] = []
        for sample in samples {
            sample._push(to: stack)
            types.insert(stack.typeName(at: -1))
            if let text = stack.string(at: -1) {
                cases.append(.string(text))
            } else if let number = stack.integer(at: -1) {
                cases.append(.integer(Int(number)))
            }
            stack.pop()
        }
        state.lua.unlock()
        guard types.count == 1, let seen = types.first, Self.types.contains(seen) else {
            return nil
        }
        let isComplete = cases.count == listed.count && listed.count <= Self.mostCases
        self.init(name: type.patchTypeName, type: seen, cases: isComplete ? cases : [])
    }

    /// An array of bytes: a string that need not be UTF-8.
    static let bytes = Self(name: UInt8._patchArrayTypeName, type: "string", cases: [])

    package static let types: Set = ["string", "integer", "number", "boolean"]

    private static let mostCases = 1000

    /// The values of a type, at most one more than are listed.
    private static func values<Value: CaseIterable>(of _: Value.Type) -> [any PatchValue] {
        Value.allCases.prefix(mostCases + 1).compactMap { $0 as? any PatchValue }
    }
}
