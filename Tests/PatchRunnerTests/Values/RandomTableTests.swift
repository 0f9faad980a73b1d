import PatchCrypto
import PatchRunner
import TestSupport
import Testing

/// Tables of odd shapes are read as every type. Whatever a script passes or returns, the call ends, and the next call
/// works.
@Suite(.ownThreads) struct RandomTableTests {
    struct Leaf: Codable, PatchValue {
        var list: [Int]?
        var map: [String: Double]?
        var numbers: [Int: Int]?
    }

    struct Branch: Codable, PatchValue {
        var leaves: [Leaf]?
        var named: [String: Leaf]?
        var text: String?
    }

    final class Tree: Codable, PatchValue {
        var children: [Tree]?
        var value: UInt8?
    }

    /// Builds values from a seed, because Lua's own random numbers differ between runs.
    static let script = """
        local state = 1
        local function random(n) state = (state * 6364136223846793005 + 1442695040888963407) return (state >> 33) % n end
        local keys = {
          function() return random(20) - 3 end, function() return 1 << random(64) end, function() return -(1 << random(63)) end,
          function() return (1 << random(63)) - 1 end, function() return math.maxinteger - random(3) end,
          function() return math.mininteger + random(3) end, function() return random(9) + 0.5 end, function() return 2.0 ^ random(1000) end,
          function() return ({'list', 'map', 'numbers', 'leaves', 'named', 'text', 'children', 'value', '1', '5', 'x\\255'})[random(11) + 1] end,
          function() return random(2) == 0 end, function() return print end,
        }
        local seen
        local function value(depth)
          local kind = random(14)
          if kind < 8 and depth > 0 then
            if #seen > 0 and random(5) == 0 then return seen[random(#seen) + 1] end -- shared, or a cycle
            local t = {}
            seen[#seen + 1] = t
            if random(3) == 0 then for i = 1, random(40) do t[i] = value(depth - 1) end end
            for _ = 1, random(12) do
              local key = keys[random(#keys) + 1]()
              if key == key then t[key] = value(depth - 1) end
            end
            if random(6) == 0 then local i = 1 << random(4) while i > 0 do t[i] = random(9) i = i * 2 end end
            if random(8) == 0 then pcall(setmetatable, t, {__index = seen[random(#seen) + 1]}) end -- a loop is refused
            return t
          end
          if kind == 8 then return keys[random(#keys) + 1]() end
          if kind == 9 then return ('\\255x'):rep(random(9)) end
          if kind == 10 then return nil end
          if kind == 11 then return random(2) == 0 end
          return random(300)
        end
        local function make(seed) state, seen = seed, {} for _ = 1, 4 do random(2) end return value(4) end
        for _, name in ipairs(names) do
          patch.replace('V.' .. name, function(original, seed) return make(seed) end)
        end
        patch.replace('T.run', function(original, seed)
          for i, name in ipairs(names) do pcall(host.call, 'W.' .. name, make(seed * 100 + i)) end
          pcall(host.call, 'W.basket', make(seed * 100))
          return seed
        end)
        patch.replace('T.next', function(original, x) return x + 1 end)
        """

    private let harness: Harness
    private let run: Replaceable<@Sendable (Int) -> Int>
    /// For each type, a call for which a script returns a random value.
    private var answers: [@Sendable (Int) -> Void] = []
    private var names: [String] = []

    private mutating func add<Value: PatchValue & Sendable>(_ name: String, _ fallback: Value) throws {
        names.append(name)
        _ = try harness.registry.replaceable("W.\(name)") { (_: Value) -> Int in 0 }
        let answered = try harness.registry.replaceable("V.\(name)") { (_: Int) -> Value in fallback }
        answers.append { _ = answered($0) }
    }

    init() throws {
        harness = try Harness(limits: .patient.with(\.failures, .max).with(\.callFuel, 10_000_000))
        run = try harness.registry.replaceable("T.run") { (x: Int) -> Int in -1 }
        try add("bool", true)
        try add("int", 1)
        try add("byte", UInt8(1))
        try add("word", UInt64(1))
        try add("float", Float(1))
        try add("string", "")
        try add("bytes", [UInt8]())
        try add("optional", Int?.none)
        try add("ints", [Int]())
        try add("doubles", [Double]())
        try add("strings", [String]())
        try add("optionals", [Int?]())
        try add("map", [String: Int]())
        try add("lists", [[Int]]())
        try add("deep", [[[Double]]]())
        try add("mapOfLists", [String: [[Int]]]())
        try add("listOfMaps", [[String: [String: Bool]]]())
        try add("leaf", Leaf())
        try add("branch", Branch())
        try add("branches", [[Branch]]())
        try add("mapOfBranches", [String: [Branch]]())
    }

    @Test func nextCallWorksWhateverAScriptPassesOrReturns() throws {
        let next = try harness.registry.replaceable("T.next") { (x: Int) -> Int in -1 }
        let tree = try harness.registry.replaceable("V.tree") { (_: Int) -> Tree in Tree() }
        _ = try harness.registry.replaceable("W.tree") { (_: Tree) -> Int in 0 }
        _ = try harness.registry.replaceable("W.basket") { (_: Basket) -> Int in 0 }
        let list = (names + ["tree"]).map { "'\($0)'" }.joined(separator: ", ")
        try harness.apply(
            "local names = {\(list)}\n\(Self.script)",
            replaces: ["T.run", "T.next"] + (names + ["tree"]).map { "V.\($0)" })
        for seed in 1...(isSanitized ? 20 : testsMayBeLong ? 600 : 60) {
            let answer = run(seed)
            #expect(answer == seed || harness.failures.last?.code == .scriptLimit, "\(seed)")
            #expect(next(seed) == seed + 1)
            for (name, answer) in zip(names, answers) {
                answer(seed)
                #expect(next(seed) == seed + 1, "\(name)")
            }
            _ = tree(seed)
            #expect(next(seed) == seed + 1)
        }
        #expect(harness.failures.contains { $0.code == .script })
        harness.runner.deactivateAll()
        #expect(run(1) == -1 && next(1) == -1)
    }

    /// A table with a border at a huge number: the length that Lua finds does not fit into memory.
    @Test func aBorderAtAHugeNumberIsNoLength() throws {
        let huge = """
            local t = {} for i = 1, 9 do t[i] = 1 end t[16] = 1 t[17] = 1
            local i = 32 while i > 0 do t[i] = 1 i = i * 2 end t[math.maxinteger] = 1
            """
        try harness.apply(
            """
            patch.replace('T.run', function(original, x)
              \(huge)
              for _, name in ipairs{'lists', 'deep', 'leaf', 'mapOfLists', 'branches', 'ints', 'strings'} do
                for _, value in ipairs{t, {t}, {{t}}, {list = t}, {a = t}, {a = {t}}, {{leaves = t}}} do
                  pcall(host.call, 'W.' .. name, value)
                end
              end
              assert(not pcall(table.sort, t))
              assert(not pcall(table.concat, t))
              return x
            end)
            patch.replace('V.lists', function() \(huge) return {t} end)
            """, replaces: ["T.run", "V.lists"])
        #expect(run(1) == 1, "\(harness.failures)")
        let lists = try #require(names.firstIndex(of: "lists"))
        answers[lists](1)
        #expect(harness.failures.map(\.message) == ["wrong result: tables of more than 100000 elements"])
    }
}
