/// A day of the Gregorian calendar, from the year 1 on.
///
/// Years are counted from March, so that a leap day is the last day of its year. Four hundred years have 146,097 days,
/// and 1970 began 719,468 days after the March of the year 0.
@frozen package struct CivilDate {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    @inlinable package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Makes the date of a day that is this many days after 1970-01-01.
    package init(daysSince1970: Int) {
        let (era, ofEra) = (daysSince1970 + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let march = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let inYear = ofEra - (365 * march + march / 4 - march / 100)
        let sinceMarch = (5 * inYear + 2) / 153
        day = inYear - (153 * sinceMarch + 2) / 5 + 1
        month = sinceMarch < 10 ? sinceMarch + 3 : sinceMarch - 9
        year = era * 400 + march + (month <= 2 ? 1 : 0)
    }

    /// How many days it is after 1970-01-01; negative if it is before.
    @inlinable package var daysSince1970: Int {
        let (era, march) = (month <= 2 ? year - 1 : year).quotientAndRemainder(dividingBy: 400)
        let inYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + march * 365 + march / 4 - march / 100 + inYear - 719_468
    }
}
