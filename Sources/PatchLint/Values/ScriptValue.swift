internal import CLuaBridge
package import PatchRunner

/// A Lua value that can be passed between two states: the arguments and results of a spec's functions.
package enum ScriptValue: PatchValue, Sendable {
    case `nil`
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string([UInt8])
    /// A table, and its number of elements as a sequence; nil if it is not a sequence.
    case table([(key: ScriptValue, value: ScriptValue)], length: Int?)
    case object(ScriptObject)
    /// The type of a part of a table that cannot be passed, such as a function.
    case other(String)

    package static var patchTypeName: String { "value" }

    package func _push(to stack: _PatchStack) {
        switch self {
        case .nil: stack.pushNil()
        case .boolean(let value): stack.push(value)
        case .integer(let value): stack.push(value)
        case .number(let value): stack.push(value)
        case .string(let bytes): stack.push(bytes: bytes)
        case .object(let object):
            // In its own state, the object is the table that it was made from.
            if object.spec.values === stack.values { stack.pushHeld(object.held) } else { stack.push(object: object) }
        case .other: stack.pushNil()
        case .table(let pairs, _):
            guard stack.pushTable(fields: pairs.count) else { return }
            let table = stack.top
            for (key, value) in pairs {
                if case .other = key { continue }
                key._push(to: stack)
                value._push(to: stack)
                stack.setPair(of: table)
            }
        }
    }

    package static func _read(from stack: _PatchStack, at index: Int32) -> ScriptValue? {
        switch stack.typeName(at: index) {
        case "nil", "nothing": .nil
        case "boolean": stack.bool(at: index).map { .boolean($0) }
        case "integer": stack.integer(at: index).map { .integer($0) }
        case "number": stack.number(at: index).map { .number($0) }
        case "string": stack.bytes(at: index).map { .string($0) }
        case "table": readTable(from: stack, at: index)
        default: (stack.object(at: index) as? ScriptObject).map { .object($0) }
        }
    }

    private static func readTable(from stack: _PatchStack, at index: Int32) -> ScriptValue? {
        let table = unsafe UInt(pp_pointer(stack.state, index))
        if let object = stack.values.object(table: table) as? ScriptObject { return .object(object) }
        var pairs: [(ScriptValue, ScriptValue)] = []
        let length = stack.sequenceLength(at: index)
        let isRead = stack.forEachPair(at: index) {
            guard let key = readPart(from: stack, at: -2), let value = readPart(from: stack, at: -1) else {
                return false
            }
            pairs.append((key, value))
            return true
        }
        return isRead ? .table(pairs, length: length) : nil
    }

    private static func readPart(from stack: _PatchStack, at index: Int32) -> ScriptValue? {
        switch stack.typeName(at: index) {
        case let type where ["function", "thread"].contains(type): .other(type)
        default: _read(from: stack, at: index)
        }
    }

    /// The name of the value's type for scripts.
    package var typeName: String {
        switch self {
        case .nil: "nil"
        case .boolean: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .table: "table"
        case .object(let object): object.className
        case .other(let type): type
        }
    }
}

/// A table of a spec that represents an object of the host.
package final class ScriptObject: NamedObject {
    package let className: String
    /// The number of the table, which the spec's state keeps.
    package let held: Int32
    package let spec: ScriptState

    package init(className: String, held: Int32, spec: ScriptState) {
        self.className = className
        self.held = held
        self.spec = spec
    }
}
