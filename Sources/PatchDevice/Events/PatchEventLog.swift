internal import Libc
public import PatchCrypto
internal import PatchFiles
public import PatchRunner
internal import PatchText
internal import Synchronization

/// A log of patch events in a folder: a line of JSON for each, in files that are bounded in size, number and age.
///
/// ``PatchDevice`` makes its own log. For a runner without a device:
///
///     let log = PatchEventLog(folder: "…/events", resource: EventResource(host: host, installation: installation))
///     let runner = PatchRunner(registry: registry, host: host) { log.record(PatchEvent($0)) }
///
/// An event that happens again within a minute is counted. It is written once with its count, with the first call after
/// that minute. A line is written with one call, so another program can follow the files. Several processes may log to
/// one folder.
public final class PatchEventLog: Sendable {
    /// How much is kept.
    public struct Limits: Sendable {
        /// The most bytes of a file. A longer line has a file of its own.
        public var fileBytes = 256 << 10
        /// The most files. The oldest is removed.
        public var files = 8
        /// The time after which the next file is started.
        public var fileAge = Duration.seconds(24 * 3600)
        /// The time after which a file is removed.
        public var age = Duration.seconds(14 * 24 * 3600)

        /// 2 MiB and two weeks.
        public init() {}
    }

    /// The calls of a registry that were written.
    private struct RegistryCalls {
        /// nil once it is gone. Another registry may have its identifier then.
        weak var registry: PatchRegistry?
        var counter = CallCounter()
    }

    private struct Memory {
        var resource: EventResource
        var files: EventFolder
        var repeats = EventDeduplicator<PatchEvent>(milliseconds: 60_000)
        /// The calls that were written, by registry.
        var calls: [ObjectIdentifier: RegistryCalls] = [:]
        var error: PatchError?

        /// Writes an event as a line. A fault is kept, because the code that reports events cannot handle it.
        mutating func write(_ event: EventRecord, at now: Int) {
            let timestamp = Timestamp(nearestTo: now / 1000).text(withMilliseconds: now % 1000)
            let context: EventRecord.Members = [(.timestamp, .string(timestamp)), (.resource, resource.json)]
            do throws(PatchError) {
                try files.append(Array(event.boundedLine(context).utf8), at: now)
                self.error = nil
            } catch {
                self.error = error
            }
        }

        /// Writes the counts of repeated events: of all, or of those whose minute is over.
        mutating func writeRepeats(at now: Int, all: Bool) {
            for event in repeats.take(at: all ? nil : now) { write(event.record, at: now) }
        }
    }

    private let memory: Mutex<Memory>
    private let clock: @Sendable () -> Int

    /// Opens a log. The folder is made with the first event.
    ///
    /// - Parameters:
    ///   - folder: The folder's path.
    ///   - resource: The description of the device in each line.
    ///   - limits: How much is kept.
    public convenience init(folder: String, resource: EventResource, limits: Limits = Limits()) {
        self.init(folder: folder, resource: resource, limits: limits, milliseconds: nil)
    }

    /// Opens a log.
    ///
    /// - Parameter milliseconds: Returns the milliseconds since 1970; nil for the system's clock.
    package init(
        folder: String, resource: EventResource, limits: Limits = Limits(), milliseconds: (@Sendable () -> Int)?
    ) {
        memory = Mutex(Memory(resource: resource, files: EventFolder(path: Path(folder).absolute, limits: limits)))
        clock = milliseconds ?? { WallClock.milliseconds }
    }

    deinit {
        let now = now
        memory.locked { $0.writeRepeats(at: now, all: true) }
    }

    /// The milliseconds since 1970, limited to the years 1970 to 9999.
    private var now: Int { max(0, min(clock(), EventFolder.latest)) }

    /// The description of the device in each line. It may change while the app runs.
    public var resource: EventResource {
        get { memory.locked { $0.resource } }
        set { memory.locked { $0.resource = newValue } }
    }

    /// Changes the description of the device in one step.
    func changeResource(_ change: (inout EventResource) -> Void) { memory.locked { change(&$0.resource) } }

    /// Why the last event could not be written, or the files could not be flushed after it; nil if neither failed.
    public var error: PatchError? { memory.locked { $0.error } }

    /// Writes an event, or counts it if it was written less than a minute ago.
    ///
    /// - Parameter event: The event. Wrap an event of a runner: `PatchEvent(event)`.
    public func record(_ event: PatchEvent) {
        let now = now
        memory.locked { memory in
            memory.writeRepeats(at: now, all: false)
            // The failed syncs before a sync are written before it.
            if case .synced = event.kind {
                for failed in memory.repeats.take(named: EventRecord.Name.syncFailed.rawValue) {
                    memory.write(failed.record, at: now)
                }
            }
            guard memory.repeats.add(event, at: now) else { return }
            memory.write(event.record, at: now)
        }
    }

    package func record(_ kind: PatchEvent.Kind) { record(PatchEvent(kind)) }

    /// Writes call statistics, for a simulated fleet.
    package func record(_ entry: CallCounter.Entry) {
        let now = now
        memory.locked { memory in
            memory.writeRepeats(at: now, all: false)
            memory.write(entry.record, at: now)
        }
    }

    /// Writes the call statistics of the active patches since the last call of this method, and the counts of repeated
    /// events whose minute is over. Call it when the app goes to the background, and from time to time: reports need
    /// the statistics for failure rates.
    ///
    /// - Parameter registry: The functions that patches replace.
    public func recordCalls(of registry: PatchRegistry) {
        let now = now
        let live = memory.locked { memory in
            memory.writeRepeats(at: now, all: false)
            let live = memory.calls.values.compactMap(\.registry)
            memory.calls = memory.calls.filter { $0.value.registry != nil }
            let key = ObjectIdentifier(registry)
            let entries = memory.calls[key, default: RegistryCalls(registry: registry)].counter.next(of: registry)
            for entry in entries { memory.write(entry.record, at: now) }
            return live
        }
        // If the last reference to a registry was here, it ends now, and not under the lock.
        withExtendedLifetime(live) {}
    }

    /// Writes the counts of repeated events, and flushes the files to the disk.
    public func flush() {
        let now = now
        memory.locked { memory in
            memory.writeRepeats(at: now, all: true)
            do throws(PatchError) { try memory.files.flush() } catch { memory.error = error }
        }
    }
}

extension EventRecord {
    /// The length in bytes above which a line is cut. The context is never cut: a line may be longer by many groups.
    private static let longest = 16 << 10

    /// The event's line. If it would be too long, its only attributes are the patch, `event.cut` and the count.
    fileprivate func boundedLine(_ context: EventRecord.Members) -> String {
        let line = line(context)
        return line.utf8.count <= Self.longest ? line : self.line(context, isCut: true)
    }
}

extension Timestamp {
    /// The moment with milliseconds, from 0 to 999, in three digits: `2026-11-22T11:20:00.123Z`.
    fileprivate func text(withMilliseconds milliseconds: Int) -> String {
        description.dropLast() + "." + String(1000 + milliseconds).dropFirst() + "Z"
    }
}
