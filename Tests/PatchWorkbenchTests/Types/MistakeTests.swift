import PatchCrypto
import TestSupport
import Testing

@testable import PatchRunner
@testable import PatchWorkbench

/// Mistakes that people make in patches, with the intended code. Each mistake is found at its line, and the intended code has no
/// finding.
@Suite(.ownThreads) struct MistakeTests {
    struct Mistake: Sendable {
        /// The replaced function: `function(original, a, b) … end`.
        let name: String
        /// The code before the replacement.
        let before: String
        let wrong: String
        let code: Finding.Code
        let line: Int
        let right: String

        init(
            _ name: String, _ wrong: String, _ code: Finding.Code, line: Int = 4, before: String = "", right: String
        ) {
            (self.name, self.wrong, self.code, self.line, self.before, self.right) =
                (name, wrong, code, line, before, right)
        }
    }

    private static let interface: PatchInterface = {
        func function(_ name: String, _ arguments: [String], _ result: String) -> PatchInterface.Function {
            .init(name: name, signature: PatchSignature(arguments, result: result, throws: true))
        }
        return PatchInterface(
            app: "com.example.shop", appVersion: "1.0",
            functions: [
                function("Cart.total", ["number", "integer"], "number"),
                function("Cart.split", ["integer", "integer"], "integer"),
                function("Cart.parse", ["string"], "number"),
                function("Cart.label", ["string", "string"], "string"),
                function("Cart.names", ["array of string", "array of Item"], "array of string"),
                function("Cart.marks", ["array of integer"], "array of integer"),
                function("Cart.items", ["array of Item"], "array of Item"),
                function("Cart.find", ["string"], "Item or nil"),
                function("Cart.prices", ["table of number", "Mood table of integer"], "table of number"),
                function("Cart.mood", ["Mood", "Level"], "Mood"),
                function("Cart.level", ["Level"], "Level"),
                function("Cart.pay", ["Payment", "Wallet"], "integer"),
                function("Cart.save", ["Item", "integer"], "nothing"),
                function("Cart.opt", ["integer or nil", "string or nil"], "integer"),
                function("Cart.raw", ["Blob", "integer"], "integer"),
            ],
            structs: [
                .init(
                    name: "Item",
                    fields: [
                        .init(name: "name", type: "string or nil"), .init(name: "price", type: "number"),
                        .init(name: "cents", type: "integer"),
                    ]),
                .init(name: "Card", fields: [.init(name: "kind", type: "string")]),
                .init(
                    name: "Payment",
                    fields: [.init(name: "card", type: "Card or nil"), .init(name: "id", type: "string")]),
            ],
            scalars: [
                .init(name: "Mood", type: "string", cases: [.string("good"), .string("bad")]),
                .init(name: "Level", type: "integer", cases: [.integer(0), .integer(1), .integer(2)]),
            ],
            classes: [
                .init(
                    name: "Wallet",
                    methods: [
                        function("balance", ["integer"], "integer"), function("owner", [], "string or nil"),
                        function("hasOwner", [], "boolean"),
                    ])
            ])
    }()

    private func findings(_ mistake: Mistake, _ body: String) -> [Finding] {
        let count = Self.interface.function(mistake.name)?.signature.arguments.count ?? 0
        let parameters = ["original", "a", "b"].prefix(count + 1).joined(separator: ", ")
        let source =
            "\(mistake.before)\npatch.replace('\(mistake.name)',\nfunction(\(parameters))\n\(body)\nend)"
        return PatchLint.findings(
            in: [PatchScript(name: "main.lua", bytes: Array(source.utf8))], replaces: [mistake.name],
            interface: Self.interface
        ).filter { ![.unusedLocal, .shadowedLocal].contains($0.code) }
    }

    private func check(_ mistake: Mistake) {
        let found = findings(mistake, mistake.wrong).map { "\($0.line) \($0.code): \($0.message)" }
        #expect(found.contains { $0.hasPrefix("\(mistake.line) \(mistake.code):") }, "\(mistake.wrong): \(found)")
        #expect(found.count <= 2, "\(mistake.wrong): \(found)")
        let alarms = findings(mistake, mistake.right).map { "\($0.line) \($0.code): \($0.message)" }
        #expect(alarms == [], "\(mistake.right)")
    }

    static let library: [Mistake] = [
        Mistake(
            "Cart.total", "return math.floor('a')", .argument, right: "return math.floor('12') + math.floor(' 0x1F ')"),
        Mistake(
            "Cart.total", "for _, v in pairs(b) do a = a + v end return a", .argument,
            right: "for _, v in pairs({b}) do a = a + v end return a"),
        Mistake(
            "Cart.total", "for _, v in ipairs(nil) do a = a + v end return a", .argument,
            right: "for _, v in ipairs({}) do a = a + v end return a"),
        Mistake("Cart.label", "return ('x'):rep('a')", .argument, right: "return ('x'):rep('3')"),
        Mistake("Cart.label", "return string.rep(3, 'x')", .argument, right: "return string.rep('x', 3)"),
        Mistake(
            "Cart.names", "local t = {} for _, s in ipairs(a) do table.insert(t, s:gsub('a', 'b')) end return t",
            .argument,
            right: "local t = {} for _, s in ipairs(a) do table.insert(t, (s:gsub('a', 'b'))) end return t"),
        Mistake("Cart.names", "return table.sort(a)", .resultType, right: "table.sort(a) return a"),
        Mistake("Cart.names", "return table.insert(a, 'x')", .resultType, right: "table.insert(a, 'x') return a"),
        Mistake(
            "Cart.names", "for _, s in ipairs(table.sort(a)) do log.info(s) end return a", .argument,
            right: "table.sort(a) for _, s in ipairs(a) do log.info(s) end return a"),
        Mistake(
            "Cart.names", "table.insert(a, 1, 'x', 'y') return a", .argument, right: "table.insert(a, 1, 'x') return a"),
        Mistake("Cart.names", "table.insert(a) return a", .argument, right: "table.insert(a, 'x') return a"),
        Mistake(
            "Cart.names", "return {table.concat(b, ', ')}", .argument,
            right: "return {table.concat(a, ', ')}"),
        Mistake(
            "Cart.items", "table.sort(a) return a", .argument,
            right: "table.sort(a, function(x, y) return x.price < y.price end) return a"),
        Mistake("Cart.parse", "return tonumber(a) * 2", .mayBeNil, right: "return (tonumber(a) or 0) * 2"),
        Mistake(
            "Cart.parse", "return tonumber(a)", .mayBeNil,
            right: "if a:match('^%d+$') then return tonumber(a) * 2 end return 0"),
        Mistake(
            "Cart.parse", "local n = tonumber(a) if n > 5 then return 5 end return 1", .mayBeNil,
            right: "local n = tonumber(a) if n and n > 5 then return n end if not n then return 0 end return n * 2"),
        Mistake(
            "Cart.parse", "return tonumber('x') + 1", .operand,
            right: "if tonumber(a) then return tonumber(a) + tonumber('5') end return 0"),
        Mistake(
            "Cart.parse", "return tonumber(a:gsub(',', '')) or 0", .argument,
            right: "return tonumber((a:gsub(',', ''))) or tonumber(a, 16) or 0"),
        Mistake("Cart.label", "return ('%d'):format('EURx')", .argument, right: "return ('%d'):format('12')"),
        Mistake(
            "Cart.label", "return string.format('%d', 1.5)", .argument,
            right: "return string.format('%d %.1f', 2.0, 1.5)"),
        Mistake(
            "Cart.label", "return string.format('%d', #a / 2)", .mayNotFit, right: "return string.format('%d', #a // 2)"
        ),
        Mistake("Cart.label", "return (a:gsub('[a', ''))", .argument, right: "return (a:gsub('[]a%]]', ''))"),
        Mistake("Cart.label", "return (a:gsub('%', ''))", .argument, right: "return (a:gsub('%%', ''))"),
        Mistake("Cart.label", "return a:match('(x') or b", .argument, right: "return a:match('(x)') or b"),
        Mistake("Cart.label", "return a:match('%1') or b", .argument, right: "return a:match('(x)%1') or b"),
        Mistake(
            "Cart.label", "if a:find('[') then return b end return a", .argument,
            right: "if a:find('[', 1, true) then return b end return a"),
        Mistake("Cart.label", "return (a:gsub('x', '100%'))", .argument, right: "return (a:gsub('x', '100%%'))"),
        Mistake("Cart.label", "return (a:gsub('(x)', '%2'))", .argument, right: "return (a:gsub('x', '%1%0'))"),
        Mistake(
            "Cart.label", "if a:find('x') > 0 then return b end return a", .mayBeNil,
            right: "local at = a:find('x') if at and at > 0 then return b end return a"),
        Mistake(
            "Cart.label", "if a:find('x') == true then return b end return a", .alwaysFalse,
            right: "if a:find('x') ~= nil then return b end return a"),
        Mistake(
            "Cart.label", "return a:match('x+'):upper()", .mayBeNil, right: "return a:match('^%s*(.-)%s*$'):upper()"),
        Mistake("Cart.label", "return a:gsub('x', 'y', 'z')", .argument, right: "return (a:gsub('x', 'y', 1))"),
        Mistake(
            "Cart.label", "return original(a:gsub('x', 'y'), b, 1)", .originalArguments,
            right: "return original(a:gsub('x', 'y'), b)"),
        Mistake(
            "Cart.label", "return original(a, b:gsub('x', 'y'))", .originalArguments,
            right: "return original(a, (b:gsub('x', 'y')))"),
    ]

    @Test(arguments: library) func contractsOfTheLibrary(_ mistake: Mistake) { check(mistake) }

    static let answers: [Mistake] = [
        Mistake(
            "Cart.items", "return {{price = 1, cents = 1.5}}", .resultType,
            right: "return {{price = 1.5, cents = 2.0}, {price = 1, cents = 2}}"),
        Mistake(
            "Cart.find", "return {price = 1, cents = 1.5}", .resultType, right: "return {price = 1.5, cents = 2.0}"),
        Mistake("Cart.split", "return 1.5", .resultType, right: "return 2.0"),
        Mistake("Cart.split", "return original(0.5, b)", .argument, right: "return original(5e0, b)"),
        Mistake("Cart.split", "return original(a / b, b)", .mayNotFit, right: "return original(a // b, b)"),
        Mistake("Cart.split", "return a / b", .mayNotFit, right: "return (a - a % b) / b"),
        Mistake("Cart.split", "return a * 0.15", .mayNotFit, right: "return math.floor(a * 0.15) + math.floor(a / 2)"),
        Mistake("Cart.marks", "return {'x', 'y'}", .resultType, right: "return {1, 2, a[1], 4.0}"),
        Mistake("Cart.marks", "return {1, 2.5}", .resultType, right: "local t = {1, 2.5} t[2] = 3 return t"),
        Mistake("Cart.items", "return {a}", .resultType, right: "return {a[1]}"),
        Mistake("Cart.items", "return original({a})", .argument, right: "return original({a[1], a[2]})"),
        Mistake("Cart.items", "return {{price = 1}}", .resultType, right: "return {{price = 1, cents = 1}}"),
        Mistake("Cart.names", "return {b[1]}", .resultType, right: "return {a[1], b[1].name}"),
        Mistake("Cart.prices", "return {a = 'x'}", .resultType, right: "return {a = 1, b = a.b}"),
        Mistake("Cart.prices", "return original(a, {god = 1})", .unknownCase, right: "return original(a, {good = 1})"),
        Mistake("Cart.level", "return 7", .unknownCase, right: "return a == 1 and 2 or 0"),
        Mistake("Cart.mood", "return original(3, b)", .argument, right: "return original('good', 1)"),
        Mistake("Cart.pay", "return b.balance", .resultType, right: "return b:balance(1)"),
        Mistake("Cart.pay", "return b.balance(1)", .argument, right: "return b.balance(b, 1)"),
        Mistake("Cart.label", "return a .. -'x'", .operand, right: "return a .. -'5'"),
        Mistake("Cart.parse", "return a + 'y'", .operand, right: "return ('5' + '0x10') * ' 1e2 '"),
        Mistake("Cart.parse", "return a * 2", .mayNotFit, right: "return (tonumber(a) or 0) * 2"),
        Mistake(
            "Cart.items", "return {name = 'x', price = 1, cents = 1}", .resultType,
            right: "return {{name = 'x', price = 1, cents = 1}}"),
        Mistake("Cart.prices", "return {1, 2}", .resultType, right: "return {x = 1, y = 2}"),
        Mistake("Cart.items", "a[#a + 1] = 'x' return a", .resultType, right: "a[#a + 1] = a[1] a[1] = nil return a"),
        Mistake("Cart.names", "table.insert(a, 5) return a", .resultType, right: "table.insert(a, 'x') return a"),
        Mistake(
            "Cart.save", "a.cents = a.cents / 2 original(a, b)", .mayNotFit,
            right: "a.cents = a.cents // 2 a.price = a.price / 2 original(a, b)"),
        Mistake(
            "Cart.save", "a.prise = 5 original(a, b)", .unknownField,
            right: "a.price = 5 a.seen = true original(a, b)"),
        Mistake("Cart.label", "return a.upper()", .argument, right: "return a.upper(a)"),
        Mistake("Cart.names", "a:sort() return a", .unknownMethod, right: "table.sort(a) return a"),
    ]

    @Test(arguments: answers) func answersOfDeclaredTypes(_ mistake: Mistake) { check(mistake) }

    static let conditions: [Mistake] = [
        Mistake(
            "Cart.label", "if a == 'x' or 'y' then return b end return a", .alwaysTrue,
            right: "if a == 'x' or a == 'y' then return b end local s = b == 'x' or 'y' return s and a or b"),
        Mistake(
            "Cart.label", "while a ~= 'x' and (b == 'x' or 'y') do a = a .. 'x' break end return a", .alwaysTrue,
            right: "while a ~= 'x' and (b == 'x' or b == 'y') do a = a .. 'x' break end return a"),
        Mistake(
            "Cart.label", "if a ~= 'x' or a ~= 'y' then return b end return a", .alwaysFalse,
            right: "if a ~= 'x' and a ~= 'y' then return b end return a"),
        Mistake(
            "Cart.label", "if a == 'x' and a == 'y' then return b end return a", .alwaysFalse,
            right: "if a == 'x' and b == 'y' then return b end return a"),
        Mistake(
            "Cart.label", "if a == 'x' then return b\nelseif a == 'x' then return 'z' end return a", .alwaysFalse,
            line: 5,
            right: "if a == 'x' then return b\nelseif a == 'y' then return 'z' end return a"),
        Mistake(
            "Cart.total", "if a > 10 then return 1\nelseif a > 100 then return 2 end return 3", .alwaysFalse, line: 5,
            right: "if a > 100 then return 1\nelseif a > 10 then return 2 end return 3"),
        Mistake(
            "Cart.total", "if a > 1000 then return 1\nelseif a >= 5000 then return 2 end return 3", .alwaysFalse,
            line: 5,
            right: "if a > 5000 then return 1\nelseif a >= 1000 then return 2 end return 3"),
        Mistake(
            "Cart.split", "if a < 5 and a > 10 then return 1 end return a", .alwaysFalse,
            right: "if a < 5 or a > 10 then return 1 end return a"),
        Mistake(
            "Cart.total", "error('no')\nreturn original(a, b)", .unreachable, line: 5,
            right: "if a > 1 then error('no') end\nreturn a"),
        Mistake(
            "Cart.total", "host.throw('no')\nlog.info('x')\nreturn a", .unreachable, line: 5,
            right: "log.info('x')\nhost.throw('no')"),
        Mistake(
            "Cart.total", "if a > 1 then return 1 else return 2 end\nlog.info('x')", .unreachable, line: 5,
            right: "if a > 1 then return 1 elseif a < 0 then return 2 end\nlog.info('x')\nreturn 3"),
        Mistake(
            "Cart.total", "while true do a = a + 1 end", .endlessLoop,
            right: "while true do a = a + 1 if a > 5 then return a end end"),
        Mistake(
            "Cart.total", "if a > 10 then log.info('x') if a < 5 then return 1 end end return a", .alwaysFalse,
            right: "if a > 10 then while a > 9 do a = a - 5 if a < 0 then return 1 end end end return a"),
        Mistake(
            "Cart.split", "if a == 5 then return 1\nelseif a == 5 and b > 1 then return 2 end return 3", .alwaysFalse,
            line: 5,
            right: "if a == 5 then return 1\nelseif a ~= 5 and b > 1 then return 2 end return 3"),
    ]

    @Test(arguments: conditions) func conditionsWithOneAnswer(_ mistake: Mistake) { check(mistake) }

    static let positions: [Mistake] = [
        Mistake(
            "Cart.find", "return host.call('Cart.items', {})[0]", .unknownField,
            right: "return host.call('Cart.items', {})[1]"),
        Mistake("Cart.items", "return {a[0]}", .unknownField, right: "return {a[1]}"),
        Mistake(
            "Cart.names", "for i = 0, #a do log.info(a[i]) end return a", .unknownField,
            right: "for i = 1, #a do log.info(a[i]) end return a"),
        Mistake(
            "Cart.names", "for i = 0, #a - 1 do\nlog.info(a[i]) end return a", .unknownField, line: 5,
            right: "for i = 0, #a - 1 do\nlog.info(a[i + 1]) if i > 0 then log.info(a[i]) end end return a"),
        Mistake("Cart.names", "return {a[#a + 1] .. 'x'}", .operand, right: "return {a[#a] .. 'x'}"),
        Mistake(
            "Cart.names", "for i = #a, 1 do log.info(a[i]) end return a", .alwaysFalse,
            right: "for i = #a, 1, -1 do log.info(a[i]) end return a"),
        Mistake(
            "Cart.names", "for i = 1, #a, -1 do log.info(a[i]) end return a", .alwaysFalse,
            right: "for i = 1, #a, 2 do log.info(a[i]) end return a"),
        Mistake(
            "Cart.total", "for i = 10, 1 do a = a + i end return a", .alwaysFalse,
            right: "for i = 10, 1, -1 do a = a + i end return a"),
        Mistake(
            "Cart.total", "for i = 1, 3, 0 do a = a + i end return a", .operand,
            right: "for i = 1, 3, 1 do a = a + i end return a"),
        Mistake(
            "Cart.split", "local i = 1\nwhile i <= b do\na = a + i\nend return a", .endlessLoop, line: 5,
            right: "local i = 1\nwhile i <= b do\na = a + i\ni = i + 1\nend return a"),
        Mistake(
            "Cart.names", "for _, s in ipairs(a) do\nif s == 'x' then return {} else return a end\nend return a",
            .unreachable,
            right: "for _, s in ipairs(a) do\nif s == 'x' then return {} end\nend return a"),
    ]

    @Test(arguments: positions) func positionsAndLoops(_ mistake: Mistake) { check(mistake) }

    static let helpers: [Mistake] = [
        Mistake(
            "Cart.total", "return half(a)", .operand, line: 1,
            before: "local function half(x) return (x.price or x) / 2 end",
            right: "return half({price = a})"),
        Mistake(
            "Cart.label", "return price(host.call('Cart.find', a) or {})", .resultType,
            before: "local function price(x) return 5 end", right: "return tostring(price(a))"),
        Mistake(
            "Cart.items", "return only(a)", .unknownField, line: 1,
            before: "local function only(x) return {x.nam and x[1]} end",
            right: "log.info(#only({nam = 1})) return a"),
        Mistake(
            "Cart.total", "return note(a)", .resultType, before: "local function note(x) log.info('x') end",
            right: "note(a) return a"),
        Mistake(
            "Cart.pay", "if not a.card then return #a.card.kind end return b:balance(1)", .operand,
            right: "if a.card then return #a.card.kind end return b:balance(1)"),
        Mistake(
            "Cart.pay", "return #a.card.kind", .mayBeNil,
            right: "if not a.card then return 0 end log.info('x') return #a.card.kind"),
        Mistake(
            "Cart.pay", "return host.call('Cart.find', a.id).cents", .mayBeNil,
            right: "local item = host.call('Cart.find', a.id) return item and item.cents or 0"),
        Mistake(
            "Cart.pay", "local item = host.call('Cart.find', a.id) if not item then return item.cents end return 0",
            .operand,
            right: "local item = host.call('Cart.find', a.id) if not item then return 0 end return item.cents"),
        Mistake(
            "Cart.pay", "local item = host.call('Cart.find', a.id) if item == nil then return item.cents end return 0",
            .operand,
            right: "local item = host.call('Cart.find', a.id) if item ~= nil then return item.cents end return 0"),
        Mistake(
            "Cart.pay", "return #b:owner()", .mayBeNil, right: "return #(b:owner() or '')"),
    ]

    @Test(arguments: helpers) func helpersAndWhatMayBeNil(_ mistake: Mistake) { check(mistake) }

    static let keys: [Mistake] = [
        Mistake(
            "Cart.prices", "for _, v in ipairs(a) do log.info(tostring(v)) end return a", .argument,
            right: "for _, v in pairs(a) do log.info(tostring(v)) end return a"),
        Mistake(
            "Cart.prices", "if #a > 1 then return {} end return a", .operand,
            right: "if next(a) then return {} end return a"),
        Mistake("Cart.prices", "return {x = a[1]}", .unknownField, right: "return {x = a['1']}"),
        Mistake("Cart.prices", "table.insert(a, 5) return a", .argument, right: "a.x = 5 return a"),
        Mistake(
            "Cart.save", "for _, v in ipairs(a) do log.info(tostring(v)) end", .argument,
            right: "for _, v in pairs(a) do log.info(tostring(v)) end"),
        Mistake(
            "Cart.split", "original(a, b) return original(a, b)", .calledTwice,
            right: "local r = original(a, b) return r"),
        Mistake(
            "Cart.split", "if original(a, b) > 5 then return original(a, b) end return 0", .calledTwice,
            right: "if a > 5 then return original(a, b) end b = b + 1 return original(a, b)"),
        Mistake(
            "Cart.save", "original(a, b)\noriginal(a, b)", .calledTwice, line: 5,
            right: "original(a, b)\noriginal(a, 1)"),
    ]

    @Test(arguments: keys) func keysAndRules(_ mistake: Mistake) { check(mistake) }

    /// Mistakes of authors who come from JavaScript, Swift, Python or C.
    static let habits: [Mistake] = [
        Mistake(
            "Cart.label", "if a[1] == 'x' then return b end return a", .unknownField,
            right: "if a:sub(1, 1) == 'x' then return b end return a"),
        Mistake(
            "Cart.label", "local t = '' for i = 1, #a do t = t .. a[i] end return t", .unknownField,
            right: "local t = '' for i = 1, #a do t = t .. a:sub(i, i) end return t"),
        Mistake(
            "Cart.label", "if a.length > 5 then return b end return a", .unknownField,
            right: "if #a > 5 and a.len(a) > 5 then return b end return a"),
        Mistake(
            "Cart.names", "if #a then return a end return {}", .alwaysTrue,
            right: "if #a > 0 then return a end local n = b and #b or 0 return {tostring(n)}"),
        Mistake(
            "Cart.names", "if not #a then return {} end return a", .alwaysTrue,
            right: "if not (#a > 0) then return {} end return a"),
        Mistake(
            "Cart.split", "if a % 2 then return 1 end return a", .alwaysTrue,
            right: "if a % 2 == 1 then return 1 end return a"),
        Mistake(
            "Cart.label", "if a:find('x') == -1 then return b end return a", .alwaysFalse,
            right: "if (a:find('x') or -1) == -1 then return b end return a"),
        Mistake(
            "Cart.label", "local at, last = a:find(b, 1, true) if at == 0 then return b end return a", .alwaysFalse,
            right: "local at, last = a:find(b, 1, true) if at == 1 or last == 0 then return b end return a"),
        Mistake(
            "Cart.names", "if #a < 0 then return {} end return a", .alwaysFalse,
            right: "if #a < 1 then return {} end return a"),
        Mistake(
            "Cart.label", "return ('{} {}'):format(a, b)", .argument,
            right: "return ('%s %s'):format(a, b) .. ('%s'):format(a:gsub('x', 'y'))"),
        Mistake(
            "Cart.total", "return a > 8 and false or original(a, b)", .alwaysFalse,
            right: "return a > 8 and 5 or false or nil or original(a, b)"),
        Mistake(
            "Cart.find", "return (a == '' and nil) or original(a)", .alwaysFalse,
            right: "return a ~= '' and original(a) or nil"),
        Mistake(
            "Cart.total", "local ok, r = pcall(original(a, b)) return ok and r or 0", .argument,
            right: "local ok, r = pcall(original, a, b) return ok and r or 0"),
        Mistake(
            "Cart.total", "local ok, r = pcall(original, a) return ok and r or 0", .originalArguments,
            right: "local ok, r = pcall(original, table.unpack({a, b})) return ok and r or 0"),
        Mistake(
            "Cart.total", "local ok, r = xpcall(original, a, b) return ok and r or 0", .argument,
            right: "local ok, r = xpcall(original, tostring, a, b) return ok and r or 0"),
        Mistake("Cart.marks", "return {a[#a / 2]}", .mayNotFit, right: "return {a[#a // 2]}"),
        Mistake(
            "Cart.total", "return tonumber(b, 16) or 0", .argument, right: "return tonumber(tostring(b), 16) or 0"),
        Mistake("Cart.parse", "return tonumber(a, 64) or 0", .argument, right: "return tonumber(a, 36) or 0"),
        Mistake(
            "Cart.split", "return math.random(10, 1)", .argument,
            right: "return math.random(1, 10) + math.random(0) + math.random(5)"),
        Mistake(
            "Cart.label", "if a:byte(1) == 'A' then return b end return a", .alwaysFalse,
            right: "if a:byte(1) == 65 then return b end return a"),
        Mistake(
            "Cart.opt", "if type(a) == 'integer' then return a end return 0", .alwaysFalse,
            right: "if type(a) == 'number' and math.type(a) == 'integer' then return a end return 0"),
        Mistake(
            "Cart.opt", "if math.type(a) == 'int' then return a end return 0", .alwaysFalse,
            right: "if math.type(a) == 'float' or type(b) == 'userdata' then return 1 end return 0"),
        Mistake(
            "Cart.label", "return table.concat({a == b, a}, ', ')", .argument,
            right: "return table.concat({tostring(a == b), a, #a}, ', ')"),
        Mistake(
            "Cart.total", "return host.call(original, a, b)", .argument, right: "return host.call(b > 1 and 'x' or 'y')"
        ),
        Mistake("Cart.total", "log:info('x') return a", .argument, right: "log.info('x') return a"),
        Mistake("Cart.pay", "return b:balance(b, 1)", .argument, right: "return b:balance(1)"),
        Mistake("Cart.names", "return {a[1], nil, a[2]}", .resultType, right: "return {a[1], a[2], nil}"),
        Mistake(
            "Cart.prices", "for k, v in a do log.info(k) end return a", .operand,
            right: "for k, v in pairs(a) do log.info(k) end return a"),
    ]

    @Test(arguments: habits) func habitsOfOtherLanguages(_ mistake: Mistake) { check(mistake) }

    /// Arrays that a loop fills.
    static let arrays: [Mistake] = [
        Mistake(
            "Cart.names", "local t = {} for _, x in ipairs(b) do t[#t + 1] = x end return t", .resultType,
            right: "local t = {} for _, x in ipairs(b) do t[#t + 1] = x.name end return t"),
        Mistake(
            "Cart.names",
            "local t = {} for _, x in ipairs(b) do if x.price > 5 then table.insert(t, x) end end return t",
            .resultType,
            right:
                "local t = {} for _, x in ipairs(b) do if x.price > 5 then table.insert(t, x) end end return {t[1].name, tostring(#t)}"
        ),
        Mistake(
            "Cart.names", "local t = {} for i, x in ipairs(b) do t[i] = x.price > 5 end return t", .resultType,
            right: "local t = {} for i, x in ipairs(b) do t[i] = x.price > 5 t[i] = tostring(t[i]) end return t"),
        Mistake(
            "Cart.items",
            "local t = {} for _, x in ipairs(a) do table.insert(t, {name = x.name, price = x.price}) end return t",
            .resultType,
            right:
                "local t = {} for _, x in ipairs(a) do local y = {price = x.price} table.insert(t, y) y.cents = 1 end return t"
        ),
        Mistake(
            "Cart.prices", "local t = {} for _, p in pairs(a) do t[#t + 1] = p end return t", .resultType,
            right: "local t = {} for k, p in pairs(a) do t[k] = p end return t"),
        Mistake(
            "Cart.marks", "local t = {} t[#t + 1] = 'x' return t", .resultType,
            right: "local t = {} t[#t + 1] = 'x' for i, x in ipairs(t) do t[i] = #x end return t"),
    ]

    @Test(arguments: arrays) func arraysThatAreFilled(_ mistake: Mistake) { check(mistake) }

    /// A correct script that looks like a mistake.
    struct Right: Sendable {
        let name: String
        let before: String
        let body: String

        init(_ name: String, _ body: String, before: String = "") {
            (self.name, self.before, self.body) = (name, before, body)
        }
    }

    static let rights: [Right] = [
        // A value that is nil stays nil only until another value is assigned.
        Right(
            "Cart.total",
            "local min for i = 1, a do if min == nil or i < min then min = i end end if min == nil then min = 0 end return min"
        ),
        Right(
            "Cart.total", "return half(a)",
            before: "local function half(x, o) if o ~= nil then return x / o.by end return x / 2 end"),
        // Loops that end.
        Right(
            "Cart.total",
            "if a <= 0 then return 0 end local i = 0 while i < 10 do log.info('x') if a > 0 then i = i + 1 end end return i"
        ),
        Right("Cart.names", "for _, v in ipairs(b) do return {v.name or '?'} end return a"),
        Right(
            "Cart.prices", "local key for k, v in pairs(a) do key = v and k break end return {[key or 'x'] = 1}"),
        Right(
            "Cart.total",
            "while true do local ok, v = pcall(original, a, b) if ok then return v end log.info('again') end return 0"),
        Right("Cart.split", "repeat a = a - 1 if a < b then return a end until false"),
        Right("Cart.split", "while not false do a = a - 1 if a < b then return a end end"),
        // Positions.
        Right("Cart.marks", "a[0] = 0 for i = 1, #a do a[i] = a[i] + a[i - 1] end log.info(a[0]) a[0] = nil return a"),
        Right("Cart.marks", "local t = a t[0] = 0 log.info(a[0]) return a"),
        Right("Cart.marks", "for i = 0, #a do if i % 2 == 1 then log.info(a[i]) end end return a"),
        Right(
            "Cart.marks", "for i = 0, #a do local first = i == 0 if not first then log.info(a[i]) end end return a"),
        Right("Cart.marks", "for i = 0, #a do for j = 1, i do log.info(a[i] + j) end end return a"),
        Right(
            "Cart.marks",
            "setmetatable(a, {__index = function() return 0 end}) local s = a[0] + a[#a + 1] for i = 0, #a do s = s + a[i] end return {s}"
        ),
        Right("Cart.names", "setmetatable(a, {__index = table}) a:insert('x') return a"),
        // Arrays that are changed in place.
        Right("Cart.names", "for i, item in ipairs(b) do b[i] = item.name or '?' end return b"),
        Right("Cart.names", "for i = 1, #b do b[i] = tostring(b[i].name) end return b"),
        Right(
            "Cart.marks",
            "a[#a + 1] = 'end' local out = {} for _, v in ipairs(a) do if v == 'end' then break end out[#out + 1] = v end return out"
        ),
        Right("Cart.items", "table.insert(a, {kind = 'x'}) for _, x in ipairs(a) do log.info(x.kind) end return {}"),
        Right("Cart.names", "local seen = a seen.x = true if seen.x then return {} end log.info(a.x) return a"),
        Right("Cart.prices", "a[1] = 5 log.info(a[1], #a) return a"),
        Right("Cart.marks", "fill(a) log.info(a[0] + 1) return a", before: "local function fill(t) t[0] = 1 end"),
        Right(
            "Cart.items",
            "for _, x in ipairs(a) do fix(x) end for _, x in ipairs(a) do log.info(x.price:upper()) end return {}",
            before: "local function fix(x) x.price = tostring(x.price) end"),
        Right(
            "Cart.items", "fix(a) for _, x in ipairs(a) do log.info(x * 2) end return {}",
            before: "local function fix(list) for i, x in ipairs(list) do list[i] = x.price end end"),
        Right(
            "Cart.names",
            "local t = {} for _, x in ipairs(b) do t[#t + 1] = x end for i, x in ipairs(t) do t[i] = x.name end return t"
        ),
        Right(
            "Cart.names",
            "local t, u = {}, {} for _, x in ipairs(b) do u[#u + 1] = x t[#t + 1] = x.name end u = t return u"),
        Right(
            "Cart.names",
            "local t = {} local u = t for _, x in ipairs(b) do t[#t + 1] = x end u[1] = 'x' for i = 2, #u do u[i] = nil end return t"
        ),
        Right("Cart.names", "local t = {b[1]} fix(t) return t", before: "local function fix(t) t[1] = t[1].name end"),
        Right(
            "Cart.names", "local t = {} table.insert(t, b[1]) fix(t) return t",
            before: "local function fix(t) t[1] = t[1].name end"),
        Right("Cart.names", "local t = {} table.insert(t, b[1]) table.remove(t) return t"),
        Right("Cart.names", "local t = {} t.x = 5 t[#t + 1] = 5 log.info(#t) return {}"),
        // Tables in tables.
        Right("Cart.items", "local x = {price = 1} local t = {x} x.cents = 5 return t"),
        Right("Cart.items", "local x = {price = 1} local t = {} t[1] = x x.cents = 5 return t"),
        Right("Cart.items", "local t = {{price = 1}} t[1].cents = 5 return t"),
        Right("Cart.items", "local t = {{price = 1}} for _, x in ipairs(t) do x.cents = 5 end return t"),
        Right("Cart.pay", "local p = {id = 'x', card = {}} p.card.kind = 'x' return original(p, b)"),
        Right("Cart.pay", "local c = {} local p = {id = 'x', card = c} c.kind = 'x' return original(p, b)"),
        Right("Cart.pay", "local p = {id = 'x', card = {}} local c = p.card c.kind = 'x' return original(p, b)"),
        // Fields that are written.
        Right("Cart.items", "a[1].price = 'free' log.info(a[1].price:upper()) return {}"),
        Right("Cart.save", "a.price = '5' log.info('x') log.info(a.price:upper())"),
        Right("Cart.save", "local c = a c.cents = 'x' log.info(a.cents:upper())"),
        Right(
            "Cart.items",
            "for _, x in ipairs(a) do x.price = tostring(x.price) end for _, x in ipairs(a) do log.info(x.price:upper()) end return {}"
        ),
        Right(
            "Cart.items",
            "for i = 1, 2 do for _, x in ipairs(a) do local p = x.price if i > 1 then log.info(p:upper()) end x.price = 'x' end end return {}"
        ),
        Right(
            "Cart.split",
            "local t = {n = a} while t.n < 10 do t.n = t.n + 1 if t.n == 10 then return b end end return a"),
        Right("Cart.raw", "if a.n == 0 then a.n = 1 if a.n == 1 then return b end end return original(a, b)"),
        Right("Cart.raw", "original(a, b) a.price = 5 return original(a, b)"),
        Right(
            "Cart.pay",
            "local x, y = a.card or {}, {kind = 'x'} if (x.kind or y.kind) == 'x' then return 1 end if (x.name or y.kind) == 'x' then return 3 end return 4"
        ),
        // Calls that may return, and calls that never do.
        Right(
            "Cart.total",
            "local fail if a > 5 then fail = error else fail = log.warn end fail('x') log.info('y') return original(a, b)"
        ),
        Right(
            "Cart.total", "if a > 0 then return original(a, b) end fail('negative')",
            before: "local function fail(text) host.throw(text, 400) end"),
        Right(
            "Cart.total", "if a <= 0 then fail('negative') else return original(a, b) end",
            before: "function fail(text) error(text) end"),
        Right(
            "Cart.total", "if a > 0 then return a end return reject(a)",
            before: "local function fail(x) error(x) end local function reject(x) fail(x) end"),
        Right(
            "Cart.split",
            "local done, r = false, 0 if a > 5 then r = original(a, b) done = true end if not done then r = original(a, b) end return r"
        ),
        Right(
            "Cart.total", "local r if b ~= 1 then fail('x') else r = 5 end return r",
            before: "function fail(x) error(x) end"),
        // Values that may be nil, but are not.
        Right("Cart.opt", "if a == 5 then return a * 2 end return 0"),
        Right("Cart.opt", "local has = a ~= nil if has then return a * 2 end return 0"),
        Right("Cart.opt", "if a == b then return 0 end return a and a * 2 or 0"),
        Right("Cart.opt", "if rawequal(a, nil) then return 0 end return a * 2"),
        Right("Cart.opt", "local function f() return a * 2 + tonumber(b or '5') end if a then return f() end return 0"),
        Right(
            "Cart.label", "local key, value = a:match('(%w+)=(%w+)') if not value then return b end return key:upper()"),
        Right("Cart.label", "local from, to = a:find('x') if to then return a:sub(1, from - 1) end return b"),
        Right("Cart.label", "if a == '' then return b end return a:match('^.'):upper()"),
        Right(
            "Cart.label", "if a:sub(1, 1) == '#' then return original(a:match('^#(.*)$'), b) end return original(a, b)"),
        Right("Cart.parse", "local n = tonumber(a) local bad = not n if bad then return 0 end return n * 2"),
        Right(
            "Cart.parse", "local n = tonumber(a) if not valid(n) then return 0 end return n * 2",
            before: "local function valid(x) return x ~= nil and x > 0 end"),
        Right(
            "Cart.parse", "if numeric(a) then return tonumber(a) * 2 end return 0",
            before: "local function numeric(s) return s:match('^%d+$') ~= nil end"),
        Right("Cart.parse", "if a == '1' or a == '2' then return tonumber(a) * 2 end return 0"),
        Right(
            "Cart.parse",
            "local ok, v = pcall(function() return tonumber(a) * 2 end) if ok then return v end return 0"),
        Right("Cart.parse", "local ok, v = pcall(function() return a + 0 end) return ok and v or 0"),
        Right("Cart.parse", "if a:match('^%d+$') then return a + 0 end return 0"),
        Right(
            "Cart.label",
            "local map = {x = 'y'} local word = a:match('%w+') if map[word] then return word .. map[word] end return b"),
        Right("Cart.pay", "if b:hasOwner() then return #b:owner() end return 0"),
        Right(
            "Cart.split", "if b == 1 or b == 2 then return discount(b) end return original(a, b)",
            before: "local function discount(x) if x == 1 then return 10 elseif x == 2 then return 5 end end"),
        Right(
            "Cart.total", "return show('number', a)",
            before: "local function show(kind, x) if kind == 'list' then return #x end return x * 2 end"),
        Right("Cart.opt", "local t = {a, b} if #t < 2 then return 0 end return a * #b"),
        Right("Cart.opt", "if tostring(a) == 'nil' then return 0 end return a * 2"),
        Right(
            "Cart.pay",
            "local card = a.card local kind = card and card.kind if not kind then return 0 end return #card.kind"
        ),
        Right("Cart.pay", "if not a.card then a.card = {kind = 'x'} end return #a.card.kind"),
        Right("Cart.find", "return original(a) or original('x')"),
        Right("Cart.parse", "local code if a == '' then code = 0 else code = a:byte(1) end return code"),
        Right("Cart.label", "local s if a == '' then s = b else s = utf8.len(a) end return tostring(s)"),
        // Results of metamethods, and a part of a list.
        Right(
            "Cart.total", "if make(a) - make(b) then return a end return b",
            before:
                "local M = {} M.__sub = function(x, y) return x.v > y.v and x or nil end local function make(v) return setmetatable({v = v}, M) end"
        ),
        Right("Cart.label", "return table.concat({a, {}, b}, ', ', 3)"),
        // A table of the script that is also in a global, in an upvalue, among keys, or the object of a method.
        Right(
            "Cart.split",
            "local out local function fix() out.n = 5 end local t = {n = 'x'} out = t fix() return t.n + a"),
        Right(
            "Cart.split", "local t = {n = 'x'} local u = {[t] = 1} for k in pairs(u) do k.n = 5 end return t.n + a"),
        Right("Cart.split", "local t = {n = 'x'} function t:f() self.n = 5 end t:f() return t.n + a"),
        // A field that the script removes again, and fields with a name from a variable.
        Right("Cart.find", "local t = {extra = 1, price = 1, cents = 1} t.extra = nil return t"),
        Right(
            "Cart.items",
            "local k = 'rank' for i, x in ipairs(a) do x[k] = i end for _, x in ipairs(a) do log.info(x.rank) end return a"
        ),
        // Quotients that are whole.
        Right("Cart.split", "if a == 4 then return a / 2 end return a"),
        Right("Cart.split", "for i = 2, 10, 2 do log.info(string.format('%d', i / 2)) end return a"),
        Right("Cart.split", "return a * (a + 1) / 2"),
        Right("Cart.split", "if a & 1 == 0 then return original(a / 2, b) end return original(a, b)"),
        Right(
            "Cart.split", "if even(a) then return original(a / 2, b) end return original(a, b)",
            before: "local function even(n) return n % 2 == 0 end"),
        Right("Cart.split", "if a // 2 * 2 == a then return original(a / 2, b) end return original(a, b)"),
        Right("Cart.marks", "local s, n = 0, 0 for _, v in ipairs({2, 4}) do s = s + v n = n + 1 end return {s / n}"),
    ]

    @Test(arguments: rights) func noFalseAlarms(_ right: Right) {
        let mistake = Mistake(right.name, "", .operand, before: right.before, right: right.body)
        let alarms = findings(mistake, right.body).map { "\($0.line) \($0.code): \($0.message)" }
        #expect(alarms == [], "\(right.body)")
    }
}
