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
        let expected = hint ?? "use a range such as '>=2.3.0 <2.5.0', or '*'"
        #expect(!wrong.fault.isEmpty && wrong.hint == expected)
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
