import PatchCrypto
import TestSupport
import Testing

@Suite(.ownThreads) struct VersionTests {
    @Test(arguments: [("1", "1.0.0.0"), ("10.1.68", "10.1.68.0"), ("2.3", "2.3.0"), ("0", "0.0")])
    func missingPartsCountAsZero(short: String, long: String) throws {
        #expect(try #require(AppVersion(short)) == #require(AppVersion(long)))
    }

    @Test(arguments: [("1.9", "1.10"), ("10.1.68", "10.1.68.52"), ("2", "10"), ("0.0.0.1", "0.0.1")])
    func numbersCompareAsNumbers(lower: String, higher: String) throws {
        #expect(try #require(AppVersion(lower)) < #require(AppVersion(higher)))
    }

    @Test(arguments: [
        "", ".", "1.", ".1", "1..2", "1.2.3.4.5", "01", "1.02", "-1", "+1", "1.a", "1 ", "2147483648", "١", "1.2-beta",
        "v1",
    ])
    func appVersionWrongTextIsNil(text: String) {
        #expect(AppVersion(text) == nil)
        #expect(AppVersion.fault(in: text)?.isEmpty == false)
    }

    @Test(arguments: [
        ("2.3.1-beta", "has \"-beta\" after its numbers"), ("2.3.1 (45)", "has \" (45)\" after its numbers"),
        ("v2.3.1", "does not begin with a number"), ("2.01", "has a number that begins with 0"),
        ("1.2.3.4.5", "has more than four numbers"), ("1..2", "has a dot without a number"), ("", "is empty"),
        ("2147483648", "has a number above 2147483647"),
    ])
    func appVersionFaultWrongTextNamesFault(text: String, fault: String) {
        #expect(AppVersion.fault(in: text) == fault)
        #expect(AppVersion.fault(in: "2.3.1") == nil)
    }

    @Test(arguments: [
        (">2.3.0 <2.3.0", true), (">=2.5.0 <2.3.0", true), ("=1 =2", true), (">2.3 <2.3.0.1", true), ("<0", true),
        (">2147483647.2147483647.2147483647.2147483647", true), ("=1 <1", true),
        (">1.2147483647 <1.2147483647.0.1", true),
        ("*", false), (">=2.3.0 <=2.3", false), ("=1 =1.0", false), (">2.3 <2.3.0.2", false), ("<=0", false),
        (">1.0.0.2147483647 <=1.0.1", false), (">=1 >2 <3 <9", false),
    ])
    func aRangeWithoutAVersionIsEmpty(range: String, isEmpty: Bool) throws {
        #expect(try #require(VersionRange(range)).isEmpty == isEmpty)
    }

    @Test(
        arguments: [
            ("^2.3", "write '>=2.3 <3'"), ("~2.3.1", "write '>=2.3.1 <2.4'"), ("3.x", "write '>=3 <4'"),
            ("2.3.*", "write '>=2.3 <2.4'"), ("~2", "write '>=2 <3'"), ("~2.3", "write '>=2.3 <2.4'"),
            ("^2.3.1", "write '>=2.3.1 <3'"), ("^0.2.3", "write '>=0.2.3 <0.3'"),
            ("^0.0.3", "write '>=0.0.3 <0.0.4'"), ("^0.0", "write '>=0.0 <0.1'"), ("^0", "write '>=0 <1'"),
            ("^2147483647", nil), ("~> 2.3", nil), ("2.3", nil),
            (">=2.3-rc", nil), (">=1  <2", nil),
        ] as [(String, String?)])
    func versionRangeFaultWrongTextSuggestsRange(text: String, hint: String?) throws {
        let wrong = try #require(VersionRange.fault(in: text))
        #expect(!wrong.fault.isEmpty && wrong.hint == hint ?? "use a range such as '>=2.3.0 <2.5.0', or '*'")
        #expect(VersionRange.fault(in: ">=2.3.0 <2.5.0") == nil)
    }

    @Test(arguments: [
        ("", "it is empty"), (">= 2.3", "a version must follow >=, without a space"),
        (">=1 <", "a version must follow <, without a space"), (">=1  <2", "one space must be between its parts"),
        (">=2.3-rc", "the version 2.3-rc has \"-rc\" after its numbers"), ("^2.3", "ranges have no ^"),
        ("2.3", "2.3 does not begin with >=, <=, >, < or ="),
    ])
    func versionRangeFaultWrongTextNamesFault(text: String, fault: String) {
        #expect(VersionRange.fault(in: text)?.fault == fault)
    }

    @Test(arguments: [
        ("2026-01-01", "has no time of day"), ("2026-01-01T00:00:00+01:00", "is not in UTC, which ends in Z"),
        ("2026-13-01T00:00:00Z", "is not an existing day or time of day"),
        ("2026-01-01T00:00:00", "has no Z at its end, for UTC"),
        ("soon", "is not a time"), ("", "is not a time"),
    ])
    func timestampFaultWrongTextNamesFault(text: String, fault: String) {
        #expect(Timestamp.fault(in: text) == fault)
        #expect(Timestamp.fault(in: "2026-01-01T00:00:00Z") == nil)
    }

    @Test(arguments: [
        ("*", "0", true), (">=2.3.0 <2.5.0", "2.3", true), (">=2.3.0 <2.5.0", "2.4.99", true),
        (">=2.3.0 <2.5.0", "2.5", false),
        (">=2.3.0 <2.5.0", "2.2.9.9", false), ("=10.1.68", "10.1.68.0", true), ("=10.1.68", "10.1.68.52", false),
        (">1", "1.0.0.1", true), (">1", "1", false), ("<=1", "1.0", true), ("<=1", "1.0.1", false),
        (">2 <1", "1.5", false),
    ])
    func everyComparisonMustHold(range: String, version: String, expected: Bool) throws {
        #expect(try #require(VersionRange(range)).contains(#require(AppVersion(version))) == expected)
    }

    @Test(arguments: [
        "", " ", "**", "1.0", ">=", ">=1  <2", " >=1", ">=1 ", "==1", "!=1", "~1", ">=1,<2", ">=1\t<2", "* *",
    ])
    func versionRangeWrongTextIsNil(text: String) {
        #expect(VersionRange(text) == nil)
    }
}

@Suite(.ownThreads) struct TimestampTests {
    @Test(arguments: [
        "0001-01-01T00:00:00Z", "1900-02-28T12:00:00Z", "2000-02-29T23:59:59Z", "2024-02-29T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ])
    func aMomentIsRead(text: String) {
        #expect(Timestamp(text)?.description == text)
    }

    @Test(arguments: [
        "", "2027-01-01", "2027-01-01T00:00:00", "2027-01-01t00:00:00z", "2027-01-01 00:00:00Z",
        "2027-01-01T00:00:00.0Z",
        "2027-01-01T00:00:00+00:00", "0000-01-01T00:00:00Z", "2027-13-01T00:00:00Z", "2027-00-01T00:00:00Z",
        "2027-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2027-04-31T00:00:00Z", "2027-01-00T00:00:00Z",
        "2027-01-01T24:00:00Z", "2027-01-01T00:60:00Z", "2027-01-01T00:00:60Z", "2027-1-01T00:00:00ZZ",
        "２027-01-01T00:00Z",
    ])
    func timestampWrongTextIsNil(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (1_795_168_799, "2026-11-20T09:59:59Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ])
    func posixTimeIsConverted(seconds: Int, text: String) {
        #expect(Timestamp(secondsSince1970: seconds)?.description == text)
    }

    @Test func timesOutsideTheYearsAreNone() {
        #expect(Timestamp(secondsSince1970: -1) == nil)
        #expect(Timestamp(secondsSince1970: 253_402_300_800) == nil)
    }

    /// Each day of four hundred years, at its first and its last second.
    @Test func aMomentIsTheSameBothWays() throws {
        var last = try #require(Timestamp("1969-12-31T23:59:59Z"))
        #expect(last.secondsSince1970 == -1)
        for day in 0..<146_097 {
            for second in [day * 86_400, day * 86_400 + 86_399] {
                let moment = try #require(Timestamp(secondsSince1970: second))
                guard moment.secondsSince1970 == second, last < moment, Timestamp(moment.description) == moment else {
                    Issue.record("\(second): \(moment)")
                    return
                }
                last = moment
            }
        }
        #expect(last.description == "2369-12-31T23:59:59Z")
        #expect(Timestamp("0001-01-01T00:00:00Z")?.secondsSince1970 == -62_135_596_800)
    }

    @Test func daysAreAddedUpToTheLastYear() throws {
        let moment = try #require(Timestamp("2024-02-28T01:02:03Z"))
        #expect(moment.adding(days: 2).description == "2024-03-01T01:02:03Z" && moment.adding(days: 0) == moment)
        let last = try #require(Timestamp("9999-12-30T00:00:00Z"))
        #expect(last.adding(days: 1).description == "9999-12-31T00:00:00Z" && last.adding(days: 2) == last)
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("Fri, 01 Jan 2027 00:00:00 GMT", "2027-01-01T00:00:00Z"),
            ("Wed, 30 Sep 2026 00:00:00 GMT", "2026-09-30T00:00:00Z"),
            ("Thu, 01 Oct 2026 00:00:00 GMT", "2026-10-01T00:00:00Z"),
            ("Thu, 31 Dec 2026 23:59:59 GMT", "2026-12-31T23:59:59Z"),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun Nov  6 08:49:37 1994", nil), ("", nil),
            ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sun, 06 Nov 1994 08:49:37 GMT x", nil),
            ("Sun, 31 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37", nil),
        ] as [(String, String?)])
    func aDateOfHTTPIsRead(text: String, moment: String?) {
        #expect(Timestamp.httpDate(text)?.description == moment)
    }

    @Test(arguments: [
        ("*", ">=2.0", true), (">=2.0", "*", false), (">=2.0", ">=2.0 <3", true), (">=2.0", ">2.0", true),
        (">2.0", ">=2.0", false), ("<3", "<=3", false), ("<=3", "<3", true), (">=1 <3", "=2.5.1", true),
        ("=2.5.1", ">=2.5.1 <=2.5.1", true), ("=2.5.1", ">=2.5", false), (">=3", ">=2 <1", true),
        ("<2147483647.2147483647.2147483647.2147483647", "*", false),
        ("<=2147483647.2147483647.2147483647.2147483647", "*", true),
    ]) func aRangeCoversAnother(range: String, other: String, isCovered: Bool) throws {
        #expect(try #require(VersionRange(range)).covers(#require(VersionRange(other))) == isCovered)
    }
}
