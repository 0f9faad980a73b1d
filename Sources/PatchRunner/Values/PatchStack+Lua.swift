internal import CLuaBridge
internal import PatchText

// Pushing and reading values. None of this can raise a Lua error (see `values.c`).

extension _PatchStack {
    @usableFromInline package func pushNil() { unsafe pp_push_nil(state) }
    @usableFromInline package func push(_ value: Bool) { unsafe pp_push_bool(state, value) }
    @usableFromInline package func push(_ value: Int64) { unsafe pp_push_integer(state, value) }
    @usableFromInline package func push(_ value: Double) { unsafe pp_push_number(state, value) }

    /// Charges for work for the script: steps, and bytes that are about to be allocated. Returns false if the run must
    /// end.
    @usableFromInline package func pay(_ steps: Int, bytes: Int = 0) -> Bool {
        unsafe pp_pay(state, UInt64(steps), UInt64(bytes))
    }

    /// Marks where the host's own function begins and where it ends. Its time does not count as the script's.
    @usableFromInline package func hostBegins() { unsafe pp_host_begins(state) }
    @usableFromInline package func hostEnds() { unsafe pp_host_ends(state) }

    package func push(_ text: String) {
        var text = text
        text.withUTF8 { unsafe push(UnsafeRawBufferPointer($0)) }
    }

    /// Pushes a name of the app, such as a field's. The limit of strings does not apply to it.
    func push(name: String) {
        var name = name
        name.withUTF8 { bytes in
            guard pay(1 + bytes.count / 64, bytes: bytes.count) else { return pushNil() }
            unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe pp_push_string(state, $0.baseAddress, $0.count) }
        }
    }

    package func push(bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe push($0) } }

    package func push(_ bytes: UnsafeRawBufferPointer) {
        if unsafe pp_give_string(state, bytes.baseAddress, bytes.count) { return }
        let limit = values.limits.stringBytes
        guard bytes.count <= limit else {
            return refuse("a string of \(bytes.count) bytes; at most \(limit) are allowed")
        }
        pushNil()  // the run ends
    }

    /// Pushes the text of a message, and cuts it off if it is long.
    package func push(text: String) {
        var text = String(decoding: text.utf8.prefix(Self.longestMessage), as: UTF8.self)
        text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe pp_push_string(state, $0.baseAddress, $0.count) }
        }
    }

    /// The most bytes of a message that are used.
    private static let longestMessage = 4096

    /// The bytes that an element of a table needs.
    private static let bytesPerElement = 16

    package func push(_ values: [Double]) {
        guard pay(values.count, bytes: Self.bytesPerElement * values.count) else { return pushNil() }
        unsafe values.withUnsafeBufferPointer { unsafe pp_push_numbers(state, $0.baseAddress, $0.count) }
    }

    package func push(_ values: [Int]) {
        guard pay(values.count, bytes: Self.bytesPerElement * values.count) else { return pushNil() }
        unsafe values.withUnsafeBytes {
            unsafe pp_push_integers(state, $0.baseAddress?.assumingMemoryBound(to: Int64.self), values.count)
        }
    }

    @usableFromInline package func bool(at index: Int32) -> Bool? {
        let read = unsafe pp_read_bool(state, index)
        return read.is_there ? read.value != 0 : nil
    }

    @usableFromInline package func integer(at index: Int32) -> Int64? {
        let read = unsafe pp_read_integer(state, index)
        return read.is_there ? read.value : nil
    }

    @usableFromInline package func number(at index: Int32) -> Double? {
        let read = unsafe pp_read_number(state, index)
        return read.is_there ? read.value : nil
    }

    package func string(at index: Int32) -> String? {
        // `String(validating:as:)` looks its generic types up at run time, which takes longer than all the rest.
        unsafe withBytes(at: index) { bytes in
            var text = unsafe String(decoding: bytes, as: UTF8.self)
            let isExact = text.withUTF8 { text in
                guard text.count == bytes.count else { return false }
                guard let start = bytes.baseAddress, let copy = text.baseAddress else { return true }
                return unsafe pp_are_equal(start, copy, bytes.count)
            }
            return isExact ? text : nil
        } ?? nil
    }

    package func bytes(at index: Int32) -> [UInt8]? {
        unsafe withBytes(at: index) { unsafe Array($0) }
    }

    /// The beginning of a string, for a message. Bytes that are not UTF-8 are replaced.
    package func text(at index: Int32) -> String {
        var count = 0
        guard let bytes = unsafe pp_read_string(state, index, &count) else { return "" }
        return unsafe Self.text(bytes, count)
    }

    /// The text of the error value on top, without its position. nil for another value.
    var faultMessage: String? {
        var count = 0
        guard let bytes = unsafe pp_fault_message(state, &count) else { return nil }
        return unsafe Self.text(bytes, count)
    }

    private static func text(_ bytes: UnsafePointer<CChar>, _ count: Int) -> String {
        let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: min(count, longestMessage))
        let text = unsafe String(decoding: piece.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
        return count > longestMessage ? text + "…" : text
    }

    /// Reads a string's bytes. nil for another value, and for a string that is longer than the limit.
    package func withBytes<Result>(at index: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        var count = 0
        guard let bytes = unsafe pp_take_string(state, index, &count) else {
            refuseString(at: index)
            return nil
        }
        return unsafe body(UnsafeRawBufferPointer(start: bytes, count: count).assumingMemoryBound(to: UInt8.self))
    }

    /// Sets the reason why a value was not read as a string, if it is a string.
    private func refuseString(at index: Int32) {
        var count = 0
        guard unsafe pp_read_string(state, index, &count) != nil else { return }
        let limit = values.limits.stringBytes
        if count > limit {
            values.refuseRead("a string of \(count) bytes; at most \(limit) are allowed")
        } else {
            unsafe checkLimits(pp_fits_table(state, count))
        }
    }

    /// Returns whether the value that is read is within the limits. If not, sets the reason why it cannot be read.
    @discardableResult func checkLimits(_ found: pp_within) -> Bool {
        let limits = values.limits
        switch found {
        case PP_WITHIN: return true
        case PP_TOO_DEEP: values.refuseRead("tables nested more than \(limits.deepestTable) deep")
        case PP_TOO_MANY: values.refuseRead("tables of more than \(limits.tableElements) elements")
        default: values.refuseRead("strings of more than \(limits.peakMemoryBytes) bytes")
        }
        return false
    }

    func numbers(at index: Int32) -> [Double]? {
        guard let count = beginTable(at: index) else { return nil }
        endTable()
        var isRead = false
        let values = unsafe [Double](unsafeUninitializedCapacity: count) { buffer, initialized in
            isRead = unsafe count == 0 || pp_read_numbers(state, index, buffer.baseAddress, count)
            initialized = isRead ? count : 0
        }
        return isRead ? values : nil
    }

    func integers(at index: Int32) -> [Int]? {
        guard let count = beginTable(at: index) else { return nil }
        endTable()
        var isRead = false
        let values = unsafe [Int](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe buffer.withMemoryRebound(to: Int64.self) {
                isRead = unsafe count == 0 || pp_read_integers(state, index, $0.baseAddress, count)
            }
            initialized = isRead ? count : 0
        }
        return isRead ? values : nil
    }

    @usableFromInline func isNil(at index: Int32) -> Bool { unsafe pp_is_nil(state, index) }
    package func isTable(at index: Int32) -> Bool { unsafe pp_is_table(state, index) }
    package func typeName(at index: Int32) -> String { unsafe String(cString: pp_type_name(state, index)) }

    // MARK: tables

    /// Pushes a table. Returns false, and pushes nil, if the run must end or the stack has no room.
    @usableFromInline package func pushTable(elements: Int = 0, fields: Int = 0) -> Bool {
        guard unsafe pp_check_stack(state, 8) else {  // for the table, and for what is put into it
            refuse("nested too deep")
            return false
        }
        // The bytes that the table's parts will need. The number of fields is rounded up to a power of two. No memory
        // has room for 2^40 parts.
        let bytesPerField = 80
        let bytes = Self.bytesPerElement * min(elements, 1 << 40) + bytesPerField * min(fields, 1 << 40)
        guard pay(1, bytes: bytes) else {
            pushNil()
            return false
        }
        unsafe pp_push_table(state, Int32(clamping: elements), Int32(clamping: fields))
        return true
    }

    /// Pops the value on top, and makes it an element of the table below it.
    @usableFromInline func setElement(_ index: Int) { unsafe pp_set_element(state, -2, Int64(index)) }

    /// Pops the key and the value on top, and puts them into the table below them.
    @usableFromInline func setPair() { unsafe pp_set_pair(state, -3) }
    package func setPair(of table: Int32) { unsafe pp_set_pair(state, table) }
    func setElement(_ index: Int, of table: Int32) { unsafe pp_set_element(state, table, Int64(index)) }

    @usableFromInline func pushElement(_ element: Int, of index: Int32) {
        unsafe pp_get_element(state, index, Int64(element))
    }

    /// Replaces the key on top with its value.
    package func getValue(of table: Int32) { unsafe pp_get_value(state, table) }

    @usableFromInline package func pop() { unsafe pp_set_top(state, -2) }
    @usableFromInline package var top: Int32 {
        get { unsafe pp_top(state) }
        nonmutating set { unsafe pp_set_top(state, newValue) }
    }
    @usableFromInline func absolute(_ index: Int32) -> Int32 { unsafe pp_absolute(state, index) }
    package func pushCopy(of index: Int32) { unsafe pp_push_copy(state, index) }
    func insert(at index: Int32) { unsafe pp_insert(state, index) }
    func replace(_ index: Int32) { unsafe pp_replace(state, index) }
    /// Whether more values can be pushed.
    @discardableResult package func makeRoom(_ count: Int = 16) -> Bool {
        unsafe pp_check_stack(state, Int32(clamping: count))
    }

    /// A table's length as a sequence. nil for another value, and for a table that has keys but no sequence.
    package func sequenceLength(at index: Int32) -> Int? {
        let length = unsafe pp_sequence_length(state, index)
        return length < 0 ? nil : Int(length)
    }

    /// Begins to read a table as a sequence. Returns the length, after which `endTable` must follow; nil for another
    /// value, or past a limit.
    @usableFromInline func beginTable(at index: Int32) -> Int? {
        guard makeRoom(), let length = sequenceLength(at: index), enterTable(elements: length) else { return nil }
        guard pay(length) else {
            endTable()
            return nil
        }
        return length
    }

    /// Begins to read a table. If it is past a limit, returns false and sets the reason. If not, `endTable` must
    /// follow.
    func enterTable(elements: Int) -> Bool {
        let found = unsafe pp_enter_table(state, Int64(elements))
        return found == PP_WITHIN || checkLimits(found)
    }

    @usableFromInline func endTable() { unsafe pp_leave_table(state) }

    /// Visits the pairs of a table as long as the body returns true. The key is at -2, and the value at -1.
    ///
    /// - Returns: Whether it has visited all pairs. It has not if the value is no table, past a limit, if the table
    ///   changed, or if the run must end.
    @usableFromInline package func forEachPair(at index: Int32, _ body: () -> Bool) -> Bool {
        guard makeRoom(), isTable(at: index), enterTable(elements: 0) else { return false }
        defer { endTable() }
        let table = absolute(index)
        let calls = unsafe pp_calls(state)
        pushNil()
        while true {
            let found = unsafe pp_next(state, table, calls)
            guard found == PP_PAIR else {
                if found == PP_CHANGED { values.refuseRead("a table that changed while it was read") }
                return found == PP_NO_PAIR
            }
            guard pay(1), unsafe checkLimits(pp_count_element(state)), body() else {
                pop()
                pop()
                return false
            }
            pop()
        }
    }

    // MARK: held values and functions

    /// Keeps a value as long as the state exists, and returns its number for `pushHeld`.
    package func hold(_ index: Int32) -> Int32 {
        pushCopy(of: index)
        return unsafe pp_hold(state)
    }
    package func pushHeld(_ held: Int32) { unsafe pp_push_held(state, held) }

    /// Calls the function below this many arguments. Leaves its results or, if it fails, the error.
    package func call(_ arguments: Int32, results: Int32) -> Bool { unsafe pp_call_function(state, arguments, results) }

    // MARK: messages and errors

    /// Pushes a message that begins with the script's position.
    package func push(message: String) {
        var message = String(decoding: message.utf8.prefix(Self.longestMessage), as: UTF8.self)
        message.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe pp_push_message(state, $0.baseAddress, $0.count) }
        }
    }

    /// Pushes an error for the bridge to raise, and returns the callback result for it.
    @usableFromInline package func raise(_ error: any Error) -> Int32 {
        unsafe pp_push_host_error(state, values.keep(error, for: pp_note_owning_call(state)))
        return CallbackResult.raise
    }

    /// The values of the calls of the script that this stack belongs to.
    package var values: CallValues { unsafe CallValues.at(pp_context(state)) }

    /// Returns and clears the reason why a value could not be read, if the reason was not its type.
    package func takeReadFault() -> String? { values.takeReadFault() }

    /// The message for a value that could not be read as the expected type.
    package func mismatch(expected type: String, at index: Int32) -> String {
        if let fault = takeReadFault() { return fault }
        let number = unsafe pp_read_number(state, index)
        guard type == "number", !number.is_there, !number.value.isFinite else {
            return "expected \(type), got \(typeName(at: index))"
        }
        // The sign of a NaN depends on the processor.
        return "expected a finite number, got \(number.value.isNaN ? "nan" : "\(number.value)")"
    }

    /// The beginning of a value's text, for a message.
    static func excerpt<Value>(of value: Value) -> String {
        String(decoding: "\(value)".utf8.prefix(128), as: UTF8.self)
    }

    package static func argumentCountMessage(of function: String, takes count: Int, got given: Int) -> String {
        "\(function) takes \(count) argument\(count == 1 ? "" : "s"), got \(given)"
    }

    /// Pushes nil for a value that cannot be passed to the script, and makes the run that was to receive it fail.
    @usableFromInline package func refuse(_ message: String) {
        refuseRun(message)
        pushNil()
    }

    /// Makes the run that was to receive a value fail.
    func refuseRun(_ message: String) {
        values.refusePush(message)
        unsafe pp_refuse_run(state)
    }
}

/// The values that a callback of the bridge returns instead of a count of results.
package enum CallbackResult {
    package static var raise: Int32 { PP_RAISE.rawValue }
    package static var notCalled: Int32 { PP_NOT_CALLED.rawValue }
    package static var asynchronous: Int32 { PP_ASYNCHRONOUS.rawValue }
}
