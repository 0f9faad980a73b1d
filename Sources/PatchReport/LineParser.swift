internal import CEventReader

/// Parses lines of event logs. `ReportBuilder.add` counts the parsed lines.
@safe package struct LineParser: ~Copyable, Sendable {
    nonisolated(unsafe) let parser: OpaquePointer
    /// The size of the lines that were parsed last, in bytes.
    private(set) var bytes = 0

    init(of reader: OpaquePointer) { unsafe parser = Self.open(reader) }

    private static func open(_ reader: OpaquePointer) -> OpaquePointer {
        guard let parser = unsafe er_open_parser(reader) else { preconditionFailure("no memory") }
        return unsafe parser
    }

    deinit { unsafe er_close_parser(parser) }

    /// Parses some of the whole lines at the beginning of a buffer, which must not change until they are counted.
    ///
    /// - Returns: The size of these lines in bytes; 0 if there is no whole line.
    package mutating func parse(_ buffer: UnsafeRawBufferPointer) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        bytes = unsafe er_parse(parser, start.assumingMemoryBound(to: CChar.self), buffer.count)
        return bytes
    }
}
