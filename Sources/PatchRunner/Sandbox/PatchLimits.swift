/// What a patch may use; a host may set each limit.
///
/// A run that goes past its fuel, its memory or its time is ended, whatever the script does about it, and the call is answered
/// by the original. Reading a script's values and writing them for it is the script's work too. A limit below its least value counts
/// as that, and one above its largest as the largest.
public struct PatchLimits: Sendable {
    /// Bytes of one script's source: 65,536. Compiling is not metered.
    public var sourceBytes = 64 * 1024
    /// Instructions of Lua, and what the library's functions charge for their work, while a patch loads: 1,000,000.
    public var loadFuel = 1_000_000
    /// The same for one call: 1,000,000.
    public var callFuel = 1_000_000
    /// How long a patch may load: 1 second.
    public var loadTime = Duration.seconds(1)
    /// How long Lua may work in one call, the host's functions not counted: 50 milliseconds.
    public var callTime = Duration.milliseconds(50)
    /// Bytes that a patch may hold after a collection: 8 MiB.
    public var memory = 8 << 20
    /// Bytes that it may hold at any moment: 32 MiB.
    public var peakMemory = 32 << 20
    /// After how many instructions fuel, time and memory are looked at: 1,000; from 1 to 10,000. It looks more often once there are
    /// large blocks.
    public var instructionsPerCheck = 1000
    /// How often the original runs in one call: once.
    public var originalCalls = 1
    /// Replacements of one patch: 256; at most 10,000.
    public var replacements = 256
    /// Bytes of a string that a script makes, is given or answers with: 1 MiB. Comparing two of that length is one instruction, and
    /// takes up to 8 milliseconds.
    public var stringBytes = 1 << 20
    /// How deep the tables that a script answers with are nested: 16; at most 200.
    public var tableDepth = 16
    /// Elements of all tables of an answer: 100,000.
    public var tableElements = 100_000
    /// Bytes that a patch may log in a minute: 65,536.
    public var logBytesPerMinute = 64 * 1024
    /// How many failures within ``failureWindow`` take a patch out: 5. With `Int.max` none do.
    public var failures = 5
    /// The time in which failures are counted: 60 seconds.
    public var failureWindow = Duration.seconds(60)
    /// How long a call waits for a patch that another thread runs, before the original answers: 100 milliseconds. It waits longer while
    /// no call of the others takes a tenth of that, because its turn comes.
    public var lockTime = Duration.milliseconds(100)
    /// Bytes of C stack that a thread must have free to load or run a patch: 512 KiB; 384 KiB on Apple's systems, whose threads have 512.
    public var stackBytes: Int
    /// How many calls of one patch may be nested in each other: 64; from 1 to 1,000.
    public var callDepth = 64
    /// How many asynchronous calls of one patch may wait at a time, for their original or for `host.call`: 1,000. The original answers
    /// the others.
    public var waitingCalls = 1000

    /// The defaults.
    public init() {
        #if canImport(Darwin)
            stackBytes = 384 * 1024
        #else
            stackBytes = 512 * 1024
        #endif
    }
}
