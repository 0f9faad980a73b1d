internal import CLuaBridge
internal import PatchCrypto

/// A struct whose fields are declared for scripts. A script gets it as a table, and returns a table for it.
///
///     struct Item: PatchStruct {
///         var name: String
///         var price: Double
///         static let patchFields = PatchFields(
///             Item.init(name:price:), .field("name", \.name), .field("price", \.price))
///     }
///
/// Declare all stored properties, in the order in which the initializer takes them; registering a function that uses
/// the struct checks this. The check makes a few values, so the initializer has to accept any value of its types, as it
/// does for a script's result. Conform where the struct is declared, not in an extension: in a module whose default
/// isolation is the main actor, an extension has to be `nonisolated`.
///
/// It is passed several times faster than a `Codable` type, which is also possible (``PatchValue``). The app's
/// interface lists the fields with their types, so that `patchpack lint` and `patchpack test` know them.
///
/// A field that a script leaves out is nil. Fields that are not declared are ignored.
public protocol PatchStruct: PatchValue {
    /// The fields. Store them, as with `static let`: making them costs more than passing a value.
    static var patchFields: PatchFields<Self> { get }
}

extension PatchStruct {
    @inlinable public func _push(to stack: _PatchStack) { Self.patchFields.push(self, to: stack) }
    @inlinable public static func _read(from stack: _PatchStack, at index: Int32) -> Self? {
        patchFields.read(from: stack, at: index)
    }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        patchFields.mismatch(in: stack, at: index)
    }
    public static var _isDirect: Bool { true }
    public static func _sample(_ isSecond: Bool, depth: Int) -> Self? {
        try? patchFields.sample({ _ in isSecond }, depth)
    }
}

// The same for a type that is also `Codable`, which would have two defaults.
extension PatchStruct where Self: Codable {
    @inlinable public func _push(to stack: _PatchStack) { Self.patchFields.push(self, to: stack) }
    @inlinable public static func _read(from stack: _PatchStack, at index: Int32) -> Self? {
        patchFields.read(from: stack, at: index)
    }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        patchFields.mismatch(in: stack, at: index)
    }
    public static var _isDirect: Bool { true }
}

extension PatchStruct {
    static var declaredFields: [(name: String, type: any PatchValue.Type)] {
        patchFields.all.map { ($0.name.text, $0.type) }
    }

    static var layoutFault: PatchError? { patchFields.layoutFault() }
}

/// A field of a struct.
public struct PatchField<Root, Value: PatchValue>: Sendable {
    @usableFromInline let name: FieldName
    @usableFromInline let keyPath: any KeyPath<Root, Value> & Sendable
    /// Where the field is in the struct's memory; nil for a field that is computed or observed.
    @usableFromInline let offset: Int?

    /// Declares a field.
    ///
    /// - Parameters:
    ///   - name: The name that scripts use.
    ///   - keyPath: The struct's property with the field's value. A property of a property is checked as if it were the
    ///     struct's own, so what fills the space before it may be taken for a property that is missing.
    public static func field(_ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable) -> PatchField {
        PatchField(name: FieldName(name), keyPath: keyPath, offset: MemoryLayout<Root>.offset(of: keyPath))
    }

    @inlinable func put(_ root: Root, on stack: _PatchStack) {
        stack.push(name: name)
        push(root, to: stack)
        stack.setPair()
    }

    @inlinable func push(_ root: Root, to stack: _PatchStack) {
        guard let offset else { return root[keyPath: keyPath]._push(to: stack) }
        unsafe withUnsafePointer(to: root) { root in
            unsafe UnsafeRawPointer(root).advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
                ._push(to: stack)
        }
    }

    @usableFromInline func sample(_ isSecond: Bool, _ depth: Int) throws(FieldMismatch) -> Value {
        guard let value = Value._sample(isSecond, depth: depth) else { throw FieldMismatch() }
        return value
    }

    /// Reads the field's value, which stays on the stack.
    @inlinable func read(_ stack: _PatchStack, from table: Int32) throws(FieldMismatch) -> Value {
        stack.pushField(name, of: table)
        guard let value = Value._read(from: stack, at: -1) else { throw FieldMismatch() }
        return value
    }
}

@frozen @usableFromInline struct FieldMismatch: Error {
    @inlinable init() {}
}

/// A field's name, as C reads it. Lua quickly finds a string that it has seen at the same address.
@safe @usableFromInline final class FieldName: Sendable {
    /// The name's bytes and a zero.
    nonisolated(unsafe) private let bytes: UnsafeMutableBufferPointer<CChar>
    @usableFromInline let text: String

    init(_ text: String) {
        self.text = text
        let terminated = text.utf8CString
        unsafe bytes = .allocate(capacity: terminated.count)
        unsafe _ = bytes.initialize(fromContentsOf: terminated)
    }

    deinit { unsafe bytes.deallocate() }

    /// Lets C read the name.
    func withStart<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        withExtendedLifetime(self) { unsafe body(UnsafePointer(bytes.baseAddress)) }
    }
}

/// Where a property is stored in its struct's memory.
@usableFromInline struct StoredPlace: Sendable {
    let offset: Int
    let size: Int
    let alignment: Int

    /// nil for a property that is computed or observed.
    @usableFromInline init?<Value>(of _: Value.Type, at offset: Int?) {
        guard let offset else { return nil }
        self.offset = offset
        size = MemoryLayout<Value>.size
        alignment = MemoryLayout<Value>.alignment
    }
}

extension PatchFields {
    /// The reason why these cannot be the fields; nil if there is none.
    func layoutFault() -> PatchError? {
        let found = try? indicesReadBack()
        return found.flatMap(swapFault) ?? orderFault(found) ?? gapFault()
    }

    /// The fields whose places are known, as they are declared.
    private var stored: [(name: String, place: StoredPlace)] {
        all.compactMap { field in field.place.map { (field.name.text, $0) } }
    }

    /// Finds a field that is declared before another one, but stored after it. If the initializer's order is not known,
    /// it is expected to be the order in which the properties are stored.
    private func orderFault(_ found: [Int?]?) -> PatchError? {
        if let found, all.indices.allSatisfy({ found[$0] == $0 || all[$0].place == nil }) { return nil }
        for (field, next) in zip(stored, stored.dropFirst()) where field.place.offset > next.place.offset {
            return PatchError(
                .config,
                "\(Root.patchTypeName) declares its field \(field.name) before \(next.name), but stores it after that",
                hint: "declare the fields in the order of the struct's properties, and let the initializer take them so"
            )
        }
        return nil
    }

    /// Finds a stored property that is not a field, so that each call would reset it. It does not see one that fits
    /// into the padding between two fields.
    private func gapFault() -> PatchError? {
        let stored = stored
        // An observed property is stored somewhere, but its place is not known.
        guard stored.count == all.count else { return nil }
        var end = 0
        var last = "at its beginning"
        let places =
            stored.map { ($0.place, "after \($0.name)") } + omitted.map { ($0, "after a property that is omitted") }
        for (place, name) in places.sorted(by: { $0.0.offset < $1.0.offset }) {
            let begin = (end + place.alignment - 1) / place.alignment * place.alignment
            if place.offset > begin { return Self.missing(last) }
            if place.offset + place.size >= end { last = name }
            end = max(end, place.offset + place.size)
        }
        return end < MemoryLayout<Root>.size ? Self.missing(last) : nil
    }

    /// Makes values in which each field has a pattern of the two samples of its type, and reads the patterns back.
    ///
    /// - Returns: For each field, the index of the field whose pattern it has; nil for another pattern.
    /// - Throws: If there is no sample of a field's type.
    private func indicesReadBack() throws(FieldMismatch) -> [Int?] {
        // The pattern of a field is a number with three of six binary digits set, so that digit by digit none is the
        // minimum or maximum of two others.
        let patterns = (0..<64).filter { $0.nonzeroBitCount == 3 }.prefix(all.count)
        var read: [Int?] = all.map { _ in 0 }
        for round in 0..<6 {
            let digit = 1 << round
            let root = try sample({ patterns[$0] & digit != 0 }, 0)
            for (index, field) in all.enumerated() {
                guard let known = read[index], let isSecond = field.isSecond(root) else {
                    read[index] = nil
                    continue
                }
                if isSecond { read[index] = known | digit }
            }
        }
        return read.map { $0.flatMap(patterns.firstIndex(of:)) }
    }

    /// Finds a field that has the value that the initializer takes for another field, which does not have it.
    ///
    /// - Parameter found: The index of the field whose value each field has.
    private func swapFault(_ found: [Int?]) -> PatchError? {
        for (index, other) in found.enumerated() {
            // A field that is computed from another one has the same value, but so has the other one.
            guard let other, other != index, found[other] != other, all[other].type == all[index].type else { continue }
            return PatchError(
                .config,
                "\(Root.patchTypeName) has in its field \(all[index].name.text) the value that its initializer takes for \(all[other].name.text)",
                hint: "declare the fields in the order in which the initializer takes them")
        }
        return nil
    }

    private static func missing(_ position: String) -> PatchError {
        PatchError(
            .config,
            "\(Root.patchTypeName) has a stored property \(position) that is not a field, so a patched call would reset it",
            hint: "declare it as a field, or write .omitting(\\.property) after the fields")
    }
}

/// The fields of a struct, and how it is made from their values.
///
/// A struct has at most 16 fields. For more, let a field be another struct.
public struct PatchFields<Root: PatchStruct>: Sendable {
    @usableFromInline let all: [AnyField]
    /// Sets the fields of the table on top.
    @usableFromInline let put: @Sendable (Root, _PatchStack) -> Void
    /// Makes a struct from the table at an absolute index. The values of its fields stay on the stack.
    @usableFromInline let make: @Sendable (_PatchStack, Int32) throws(FieldMismatch) -> Root
    /// Makes a struct from samples, which the closure chooses for the field at each place. The number is the depth in
    /// other values.
    @usableFromInline let sample: @Sendable ((Int) -> Bool, Int) throws(FieldMismatch) -> Root

    /// A field without its type.
    @usableFromInline struct AnyField: Sendable {
        let name: FieldName
        let type: any PatchValue.Type
        let place: StoredPlace?
        /// Whether the field of a struct has the second sample of its type; nil for another value, or if both look the
        /// same.
        let isSecond: @Sendable (Root) -> Bool?

        @usableFromInline init<Value>(_ field: PatchField<Root, Value>) {
            name = field.name
            type = Value.self
            place = StoredPlace(of: Value.self, at: field.offset)
            isSecond = { root in
                let first = String(reflecting: Value._sample(false, depth: 0))
                let second = String(reflecting: Value._sample(true, depth: 0))
                let value = String(reflecting: Value?.some(root[keyPath: field.keyPath]))
                guard first != second, value == first || value == second else { return nil }
                return value == second
            }
        }
    }

    /// The places of the stored properties that are deliberately not fields.
    private var omitted: [StoredPlace] = []

    /// Declares that a stored property is not a field. In a struct that a script returns, it has the value that the
    /// initializer gives it.
    ///
    /// - Parameter keyPath: The property.
    /// - Returns: The fields, without it.
    public func omitting<Value>(_ keyPath: any KeyPath<Root, Value> & Sendable) -> PatchFields {
        var fields = self
        if let place = StoredPlace(of: Value.self, at: MemoryLayout<Root>.offset(of: keyPath)) {
            fields.omitted.append(place)
        }
        return fields
    }

    @usableFromInline init(
        _ fields: [AnyField], put: @escaping @Sendable (Root, _PatchStack) -> Void,
        make: @escaping @Sendable (_PatchStack, Int32) throws(FieldMismatch) -> Root,
        sample: @escaping @Sendable ((Int) -> Bool, Int) throws(FieldMismatch) -> Root
    ) {
        all = fields
        self.put = put
        self.make = make
        self.sample = sample
    }

    @inlinable func push(_ root: Root, to stack: _PatchStack) {
        if stack.pushStruct(fields: all.count) { put(root, stack) }
    }

    @inlinable func read(from stack: _PatchStack, at index: Int32) -> Root? {
        guard stack.beginStruct(at: index, fields: all.count) else { return nil }
        let top = stack.top
        defer { stack.endStruct(top) }
        return try? make(stack, stack.absolute(index))
    }

    /// The message for a value that could not be read: what does not fit, and for a field its name.
    func mismatch(in stack: _PatchStack, at index: Int32) -> String {
        let expected = "expected \(Root.patchTypeName)"
        if let fault = stack.takeReadFault() { return "\(expected): \(fault)" }
        guard stack.beginStruct(at: index, fields: all.count) else {
            guard stack.isTable(at: index) else { return "\(expected), got \(stack.typeName(at: index))" }
            return "\(expected): \(stack.takeReadFault() ?? "nested too deep")"
        }
        let table = stack.absolute(index)
        let top = stack.top
        defer { stack.endStruct(top) }
        for field in all {
            let name = field.name.text
            stack.pushField(field.name, of: table)
            guard field.type._read(from: stack, at: -1) == nil else { continue }
            if stack.isNil(at: -1) { return "\(expected): missing field \(name)" }
            return "\(expected): \(name): " + field.type._mismatch(in: stack, at: -1)
        }
        return "\(expected): got another table"
    }
}

extension _PatchStack {
    /// Pushes a table for a struct. nil is pushed if the run must end.
    @usableFromInline func pushStruct(fields: Int) -> Bool { unsafe pp_push_struct(state, Int32(fields)) }

    @usableFromInline func push(name: FieldName) { unsafe name.withStart { unsafe pp_push_name(state, $0) } }
    @usableFromInline func pushField(_ name: FieldName, of table: Int32) {
        unsafe name.withStart { unsafe pp_get_field(state, table, $0) }
    }

    /// Begins to read a table as a struct, whose fields stay on the stack. After true, `endStruct` must follow. Returns
    /// false for another value, past a limit, or if the run must end.
    @usableFromInline func beginStruct(at index: Int32, fields: Int) -> Bool {
        let found = unsafe pp_begin_struct(state, index, Int32(fields))
        if found == PP_WITHIN { return true }
        return found != PP_NOT_READ && checkLimits(found)
    }

    @usableFromInline func endStruct(_ top: Int32) { unsafe pp_end_struct(state, top) }
}
