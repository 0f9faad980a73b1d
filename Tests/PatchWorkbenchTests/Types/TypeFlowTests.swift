import PatchCrypto
import TestSupport
import Testing

@testable import PatchRunner
@testable import PatchWorkbench

/// The types of values that lint infers.
@Suite(.ownThreads) struct TypeFlowTests {
    static let interface: PatchInterface = {
        func function(
            _ name: String, _ arguments: [String], _ result: String, throws: Bool = false, async: Bool = false
        ) -> PatchInterface.Function {
            .init(
                name: name,
                signature: PatchSignature(arguments, result: result, throws: `throws`, isAsynchronous: async))
        }
        return PatchInterface(
            app: "com.example.shop", appVersion: "1.0",
            functions: [
                function("Cart.total", ["number", "integer"], "number"),
                function("Cart.first", ["array of Item"], "Item or nil"),
                function("Cart.sum", ["Budget", "table of number"], "number", throws: true),
                function("Cart.fill", ["Basket", "string", "string or nil"], "nothing"),
                function("Cart.load", ["string"], "array of Item", throws: true, async: true),
                function("Cart.mood", ["Mood", "Mood table of integer"], "Mood"),
                function("Cart.day", ["Date", "array of Mood", "Mood or nil"], "Date or nil"),
            ],
            structs: [
                .init(
                    name: "Item",
                    fields: [.init(name: "name", type: "string or nil"), .init(name: "price", type: "number")]),
                .init(name: "Limit", fields: [.init(name: "cents", type: "integer")]),
                .init(
                    name: "Budget",
                    fields: [.init(name: "limit", type: "Limit"), .init(name: "items", type: "array of Item")]),
            ],
            scalars: [
                .init(name: "Mood", type: "string", cases: [.string("good"), .string("bad")]),
                .init(name: "Date", type: "number", cases: []),
            ],
            classes: [
                .init(
                    name: "Basket",
                    methods: [function("add", ["string"], "boolean"), function("send", [], "boolean", async: true)])
            ])
    }()

    /// The findings in a patch that replaces a function by `function(original, a, b, c) BODY end`.
    private func codes(
        _ name: String, _ body: String, parameters: String = "original, a, b, c", before: String = "",
        knows: Bool = true
    ) -> [String] {
        let takes = Self.interface.function(name)?.signature.arguments.count ?? 3
        let own = parameters.split(separator: ",").prefix(takes + 1).joined(separator: ",")
        let source = "\(before)\npatch.replace('\(name)',\nfunction(\(own))\n\(body)\nend)"
        let findings = PatchLint.findings(
            in: [PatchScript(name: "main.lua", bytes: Array(source.utf8))], replaces: [name],
            interface: knows ? Self.interface : nil)
        return findings.filter { !["unused-local", "undefined-global", "shadowed-local"].contains($0.code.rawValue) }
            .map { "\($0.code.rawValue) \($0.line): \($0.message)" }
    }

    @Test(arguments: [
        ("Cart.total", "return original * 2", "operand 4: calculates with original, which is the original"),
        ("Cart.total", "return a:upper()", "operand 4: indexes a, which is a number"),
        ("Cart.total", "return a()", "operand 4: calls a, which is a number"),
        (
            "Cart.total", "if a < 'x' then return 1 end return 2",
            "operand 4: compares a, which is a number, with a string"
        ),
        (
            "Cart.total", "for i = 1, original do a = a + i end return a",
            "operand 4: counts with the limit original, which is the original"
        ),
        (
            "Cart.total", "local t = {} return original(t, b)",
            "argument 4: argument 1 of Cart.total is number, but t is a table"
        ),
        (
            "Cart.total", "return original(a)",
            "original-arguments 4: original gets 1 argument, but Cart.total(number, integer) -> number takes 2"
        ),
        (
            "Cart.total", "return original(a, b, 1)",
            "original-arguments 4: original gets 3 arguments, but Cart.total(number, integer) -> number takes 2"
        ),
        ("Cart.total", "return tostring(a)", "result-type 4: Cart.total returns number, but this is a string"),
        ("Cart.total", "return original", "result-type 4: Cart.total returns number, but this is the original"),
        ("Cart.total", "return a > 1", "result-type 4: Cart.total returns number, but this is a boolean"),
        (
            "Cart.total", "original(a, b)",
            "result-type 5: Cart.total returns number, but the replacement never returns a value"
        ),
        (
            "Cart.total", "if a > 1 then return end return a",
            "result-type 4: Cart.total returns number, but this returns nothing"
        ),
        (
            "Cart.total", "if a > 1 then return 1 end",
            "missing-return 5: Cart.total returns number, but one path through the replacement ends without a return"
        ),
        (
            "Cart.total", "local r if a > 1 then r = 2 end return r",
            "may-be-nil 4: Cart.total returns number, but this may be nil"
        ),
        (
            "Cart.total", "if a == '5' then return 1 end return a",
            "always-false 4: compares a, which is a number, with a string, so they are never equal"
        ),
        (
            "Cart.total", "if not a == 5 then return 1 end return a",
            "always-false 4: compares a boolean with an integer, so they are never equal"
        ),
        (
            "Cart.total", "host.throw('no')",
            "cannot-throw 4: Cart.total cannot throw, so host.throw is a failure, and the original answers"
        ),
        (
            "Cart.total", "return host.call('Cart.total', a, b)",
            "calls-itself 4: the replacement of Cart.total calls Cart.total, which calls the replacement again, on each path"
        ),
        ("Cart.total", "return host.call('Cart.totl', a, b)", "unknown-function 4: the app has no function Cart.totl"),
        (
            "Cart.total", "return #host.call('Cart.load', 'x')",
            "argument 4: Cart.load is asynchronous, but Cart.total is not, so its replacement cannot wait for it"
        ),
        (
            "Cart.total", "local f = function(x) return x end return #(f .. 'x')",
            "operand 4: joins f, which is a function"
        ),
        (
            "Cart.total", "return math.floor(original)",
            "argument 4: argument 1 of math.floor is a number, but this is original, which is the original"
        ),
        ("Cart.total", "return #string.rep('x')", "argument 4: string.rep takes at least 2 arguments, but gets 1"),
        (
            "Cart.total", "return #string.format('%d %y', a, b)",
            "argument 4: the format has %y, which Lua does not have"
        ),
        ("Cart.total", "return #string.format('%d %d', a)", "argument 4: the format has 2 values, but gets 1"),
        ("Cart.total", "return #('x'):uper()", "unknown-method 4: strings have no method uper"),
        ("Cart.first", "return a[1].ammount", "unknown-field 4: Item has no field ammount"),
        (
            "Cart.first", "for _, item in ipairs(a) do if item.pirce > 1 then return item end end",
            "unknown-field 4: Item has no field pirce"
        ),
        ("Cart.first", "return {price = 1, nme = 'x'}", "unknown-field 4: Item has no field nme"),
        (
            "Cart.first", "local item = a[1] item.price = 'x' return item",
            "result-type 4: the field price of Item is number, but this is a string"
        ),
        (
            "Cart.first", "return original({{price = 1}}) and a",
            "result-type 4: Cart.first returns Item or nil, but this is an array of Item"
        ),
        (
            "Cart.first", "if a.count == 0 then return nil end return a[1]",
            "unknown-field 4: an array has no field count"
        ),
        ("Cart.first", "return a['x']", "unknown-field 4: an array has no field x"),
        ("Cart.sum", "return a.limit.cent", "unknown-field 4: Limit has no field cent"),
        (
            "Cart.sum", "for k, v in pairs(b) do if k > 1 then return v end end return 1",
            "operand 4: compares k, which is a string, with an integer"
        ),
        (
            "Cart.sum", "local limit = a.limit\nlocal f = function() return limit.cent end\nreturn f()",
            "unknown-field 5: Limit has no field cent"
        ),
        (
            "Cart.sum", "return original({limit = {cent = 1}, items = {}}, b)",
            "argument 4: argument 1 of Cart.sum is Limit, but this has no field cents"
        ),
        ("Cart.sum", "return #a.items[1].name", "may-be-nil 4: takes the length of name, which may be nil"),
        ("Cart.fill", "a:ad(b)", "unknown-method 4: Basket has no method ad"),
        ("Cart.fill", "a:add(5)", "argument 4: argument 1 of Basket:add is string, but this is an integer"),
        (
            "Cart.fill", "a:add(b:gsub('x', 'y'))",
            "argument 4: Basket:add gets 2 arguments, but Basket:add(string) -> boolean takes 1"
        ),
        ("Cart.fill", "a:add()", "argument 4: Basket:add gets 0 arguments, but Basket:add(string) -> boolean takes 1"),
        (
            "Cart.fill", "a:send()",
            "argument 4: Basket:send is asynchronous, but Cart.fill is not, so its replacement cannot wait for it"
        ),
        ("Cart.fill", "log.info('x' .. c)", "may-be-nil 4: joins c, which may be nil"),
        ("Cart.mood", "return 'god'", "unknown-case 4: Mood has no value \"god\""),
        ("Cart.mood", "return original('god', b)", "unknown-case 4: Mood has no value \"god\""),
        ("Cart.mood", "return original(a, b) .. nil", "operand 4: joins nil"),
        (
            "Cart.mood", "if a == 'god' then return 'good' end return a",
            "always-false 4: Mood has no value \"god\", so they are never equal"
        ),
        ("Cart.mood", "return b.god and a", "unknown-case 4: Mood has no value \"god\", so the table never has it"),
        ("Cart.mood", "return 5", "result-type 4: Cart.mood returns Mood, but this is an integer"),
        ("Cart.day", "return a .. ''", "result-type 4: Cart.day returns Date or nil, but this is a string"),
        ("Cart.day", "return a.year", "operand 4: indexes a, which is a Date"),
        (
            "Cart.day", "if c == 'god' then return a end",
            "always-false 4: Mood has no value \"god\", so they are never equal"
        ),
        ("Cart.load", "return 'none'", "result-type 4: Cart.load returns array of Item, but this is a string"),
        ("Cart.sum", "host.throw()", "may-be-nil 4: host.throw gets nil, so the app's error has no words"),
        ("Cart.sum", "host.throw(nil, 404)", "may-be-nil 4: host.throw gets nil, so the app's error has no words"),
        (
            "Cart.sum", "host.throw('gone', '404')",
            "argument 4: argument 2 of host.throw is an integer, but this is a string"
        ),
        (
            "Cart.sum", "host.throw('gone', 404.5)",
            "argument 4: argument 2 of host.throw is an integer, but this is 404.5, which has a fraction"
        ),
        (
            "Cart.sum", "host.throw(b.x == 1)",
            "argument 4: argument 1 of host.throw is a number or a string or a table or an object, but this is a boolean"
        ),
        (
            "Cart.sum", "host.throw({message = 'gone', code = 404})",
            "argument 4: host.throw gets a table, so the app's error does not have its code"
        ),
        ("Cart.sum", "local h <close> = {} return 1", "operand 4: closes h, which is a table"),
        (
            "Cart.sum", "local h <close> = setmetatable({}, {__close = print}) return 1",
            "argument 4: the sandbox has no __close, so this setmetatable is an error"
        ),
        (
            "Cart.sum", "local events = {__index = a} events.__gc = print setmetatable({}, events) return 1",
            "argument 4: the sandbox has no __gc, so this setmetatable is an error"
        ),
    ])
    func whatIsCertainToFailIsFound(name: String, body: String, finding: String) {
        #expect(codes(name, body) == [finding])
    }

    /// Code that a type checker must accept. It works in every app, or may work in one.
    @Test(arguments: [
        ("Cart.sum", "local h <close> = nil local f <close> = b.x and nil return 1"),
        ("Cart.sum", "local e = setmetatable({}, {__tostring = function() return 'x' end}) host.throw(e)"),
        ("Cart.sum", "local ok, e = pcall(original, a, b) if ok then return e end host.throw(e)"),
        ("Cart.sum", "host.throw(404, 2.0)"),
        (
            "Cart.first",
            "local function name(list) for i = 1, #list do list[i] = 'x' end end name(a) log.info(a[1] .. '!') local none = {price = 1} return none"
        ),
        ("Cart.total", "return a * 2"), ("Cart.total", "return 5"), ("Cart.total", "return b / 2 // 1"),
        ("Cart.total", "return original('5' + 1, 6 / 2)"), ("Cart.total", "return original(...)"),
        ("Cart.total", "return (original(a, b))"), ("Cart.total", "local ok, x = pcall(original, a, b) return x"),
        ("Cart.total", "if a > 1 then return 1 else return 2 end"), ("Cart.total", "error('no')"),
        ("Cart.total", "while true do a = a + 1 if a > 5 then return a end end"),
        ("Cart.total", "if a == nil then return 0 end return a"),
        ("Cart.total", "if type(a) == 'string' then return #a end return a"),
        ("Cart.total", "local r = nil if a > 1 then r = 1 else r = 2 end return r"),
        ("Cart.total", "local r for i = 1, 3 do if not r or i > r then r = i end end return r or 0"),
        ("Cart.total", "local x = unknown and 1 return x"), ("Cart.total", "return unknown"),
        ("Cart.total", "return unknown.x.y(a)"),
        ("Cart.total", "return math.max(a, b, 1)"), ("Cart.total", "return tonumber('5')"),
        ("Cart.total", "if a > 1 then return host.call('Cart.total', 1, 1) end return original(a, b)"),
        ("Cart.total", "local t = setmetatable({}, {__add = function() return 1 end}) return t + 1"),
        ("Cart.total", "local function f(n) if n < 1 then return 0 end return f(n - 1) end return f(b)"),
        ("Cart.total", "local x = 'a' local function set() x = 5 end set() return x"),
        ("Cart.total", "local x = 'a' local f = function() return x + 1 end x = 2 return f()"),
        ("Cart.total", "goto done ::again:: do return a end ::done:: goto again"),
        ("Cart.total", "local x <const> = 5 return x"), ("Cart.total", "return select(2, a, b)"),
        ("Cart.total", "local t = {} t.x = a t['y'] = b return t.x + t.y"),
        ("Cart.total", "string.trim = function(s) return s end return #string.trim('x')"),
        ("Cart.total", "log.info(('%5.2f %s %%'):format(a, b)) return a"),
        ("Cart.total", "local a = {a} return a[1]"), ("Cart.total", "return ({1, 2, 3})[2]"),
        ("Cart.total", "local s = '' for i = 1, 3 do s = s .. i end return #s"),
        ("Cart.total", "if a ~= a then return 0 end return a"),
        ("Cart.first", "for i, item in ipairs(a) do item.price = item.price + i end return a[1]"),
        ("Cart.first", "return nil"), ("Cart.first", ""), ("Cart.first", "return a[#a]"),
        ("Cart.first", "return {price = 1}"),
        ("Cart.first", "local i = a[1] i.seen = true if i.seen then return i end"),
        ("Cart.first", "table.sort(a, function(x, y) return x.price < y.price end) return a[1]"),
        (
            "Cart.first",
            "local best for _, x in ipairs(a) do if best == nil or x.price > best.price then best = x end end return best"
        ),
        ("Cart.first", "local t = {} for k, v in pairs(a[1]) do t[k] = v end return t"),
        ("Cart.first", "local function mend(x) x.price = 1 end local t = {} mend(t) return t"),
        ("Cart.sum", "return b.anything or 0"), ("Cart.sum", "return (b.x or 0) + a.limit.cents"),
        ("Cart.sum", "if a.limit.cents > 5 then host.throw('too much') end return 1"),
        ("Cart.sum", "if a.limit.cents > 5 then host.throw({cents = 5}, 400) end host.throw(unknown, unknown)"),
        ("Cart.sum", "local t = {} t.__close = print setmetatable(t, {__index = b}) return 1"),
        (
            "Cart.sum",
            "local sum = 0 for name, value in pairs(b) do if name ~= 'x' then sum = sum + value end end return sum"
        ),
        ("Cart.sum", "local item = a.items[1] return item.name and #item.name or 0"),
        ("Cart.fill", "a:add(b) a:add(5 .. '') original(a, b, c)"), ("Cart.fill", "original(a, b)"),
        ("Cart.fill", "return 5"),
        ("Cart.fill", "if c then log.info('x' .. c) end"), ("Cart.fill", "log.info('x' .. (c or ''))"),
        ("Cart.fill", "c = c or 'y' log.info('x' .. c)"), ("Cart.fill", "if not c then return end log.info(#c)"),
        ("Cart.fill", "a:add((b:gsub('x', 'y')))"), ("Cart.fill", "local add = a.add add(a, b)"),
        ("Cart.load", "local all = original(a) all[#all + 1] = {price = 1} return all"),
        ("Cart.load", "return {}"), ("Cart.load", "return {{price = 1}, {price = 2, name = 'x'}}"),
        ("Cart.mood", "return a:upper():lower()"), ("Cart.mood", "return b[a] and 'good' or a"),
        ("Cart.mood", "local t = {good = 'bad', bad = 'good'} return t[a]"),
        ("Cart.mood", "return (b.good or 0) > 1 and a or 'bad'"),
        ("Cart.day", "return a + 3600"), ("Cart.day", "if b[1] == 'good' or c == 'bad' then return nil end return 5"),
        ("Cart.mood", "return a == 'good' and 'bad' or a"),
        ("Cart.mood", "local t = {x = 1} local u = #a > 1 and t or {x = 2} u.x = 's' return #t.x > 0 and a or 'bad'"),
        ("Cart.mood", "for k, v in pairs(b) do if v > 1 then return k end end return a"),
    ])
    func whatMayWorkIsNot(name: String, body: String) {
        let parameters = body.contains("...") ? "original, ..." : "original, a, b, c"
        #expect(codes(name, body, parameters: parameters) == [])
        #expect(codes(name, body, parameters: parameters, knows: false) == [])
    }

    /// A function is recognized wherever a script defines it.
    @Test func replacementsAreFoundWhereTheyAre() {
        #expect(
            codes(
                "Cart.total", "return helper.twice(original)",
                before: "local helper = {twice = function(x) return x * 2 end}") == [])
        let script =
            "local fix = {}\nfunction fix.total(original, a)\n  return #(a .. nil)\nend\npatch.replace('Cart.total', fix.total)"
        let found = PatchLint.findings(
            in: [PatchScript(name: "main.lua", bytes: Array(script.utf8))], replaces: ["Cart.total"],
            interface: Self.interface)
        #expect(found.map(\.code) == [.operand])
    }

    /// It ends for every bytecode, even if this compiler did not make it.
    @Test func damagedBytecodeIsReadToItsEnd() throws {
        let registry = PatchRegistry()
        let source =
            "local t = {a = 1, 'x'} for i = 1, 10 do t[i] = i .. 'x' end for k, v in pairs(t) do t[k] = v and not v end return function(...) return t, ... end"
        let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
        let state = try ScriptState(
            [script], limits: PatchLimits(), host: HostInfo(app: "com.example.app", version: "1"),
            names: registry.names, reports: .none, seed: 1)
        defer { state.close() }
        let bytes = try state.loader.precompiled(script)
        let context = TypeFlow.Context(
            interface: Self.interface, knowsApp: true, assigned: [], written: [], setsMetatables: false)
        var random = SystemRandomNumberGenerator()
        var read = 0
        for _ in 0..<(testsMayBeLong && !isSanitized ? 20_000 : 1_000) {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: 32..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let function = Prototype(dumped: damaged) else { continue }
            read += 1
            _ = TypeFlow.problems(in: function, upvalues: [], context) { _ in nil }
            _ = Chunk(function)
        }
        #expect(read > 50)
    }
}
