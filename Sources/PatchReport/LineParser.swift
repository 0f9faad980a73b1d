internal import CEventReader

/// Parses lines of event logs. `ReportBuilder.add` counts what was parsed.
@safe package struct LineParser: ~Copyable, Sendable {
    nonisolated(unsafe) let parser: OpaquePointer
    /// How many bytes the lines have that were parsed last.
    private(set) var bytes = 0

    init(of reader: OpaquePointer) { unsafe parser = Self.open(reader) }

    private static func open(_ reader: OpaquePointer) -> OpaquePointer {
        guard let parser = unsafe er_open_parser(reader) else { preconditionFailure("no memory") }
        return unsafe parser
    }

    deinit { unsafe er_close_parser(parser) }

    /// Parses some of the whole lines at the beginning of a buffer, which must stay as it is until they were counted.
    ///
    /// - Returns: How many bytes they have; 0 if there is no whole line.
    package mutating func parse(_ buffer: UnsafeRawBufferPointer) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        bytes = unsafe er_parse(parser, start.assumingMemoryBound(to: CChar.self), buffer.count)
        return bytes
    }
}
