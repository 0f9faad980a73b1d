internal import Dispatch
internal import Libc
internal import Synchronization

/// Adds lines of events to a report. Several threads parse them, and one at a time counts them.
///
/// ``report()`` must be called at the end, because it ends the threads.
package final class EventLines: Sendable {
    /// A buffer for lines.
    @safe struct Buffer: Sendable {
        static let size = 1 << 20

        nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
        /// The range of its whole lines.
        var lines = 0..<0

        fileprivate init() { unsafe bytes = .allocate(byteCount: Self.size, alignment: 1) }
    }

    private struct Buffers {
        var full: [Buffer] = []
        var free: [Buffer] = []
    }

    private let counted: Mutex<ReportBuilder?>
    private let buffers = Mutex(Buffers())
    /// One for each full buffer, and one for each thread that is to end.
    private let full = DispatchSemaphore(value: 0)
    private let free = DispatchSemaphore(value: 0)
    /// One for each thread that has ended.
    private let ended = DispatchSemaphore(value: 0)
    /// How many threads parse; 0 if no other thread can be made, so that the reader's parses.
    private let threads = Atomic(0)

    package init(_ report: consuming ReportBuilder, jobs: Int) {
        counted = Mutex(consume report)
        for _ in 0...jobs { recycle(Buffer()) }
        let made = (0..<jobs).count { _ in
            Threads.start { [self] in
                work()
                ended.signal()
            }
        }
        threads.store(made, ordering: .relaxed)
    }

    deinit { buffers.withLock { for buffer in $0.free { unsafe buffer.bytes.deallocate() } } }

    /// Waits for a buffer, which the caller returns with ``put(_:)``.
    func next() -> Buffer {
        free.wait()
        return buffers.withLock { $0.free.removeLast() }
    }

    func put(_ buffer: Buffer) {
        guard !buffer.lines.isEmpty else { return recycle(buffer) }
        buffers.withLock { $0.full.append(buffer) }
        full.signal()
        guard threads.load(ordering: .relaxed) == 0 else { return }
        full.signal()  // this thread ends its work after the buffer
        work()
    }

    private func recycle(_ buffer: Buffer) {
        var buffer = buffer
        buffer.lines = 0..<0
        buffers.withLock { $0.free.append(buffer) }
        free.signal()
    }

    /// Counts a line that is longer than any buffer, and bytes that are not read.
    func skip(bytes: Int, isLine: Bool) { counted.withLock { $0?.skip(bytes: bytes, isLine: isLine) } }

    private func work() {
        guard var parser = counted.withLock({ $0?.parser() }) else { return }
        while true {
            full.wait()
            guard let buffer = buffers.withLock({ $0.full.isEmpty ? nil : $0.full.removeFirst() }) else { return }
            var rest = buffer.lines
            while case let size = unsafe parser.parse(UnsafeRawBufferPointer(rebasing: buffer.bytes[rest])), size > 0 {
                counted.withLock { $0?.add(parser) }
                rest = rest.lowerBound + size..<rest.upperBound
            }
            // If there is no memory for the parser, the rest is counted as a damaged line.
            if !rest.isEmpty { skip(bytes: rest.count, isLine: true) }
            recycle(buffer)
        }
    }

    /// The report on all lines that were put. It is called once.
    package func report() -> FleetReport {
        let made = threads.load(ordering: .relaxed)
        for _ in 0..<made { full.signal() }
        for _ in 0..<made { ended.wait() }
        guard let counted = counted.withLock({ $0.take() }) else { return FleetReport() }
        return counted.report()
    }
}
