import PatchCrypto
import PatchRunner
import TestSupport
import Testing

/// Types that request containers without end. A container cannot be refused, so each one is charged, and uses at most
/// the available Lua stack.
@Suite(.ownThreads) struct NestedContainerTests {
    enum Way: String, CaseIterable {
        case unkeyed, keyed, keyedInKeyed, superEncoder, single
    }

    struct Matrix: Codable, PatchValue {
        var rows: Int
        var way = Way.unkeyed

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(_ number: Int) { stringValue = "k\(number)" }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { return nil }
        }

        init(rows: Int, way: Way) {
            self.rows = rows
            self.way = way
        }

        func encode(to encoder: any Encoder) throws {
            switch way {
            case .unkeyed:
                var container = encoder.unkeyedContainer()
                for _ in 0..<rows { _ = container.nestedUnkeyedContainer() }
            case .keyed:
                var container = encoder.unkeyedContainer()
                for _ in 0..<rows { _ = container.nestedContainer(keyedBy: Key.self) }
            case .keyedInKeyed:
                var container = encoder.container(keyedBy: Key.self)
                for number in 0..<rows { _ = container.nestedContainer(keyedBy: Key.self, forKey: Key(number)) }
            case .superEncoder:
                var container = encoder.unkeyedContainer()
                for _ in 0..<rows { _ = container.superEncoder().unkeyedContainer() }
            case .single:
                var container = encoder.unkeyedContainer()
                let inner = container.superEncoder()
                for _ in 0..<rows { _ = inner.singleValueContainer() }
            }
        }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            rows = 0
            while !container.isAtEnd {
                _ = try container.nestedUnkeyedContainer()
                rows += 1
            }
        }
    }

    /// With these limits, Lua's stack of a million values is full before anything else ends the run.
    private static let generous: PatchLimits = {
        var limits = PatchLimits.patient
        limits.callFuel = 100_000_000
        limits.loadFuel = 100_000_000
        limits.memoryBytes = 1 << 30
        limits.peakMemoryBytes = 1 << 30
        limits.tableElements = 5_000_000
        return limits
    }()

    /// Filling Lua's stack takes seconds, so this is done for each way only if tests may take long.
    @Test(arguments: Way.allCases, [false, true])
    func hostResultHugeNestedContainerLeavesStateUsable(_ way: Way, isGenerous: Bool) throws {
        guard !isGenerous || way == .unkeyed || testsMayBeLong else { return }
        let harness = try Harness(limits: isGenerous ? Self.generous : .patient)
        _ = try harness.registry.replaceable("H.matrix") { (rows: Int) -> Matrix in Matrix(rows: rows, way: way) }
        let run = try harness.registry.replaceable("T.run") { (x: Int) -> Int in x }
        try harness.apply(
            "patch.replace('T.run', function(original, x) pcall(host.call, 'H.matrix', \(isGenerous ? 1_200_000 : 200_000)) return 1 end)",
            replaces: ["T.run"])
        #expect([1, 7].contains(run(7)))
        #expect(harness.failures.map(\.code).allSatisfy { $0 == .scriptLimit || $0 == .script })
        // The state is unchanged: a small value is passed.
        try harness.apply(
            """
            patch.replace('T.run', function(original, x)
              local count = 0
              for _ in pairs(host.call('H.matrix', 5)) do count = count + 1 end
              return count
            end)
            """, version: 2)
        #expect(run(7) == (way == .single ? 1 : 5), "\(harness.failures)")
    }

    @Test func scriptResultLargerThanLuaStackOriginalAnswers() throws {
        let harness = try Harness(limits: Self.generous)
        let run = try harness.registry.replaceable("T.run") { (x: Int) -> Matrix in Matrix(rows: 0, way: .unkeyed) }
        try harness.apply(
            """
            local e, t = {}, {}
            for i = 1, 1100000 do t[i] = e end
            patch.replace('T.run', function(original, x) return t end)
            """, replaces: ["T.run"])
        #expect(run(7).rows == 0)
        #expect(harness.failures.count == 1, "\(harness.failures)")
    }

    /// A value of the app that is nested, and whose containers are directly tables.
    private struct Nest: PatchValue {
        let depth: Int
        let isDictionary: Bool

        func _push(to stack: _PatchStack) {
            let inner = depth > 0 ? [Nest(depth: depth - 1, isDictionary: isDictionary)] : []
            guard isDictionary else { return inner._push(to: stack) }
            Dictionary(uniqueKeysWithValues: inner.map { ("inner", $0) })._push(to: stack)
        }
        static func _read(from stack: _PatchStack, at index: Int32) -> Nest? { nil }
    }

    /// A script calls the app while less and less of Lua's stack is free.
    @Test(arguments: [false, true])
    func hostResultLargerThanFreeLuaStackIsRefused(isDictionary: Bool) throws {
        let harness = try Harness(limits: Self.generous)
        _ = try harness.registry.replaceable("H.nest") { () -> Nest in Nest(depth: 500, isDictionary: isDictionary) }
        let run = try harness.registry.replaceable("T.run") { (x: Int) -> [String: Int] in [:] }
        try harness.apply(
            """
            local deepest, outcomes = 0, {}
            local function fill(level, from)
              local \((0..<100).map { "v\($0)" }.joined(separator: ", "))
              if level > deepest then deepest = level end
              if level > from then
                local succeeded, answer = pcall(host.call, 'H.nest')
                local outcome = succeeded and 'passed' or answer:match('nested too deep') or 'no room'
                outcomes[outcome] = (outcomes[outcome] or 0) + 1
              end
              return 1 + fill(level + 1, from)
            end
            patch.replace('T.run', function(original, x)
              pcall(fill, 1, math.huge)
              pcall(fill, 1, deepest - 20)
              return outcomes
            end)
            """)
        let outcomes = run(1)
        #expect(outcomes["passed", default: 0] > 0 && outcomes["nested too deep", default: 0] > 0, "\(outcomes)")
        #expect(harness.failures.isEmpty, "\(harness.failures)")
    }

    /// An array of the app has the size of a table's hash part, and its numbers look like colliding keys.
    @Test(arguments: [6_144, 12_288, 12_290, 24_576])
    func anArrayIsNoTableWhoseKeysCollide(_ count: Int) throws {
        let harness = try Harness(limits: .patient)
        _ = try harness.registry.replaceable("H.ints") { (count: Int) -> [Int] in Array(repeating: 900, count: count) }
        let run = try harness.registry.replaceable("T.run") { (x: Int) -> Int in x }
        try harness.apply(
            """
            patch.replace('T.run', function(original, x)
              local ints, t = host.call('H.ints', x), {}
              for i = 1, 2000 do t['name' .. i] = i end
              return #ints
            end)
            """, replaces: ["T.run"])
        #expect(run(count) == count)
        #expect(harness.failures.isEmpty, "\(harness.failures)")
    }

    /// The names of the app are not strings of the script, so a limit below their length ends nothing.
    @Test(arguments: [Int.min, -1, 0, 1, 3, 8, 20])
    func anyLimitOfStringsLetsAnAppRun(_ limit: Int) throws {
        struct Named: Codable, PatchValue, Equatable { var lists = [1], aFieldWithARatherLongName = 2 }
        var limits = PatchLimits.patient
        limits.stringBytes = limit
        let harness = try Harness(limits: limits)
        let named = try harness.registry.replaceable("T.named") { (named: Named) -> Named in named }
        try harness.apply(
            """
            patch.replace('T.named', function(original, named)
              named.aFieldWithARatherLongName = #named.lists + 2
              return named
            end)
            """, replaces: ["T.named"])
        #expect(named(Named()) == Named(aFieldWithARatherLongName: 3))
        #expect(harness.failures.isEmpty, "\(harness.failures)")
    }

    @Test func aStringOverTheLimitIsNamed() throws {
        let harness = try Harness(limits: .patient.with(\.stringBytes, 1000))
        let run = try harness.registry.replaceable("T.run") { (x: Int) -> Int in x }
        for (version, code) in ["('x'):rep(2000)", "('x'):rep(600) .. ('y'):rep(600)"].enumerated() {
            try harness.apply(
                "patch.replace('T.run', function(original, x) return #(\(code)) end)", version: version + 1,
                replaces: ["T.run"])
            #expect(run(7) == 7)
            #expect(harness.failures.last?.message == "ended: past its limit for a string", "\(code)")
        }
    }
}
