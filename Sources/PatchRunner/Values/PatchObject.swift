internal import CLuaBridge

/// A final class whose objects can be passed to scripts. Scripts can call the methods that the host exposes.
///
///     final class Cart: PatchObject { … }
///
/// A script gets a number instead of a pointer. The number is valid only in the call in which the script received it;
/// using it later raises an error.
public protocol PatchObject: AnyObject, PatchValue, Sendable {}

/// An object that returns the name that scripts use for its class.
package protocol NamedObject: PatchObject {
    var className: String { get }
}

extension PatchObject {
    public func _push(to stack: _PatchStack) { stack.push(object: self) }
    public static func _read(from stack: _PatchStack, at index: Int32) -> Self? { stack.object(at: index) as? Self }
}

/// The methods of a class that scripts may call.
public struct PatchMethods<Object: PatchObject> {
    let className: String
    var methods: [ExposedMethod] = []
    var types: [any PatchValue.Type] = []

    init(className: String) { self.className = className }

    /// Exposes a method.
    ///
    /// - Parameters:
    ///   - name: The name that scripts use: `cart:name(…)`.
    ///   - body: The method's code. Its first argument is the object.
    public mutating func method<each Argument: PatchValue, Result: PatchValue>(
        _ name: String, _ body: @escaping @Sendable (Object, repeat each Argument) throws -> Result
    ) {
        add(name, as: PatchValueResult<Result>.self, body)
    }

    /// Exposes a method that returns nothing.
    ///
    /// - Parameters:
    ///   - name: The name that scripts use: `cart:name(…)`.
    ///   - body: The method's code. Its first argument is the object.
    public mutating func method<each Argument: PatchValue>(
        _ name: String, _ body: @escaping @Sendable (Object, repeat each Argument) throws -> Void
    ) {
        add(name, as: PatchNoResult.self, body)
    }

    private mutating func add<each Argument: PatchValue, Output: PatchResult>(
        _ name: String, as _: Output.Type,
        _ body: @escaping @Sendable (Object, repeat each Argument) throws -> Output.Value
    ) {
        let method = "\(className):\(name)"
        var arguments: [String] = []
        for type in repeat (each Argument).self { arguments.append(note(type)) }
        if let type = Output.type { types.append(type) }
        let count = arguments.count
        methods.append(
            .init(name: name, signature: .init(arguments, result: Output.typeName)) { stack in
                var reader = PatchArguments(of: method, taking: count, on: stack)
                do {
                    let object = try reader.object(Object.self)
                    let arguments = (repeat try reader.next((each Argument).self))
                    stack.hostBegins()
                    let result = try body(object, repeat each arguments)
                    stack.hostEnds()
                    return Output.push(result, to: stack)
                } catch {
                    return reader.fail(with: error)
                }
            })
    }

    /// Records an argument's type, and returns its name.
    mutating func note(_ type: any PatchValue.Type) -> String {
        types.append(type)
        return type.patchTypeName
    }
}

/// Reads a method's arguments one after the other.
struct PatchArguments {
    let method: String
    let count: Int
    let stack: _PatchStack
    /// The place of the object, and the place of the next argument to be read.
    private let first: Int32
    private var index: Int32

    private struct Mismatch: Error {
        let message: String
    }

    /// - Parameter count: The number of arguments without the object.
    init(of method: String, taking count: Int, on stack: _PatchStack, from first: Int32 = 1) {
        self.method = method
        self.count = count
        self.stack = stack
        self.first = first
        index = first
    }

    /// Reads the object, which is the first argument. Throws if it does not fit, or if there are too many arguments.
    mutating func object<Value: PatchValue>(_: Value.Type) throws -> Value {
        let given = stack.top - first
        guard given <= count else {
            throw Mismatch(message: _PatchStack.argumentCountMessage(of: method, takes: count, got: Int(given)))
        }
        return try next(Value.self)
    }

    /// Reads the next argument. Throws if it does not fit.
    mutating func next<Value: PatchValue>(_: Value.Type) throws -> Value {
        defer { index += 1 }
        guard let value = Value._read(from: stack, at: index) else {
            let place = index == first ? "the object" : "argument \(index - first)"
            throw Mismatch(message: "\(place) of \(method): " + Value._mismatch(in: stack, at: index))
        }
        return value
    }

    /// Pushes an error of the method or of its arguments, and returns the callback result for it.
    func fail(with error: any Error) -> Int32 {
        guard let mismatch = error as? Mismatch else { return stack.raise(error) }
        stack.push(message: mismatch.message)
        return CallbackResult.notCalled
    }
}

extension _PatchStack {
    /// Pushes an object for the call that receives it.
    package func push(object: any PatchObject) {
        guard pay(10) else { return pushNil() }  // the steps of finding its number and its class
        let call = unsafe pp_note_owning_call(state)
        guard call != 0 else { return refuse("an object outside of a call") }
        let number = values.keep(object, for: call)
        if unsafe !pp_push_object(state, values.className(object), number) { refuse("nested too deep") }
    }

    /// The object at a place; nil for another value, and for an object of an earlier call, which is the reason then.
    package func object(at index: Int32) -> (any AnyObject & Sendable)? {
        var number: Int64 = 0
        guard unsafe pp_read_object(state, index, &number) else { return nil }
        if let object = values.object(number) { return object }
        values.refuseRead(
            "\(typeName(at: index)) is from an earlier call; an object is valid only in the call that it was passed to")
        return nil
    }
}
