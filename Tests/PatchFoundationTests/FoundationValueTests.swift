import Foundation
import PatchCrypto
import PatchFoundation
import PatchLint
import PatchRunner
import PatchTesting
import TestSupport
import Testing

/// Foundation's values in scripts.
@Suite(.ownThreads) struct FoundationValueTests {
    /// All of them as fields.
    struct Order: Equatable, Sendable, PatchStruct {
        var id: UUID
        var page: URL
        var made: Date
        var note: Data
        var total: Decimal
        var paid: Date?

        static let patchFields = PatchFields(
            Order.init, .field("id", \.id), .field("page", \.page), .field("made", \.made), .field("note", \.note),
            .field("total", \.total), .field("paid", \.paid))

        static let sample = Order(
            id: UUID(), page: url, made: Date(timeIntervalSince1970: 1_800_000_000.25), note: Data([0, 255, 10]),
            total: price, paid: nil)
    }

    /// All of them as members.
    struct Coded: Codable, Equatable, Sendable, PatchValue {
        var id: UUID
        var made: Date
        var page: URL
        var note: Data
        var total: Decimal
    }

    private static let url = URL(string: "https://example.com/a%20b?q=1#f") ?? URL(filePath: "/")
    private static let price = Decimal(1999) / 100
    private static let id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID()
    private let bench: PatchTestHost

    init() throws { bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1") }

    /// Installs a patch that returns an expression of `v`, the argument.
    private func answer(_ name: String, _ expression: String) throws {
        try bench.install(
            source: """
                -- @patch com.example.shop.\(name.lowercased().replacing(".", with: "-"))
                -- @version 1
                -- @app com.example.shop
                -- @replaces \(name)
                patch.replace("\(name)", function(original, v) return \(expression) end)
                """)
    }

    /// A script's result for a value.
    private func answer<Value: PatchValue & Sendable, Answer: PatchValue & Sendable>(
        to value: Value, _ expression: String, otherwise: Answer
    ) throws -> Answer {
        let function = try bench.registry.replaceable("T.f") { (_: Value) -> Answer in otherwise }
        try answer("T.f", expression)
        return function(value)
    }

    @Test(arguments: [
        ("v", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), ("v:lower()", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"),
        ("type(v)", "string"),
    ])
    func scriptSeesUUID(_ expression: String, _ seen: String) throws {
        #expect(try answer(to: Self.id, expression, otherwise: "") == seen)
    }

    @Test(arguments: ["v", "v:lower()", "v:upper()"])
    func uuidComesBack(_ expression: String) throws {
        #expect(try answer(to: Self.id, expression, otherwise: UUID()) == Self.id)
    }

    @Test func randomUUIDsAreAsFoundationHasThem() throws {
        let ids = (0..<500).map { _ in UUID() }
        #expect(try answer(to: ids, "v", otherwise: [String]()) == ids.map(\.uuidString))
        let back = try bench.registry.replaceable("T.back") { (_: [String]) -> [UUID] in [] }
        try answer("T.back", "v")
        #expect(back(ids.map(\.uuidString)) == ids)
    }

    @Test func scriptSeesSecondsSince1970() throws {
        let date = Date(timeIntervalSince1970: 1_800_000_000.5)
        let seen = try answer(to: date, "v", otherwise: 0.0)
        #expect(seen == 1_800_000_000.5, "\(seen): \(bench.events)")
    }

    @Test(arguments: [
        ("v + 86400", 1_800_086_400.5), ("0", 0.0), ("-62135596800", -62_135_596_800),
        ("253402300799", 253_402_300_799),
    ])
    func dateComesBack(_ expression: String, _ seconds: Double) throws {
        let date = Date(timeIntervalSince1970: 1_800_000_000.5)
        #expect(try answer(to: date, expression, otherwise: .distantPast) == Date(timeIntervalSince1970: seconds))
    }

    /// The first date and the last one of Foundation stand for "never" in many apps.
    @Test(arguments: [Date.distantPast, .distantFuture]) func sentinelDatePasses(_ date: Date) throws {
        #expect(try answer(to: date, "v", otherwise: Date(timeIntervalSince1970: 0)) == date)
    }

    @Test func datePassesWithinAMicrosecond() throws {
        let dates = (0..<500).map { _ in Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9)) }
        let back = try answer(to: dates, "v", otherwise: [Date]())
        #expect(back.count == dates.count)
        #expect(zip(back, dates).allSatisfy { abs($0.timeIntervalSince($1)) < 1e-6 })
    }

    @Test func scriptSeesBytesOfData() throws {
        let data = Data([0, 255, 10, 0x41])
        #expect(try answer(to: data, "v .. 'z'", otherwise: Data()) == data + Data([0x7A]))
        #expect(bench.failures.isEmpty)
    }

    @Test func scriptSeesTextOfURL() throws {
        #expect(try answer(to: Self.url, "v", otherwise: "") == "https://example.com/a%20b?q=1#f")
        let relative = URL(string: "b", relativeTo: Self.url)!
        let page = try bench.registry.replaceable("T.page") { (_: URL) -> URL in Self.url }
        try answer("T.page", "v .. '/c'")
        #expect(page(relative) == URL(string: "https://example.com/b/c"))
    }

    // MARK: decimals

    @Test(arguments: [
        ("v", "19.99"), ("v * 3", "59.97"), ("0.1 + 0.2", "0.3"), ("100", "100"), ("-v", "-19.99"), ("0.0", "0"),
        ("-0.0", "0"), ("9007199254740993", "9007199254740993"), ("1e300 / 1e299", "10"), ("1e-7", "0.0000001"),
        ("1.5e120", "1.5e120"), ("999999.999999999", "999999.999999999"), ("0.9999999999999999", "1"),
        ("2^62", "4611686018427390000"), ("1 << 62", "4611686018427387904"), ("1 / 3", "0.333333333333333"),
        ("2 / 3", "0.666666666666667"),
    ])
    func decimalComesBack(_ expression: String, _ expected: String) throws {
        #expect(try answer(to: Self.price, expression, otherwise: -1) == Decimal(string: expected))
        #expect(bench.failures.isEmpty)
    }

    @Test func decimalsOfFifteenDigitsPass() throws {
        let decimals = (0..<2000).map { count in
            Decimal(
                sign: count.isMultiple(of: 2) ? .plus : .minus, exponent: .random(in: -40...40),
                significand: Decimal(
                    Int64.random(in: 0...999_999_999_999_999) / [1, 1000, 1_000_000_000].randomElement()!))
        }.filter { !$0.isNaN }
        #expect(decimals.count > 1900)
        let back = try answer(to: decimals, "v", otherwise: [Decimal]())
        #expect(back.count == decimals.count)
        #expect(zip(back, decimals).first { $0 != $1 } == nil, "\(bench.failures)")
    }

    /// A decimal whose exponent cannot be larger ends in zeros.
    @Test(arguments: ["1e127", "1e128", "-1.5e128", "123456789012345e127", "1e142", "-2e165"])
    func decimalAboveTheLargestExponentComesBack(_ number: String) throws {
        let decimal = try answer(to: 1, number, otherwise: Decimal(-1))
        let isSame = try bench.registry.replaceable("T.same") { (_: Decimal) -> Bool in false }
        try answer("T.same", "v == \(number)")
        #expect(isSame(decimal), "\(decimal): \(bench.failures)")
        let back = try bench.registry.replaceable("T.back") { (_: Decimal) -> Decimal in -1 }
        try answer("T.back", "v")
        #expect(back(decimal) == decimal && bench.failures.isEmpty, "\(bench.failures)")
    }

    @Test(arguments: ["1234567890.1234567", "0.3333333333333333", "nan"])
    func decimalThatScriptsCannotHoldIsNotPassed(_ text: String) throws {
        let decimal = Decimal(string: text) ?? .nan
        #expect(try answer(to: decimal, "v", otherwise: "original") == "original")
        #expect(bench.failures.first?.failure.message == "\(decimal) is not a decimal of at most 15 significant digits")
    }

    // MARK: refused values

    @Test(arguments: [
        ("'abc'", "wrong result: expected UUID, got abc"), ("1", "wrong result: expected string, got integer"),
        ("v:gsub('-', '_')", "wrong result: expected UUID, got E621E1F8_C36C_495A_93FC_0C247A3E6E5F"),
        ("v:gsub('E', 'G')", "wrong result: expected UUID, got G621G1F8-C36C-495A-93FC-0C247A3G6G5F"),
        ("v .. ' '", "wrong result: expected UUID, got E621E1F8-C36C-495A-93FC-0C247A3E6E5F "),
        ("'\\u{FF11}' .. v:sub(4)", "wrong result: expected UUID, got \u{FF11}1E1F8-C36C-495A-93FC-0C247A3E6E5F"),
        ("nil", "wrong result: expected string, got nil"),
    ])
    func uuidWrongResultOriginalAnswers(_ expression: String, _ message: String) throws {
        let original = UUID()
        #expect(try answer(to: Self.id, "(\(expression))", otherwise: original) == original)
        #expect(bench.failures.map(\.failure.message) == [message])
    }

    @Test(arguments: [
        ("'a b'", "wrong result: expected URL, got a b"), ("''", "wrong result: expected URL, got "),
        ("1", "wrong result: expected string, got integer"),
        ("('a'):rep(65537)", "wrong result: expected URL, got \(String(repeating: "a", count: 128))"),
        ("'\\xFF'", "wrong result: expected URL, got \u{FFFD}"),
    ])
    func urlWrongResultOriginalAnswers(_ expression: String, _ message: String) throws {
        #expect(try answer(to: 1, expression, otherwise: Self.url) == Self.url)
        #expect(bench.failures.map(\.failure.message) == [message])
    }

    @Test(arguments: [
        ("253402300800", "expected a Date from the year 1 to 9999, got 253402300800.0 seconds since 1970"),
        ("-62135769601", "expected a Date from the year 1 to 9999, got -62135769601.0 seconds since 1970"),
        ("1e300", "expected a Date from the year 1 to 9999, got 1e+300 seconds since 1970"),
        ("'today'", "expected number, got string"),
    ])
    func dateWrongResultOriginalAnswers(_ expression: String, _ message: String) throws {
        #expect(try answer(to: 1, expression, otherwise: Date.distantPast) == .distantPast)
        #expect(bench.failures.map(\.failure.message) == ["wrong result: " + message])
    }

    @Test(arguments: [
        ("1e300", "expected Decimal, got 1e+300"), ("4e165", "expected Decimal, got 4e+165"),
        ("1.25e-130", "expected Decimal, got 1.25e-130"),
        ("'19.99'", "expected number, got string"), ("0/0", "expected a finite number, got"),
    ])
    func decimalWrongResultOriginalAnswers(_ expression: String, _ message: String) throws {
        #expect(try answer(to: 1, expression, otherwise: Self.price) == Self.price)
        #expect(bench.failures.map(\.failure.message).first?.hasPrefix("wrong result: " + message) == true)
    }

    /// A script may return such a number if it was given it.
    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func decimalAndDateNumberNotFiniteOriginalAnswers(_ number: Double) throws {
        #expect(try answer(to: number, "v", otherwise: Self.price) == Self.price)
        let date = try bench.registry.replaceable("T.date") { (_: Double) -> Date in .distantFuture }
        try answer("T.date", "v")
        #expect(date(number) == .distantFuture)
        #expect(bench.failures.count == 2)
    }

    // MARK: in other values

    @Test func patchStructFoundationFieldsComeBack() throws {
        #expect(try answer(to: Order.sample, "v", otherwise: Order?.none) == Order.sample)
        #expect(bench.failures.isEmpty)
    }

    @Test func codableFoundationMembersComeBack() throws {
        let coded = Coded(
            id: Self.id, made: Date(timeIntervalSince1970: 5), page: Self.url, note: Data([1]), total: Self.price)
        #expect(try answer(to: coded, "v", otherwise: Coded?.none) == coded)
        let made = try bench.registry.replaceable("T.made") { (_: Coded) -> Double in 0 }
        try answer("T.made", "v.made")
        #expect(made(coded) == 5)
    }

    @Test func dictionaryUuidKeysComeBack() throws {
        let table = [Self.id: 1, UUID(): 2]
        #expect(try answer(to: table, "v", otherwise: [UUID: Int]()) == table)
    }

    @Test func interfaceSaysWhatScriptsSee() throws {
        _ = try bench.registry.replaceable("T.order") { (order: Order) -> Order in order }
        let interface = bench.registry.interface(of: try HostInfo(app: "com.example.shop", version: "2.3.1"))
        #expect(
            interface.scalars.map { "\($0.name) \($0.type)" }
                == ["Data string", "Date number", "Decimal number", "URL string", "UUID string"])
        #expect(
            interface.structs.first?.fields.map(\.type) == ["UUID", "URL", "Date", "Data", "Decimal", "Date or nil"])
        let stubs = interface.stubs
        for alias in ["---@alias UUID string", "---@alias Date number", "---@alias Decimal number"] {
            #expect(stubs.contains(alias))
        }
    }
}
