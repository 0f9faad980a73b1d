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
    func anythingElseIsNoVersion(text: String) {
        #expect(AppVersion(text) == nil)
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
    func anythingElseIsNoRange(text: String) {
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
    func anythingElseIsNoMoment(text: String) {
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
}
