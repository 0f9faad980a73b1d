internal import CLuaBridge

/// The limits of a patch. A host may set each of them.
///
/// A run that goes past its limit of fuel, memory or time is ended, whatever the script does about it, and the original
/// answers the call. Reading a script's values and writing values for it count as the script's work. A limit below its
/// smallest value counts as the smallest, and one above its largest value as the largest.
public struct PatchLimits: Sendable {
    /// Bytes of one script's source: 65,536. Compiling it takes fuel, a unit for each byte, and time.
    public var sourceBytes = 64 * 1024
    /// Lua instructions, and the fuel that the library's functions charge for their work, while a patch loads:
    /// 1,000,000.
    public var loadFuel = 1_000_000
    /// The same for one call: 1,000,000.
    public var callFuel = 1_000_000
    /// Processor time of the thread while a patch loads: 1 second. A run that waits for the processor, as under a
    /// quota, continues until it has taken 20 times its limit.
    public var loadTime = Duration.seconds(1)
    /// The same for one call, without the host's functions: 50 milliseconds. A call that waited too long is a failure,
    /// but does not count towards ``failures``.
    public var callTime = Duration.milliseconds(50)
    /// Bytes that an instance of a patch may hold after a garbage collection: 8 MiB.
    public var memoryBytes = 8 << 20
    /// Bytes that all instances of a patch may hold at any moment: 32 MiB.
    public var peakMemoryBytes = 32 << 20
    /// After how many instructions fuel, time and memory are checked: 1,000; from 1 to 10,000. They are checked more
    /// often while there are large blocks.
    package var instructionsPerCheck = 1000
    /// How often the original may run in one call: once.
    public var originalCalls = 1
    /// Replacements of one patch: 256; at most 10,000.
    public var replacements = 256
    /// Bytes of a string that a script makes, receives or returns: 1 MiB. Comparing two strings of that length is one
    /// instruction, and takes up to 8 milliseconds.
    public var stringBytes = 1 << 20
    /// How deep the tables of an answer may be nested: 16; at most 200.
    public var tableDepth = 16
    /// Elements of all tables of an answer: 100,000.
    public var tableElements = 100_000
    /// Bytes that a patch may log in a minute: 65,536. With 0, the events of its failures have no text of the script
    /// either.
    public var logBytesPerMinute = 64 * 1024
    /// After how many failures within ``failureWindow`` a replacement is skipped: 5. With `Int.max` none is.
    public var failures = 5
    /// The time in which failures are counted: 60 seconds.
    public var failureWindow = Duration.seconds(60)
    /// How long a replacement that has failed too often is skipped until a call tries its script again: 60 seconds.
    /// Each try that fails doubles the pause, up to an hour. After three in a row that succeed, it runs as before.
    public var breakerPause = Duration.seconds(60)
    /// How many calls of a function are compared in a second with what a patch in shadow answers: 10; with `Int.max`
    /// all.
    public var shadowCallsPerSecond = 10
    /// Bytes of a string, of a key and of an error's message that the example of a difference shows: 0, which shows
    /// types and sizes.
    public var shadowTextBytes = 0
    /// How many instances of a patch there may be: as many as the process may use processors, at most 16. Each is a Lua
    /// state that has loaded the script. One is made when a call finds the others taken, and kept until the patch ends.
    /// A patch with `instances: 1` in its manifest has one.
    public var instances = min(Int(pp_processors()), Int(PP_INSTANCES))
    /// How long a call waits while no other call gets an instance of the patch, before the original answers: 100
    /// milliseconds. As long as others get one, its turn will come.
    public var lockTime = Duration.milliseconds(100)
    /// The longest time that a call waits for an instance: 30 seconds.
    public var waitTime = Duration.seconds(30)
    /// Bytes of C stack that a thread must have free to load or run a patch: 512 KiB. On Apple's systems it is 384 KiB,
    /// because their threads have 512.
    package var stackBytes: Int
    /// How many calls of one patch may be nested: 64; from 1 to 1,000.
    public var callDepth = 64
    /// How many asynchronous calls of one patch may wait at a time, for their original, for `host.call` or for an
    /// instance: 100,000. The original answers further calls.
    public var waitingCalls = 100_000

    /// Makes the default limits.
    public init() {
        #if canImport(Darwin)
            stackBytes = 384 * 1024
        #else
            stackBytes = 512 * 1024
        #endif
    }
}
