import PatchCrypto
import TestSupport
import Testing

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
        "２7-01-01T00:00:00Z", "２027-01-01T00:00:00Z",
    ])
    func timestampWrongTextIsNil(text: String) {
        #expect(Timestamp(text) == nil)
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
}
