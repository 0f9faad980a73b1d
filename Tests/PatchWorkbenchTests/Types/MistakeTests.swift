import PatchCrypto
import TestSupport
import Testing

@testable import PatchRunner
@testable import PatchWorkbench

/// Mistakes that people make in patches, and what they meant. Each is found at its line, and what was meant is not.
@Suite(.ownThreads) struct MistakeTests {
    struct Mistake: Sendable {
        /// The function that is replaced by `function(original, a, b) … end`.
        let name: String
        /// What stands before the replacement.
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
                    methods: [function("balance", ["integer"], "integer"), function("owner", [], "string or nil")])
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
    ]

    @Test(arguments: answers) func answersOfDeclaredTypes(_ mistake: Mistake) { check(mistake) }

}
