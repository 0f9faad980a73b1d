import Libc
import PatchCrypto

enum SystemClock {
    /// The current time.
    ///
    /// - Throws: `config` if the clock is before 1970 or after the year 9999.
    static func now() throws(PatchError) -> Timestamp {
        guard let now = Timestamp(secondsSince1970: time(nil)) else {
            throw PatchError(.config, "this machine's clock is wrong", hint: "set the clock")
        }
        return now
    }
}
