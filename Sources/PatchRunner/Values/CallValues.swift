internal import CLuaBridge
internal import Synchronization

/// The values of a script's running calls: objects, errors, and the reason why a value could not be passed.
///
/// From `keep(for:)` until the Lua state is closed, the bridge keeps this object and the script that owns it.
@safe package final class CallValues: Sendable {
    let limits: PatchLimits
    let reports: PatchEventSink
    let className: @Sendable (AnyObject) -> String
    /// The script; nil after its Lua state is closed. It is written before the first callback and after the last one,
    /// and the state's lock orders the callbacks in between.
    nonisolated(unsafe) private(set) var owner: AnyObject?
    private let calls = Mutex(Calls())
    /// How many running calls try a script whose breaker is open.
    private let probes = Atomic(0)

    init(limits: PatchLimits, reports: PatchEventSink, className: @escaping @Sendable (AnyObject) -> String) {
        self.limits = limits
        self.reports = reports
        self.className = className
    }

    /// Returns the context for the bridge. This object and its owner are kept until `closed`.
    func keep(for owner: AnyObject) -> UnsafeMutableRawPointer {
        unsafe self.owner = owner
        return unsafe Unmanaged.passRetained(self).toOpaque()
    }

    /// The values of the script for which a callback of the bridge was called.
    static func at(_ context: UnsafeMutableRawPointer?) -> CallValues {
        guard let context = unsafe context else { fatalError("a Lua state without its script") }
        return unsafe Unmanaged<CallValues>.fromOpaque(context).takeUnretainedValue()
    }

    /// Releases this object and its owner: the bridge does not use them any more.
    func closed() {
        let released = unsafe owner
        unsafe owner = nil
        withExtendedLifetime(released) { unsafe Unmanaged.passUnretained(self).release() }
    }

    /// Forgets the functions and objects that a spec has added.
    func forgetFunctions() {
        let forgotten = calls.locked { calls in
            defer {
                calls.functions = []
                calls.objectsOfTables = [:]
            }
            return (calls.functions, calls.objectsOfTables)
        }
        withExtendedLifetime(forgotten) {}  // their deinit may call anything
    }

    private struct ObjectOfCall: Hashable {
        let call: Int64
        let object: ObjectIdentifier
    }

    private struct Calls {
        /// Why a value could not be read, if the reason is not its type; and why a value could not be pushed.
        var readFault: String?
        var pushFault: String?
        /// Whether errors of reading explain the cause.
        var explains = false
        /// The objects and errors that scripts know by number, and the numbers of each call. A number is never reused.
        var lastNumber: Int64 = 0
        var objects: [Int64: any AnyObject & Sendable] = [:]
        var errors: [Int64: any Error] = [:]
        var numbers: [Int64: [Int64]] = [:]
        var numberOfObject: [ObjectOfCall: Int64] = [:]
        /// The calls that try a script whose breaker is open.
        var probes: [Int64: Breaker.Probe] = [:]
        /// A spec's functions, and its tables that represent objects.
        var functions: [@Sendable (_PatchStack) -> Int32] = []
        var objectsOfTables: [UInt: any AnyObject & Sendable] = [:]

        /// Returns a new number for an object or an error of a call.
        mutating func number(for call: Int64) -> Int64 {
            lastNumber += 1
            numbers[call, default: []].append(lastNumber)
            return lastNumber
        }
    }

    /// Sets the reason why a value cannot be read, if it is not the value's type.
    package func refuseRead(_ message: String) { calls.locked { $0.readFault = message } }
    func refusePush(_ message: String) { calls.locked { $0.pushFault = message } }

    package func takeReadFault() -> String? { calls.locked { $0.readFault.take() } }
    func takePushFault() -> String? { calls.locked { $0.pushFault.take() } }

    var explains: Bool { calls.locked { $0.explains } }
    /// Sets whether errors of reading explain the cause. Returns the previous setting.
    func explain(_ explains: Bool) -> Bool {
        calls.locked { calls in
            defer { calls.explains = explains }
            return calls.explains
        }
    }

    var functions: [@Sendable (_PatchStack) -> Int32] { calls.locked { $0.functions } }

    /// Adds a function that scripts can call.
    ///
    /// - Returns: Its number, by which the bridge names it.
    package func addFunction(_ body: @escaping @Sendable (_PatchStack) -> Int32) -> Int {
        calls.locked { calls in
            calls.functions.append(body)
            return calls.functions.count - 1
        }
    }

    /// Lets a table of a spec represent an object.
    ///
    /// - Parameter table: The table's address. The Lua state must hold the table, because another one may get the
    ///   address of a table that is gone.
    package func addObject(_ object: any AnyObject & Sendable, table: UInt) {
        let old = calls.locked { $0.objectsOfTables.updateValue(object, forKey: table) }
        withExtendedLifetime(old) {}
    }
    package func object(table: UInt) -> (any AnyObject & Sendable)? { calls.locked { $0.objectsOfTables[table] } }

    /// Keeps an object for a call, and returns its number for the script.
    func keep(_ object: any AnyObject & Sendable, for call: Int64) -> Int64 {
        calls.locked { calls in
            let key = ObjectOfCall(call: call, object: ObjectIdentifier(object))
            if let known = calls.numberOfObject[key] { return known }
            let number = calls.number(for: call)
            calls.numberOfObject[key] = number
            calls.objects[number] = object
            return number
        }
    }

    /// Keeps an error for a call, and returns its number for the script.
    func keep(_ error: any Error, for call: Int64) -> Int64 {
        calls.locked { calls in
            let number = calls.number(for: call)
            calls.errors[number] = error
            return number
        }
    }

    func object(_ number: Int64) -> (any AnyObject & Sendable)? { calls.locked { $0.objects[number] } }
    package func error(_ number: Int64) -> (any Error)? { calls.locked { $0.errors[number] } }

    /// Keeps a try of a script until its call has ended.
    func keep(_ probe: Breaker.Probe, for call: Int64) {
        calls.locked { $0.probes[call] = probe }
        probes.add(1, ordering: .relaxed)
    }

    /// The try that a call is; nil if it is none.
    func takeProbe(of call: @autoclosure () -> Int64) -> Breaker.Probe? {
        guard probes.load(ordering: .relaxed) > 0 else { return nil }
        let call = call()
        let probe = calls.locked { $0.probes.removeValue(forKey: call) }
        if probe != nil { probes.subtract(1, ordering: .relaxed) }
        return probe
    }

    /// Releases the objects and errors of a call that has ended. The numbers that a script has kept become invalid.
    ///
    /// - Parameter hasRun: Whether its run returned. A try that has ended without an answer or a failure was given up.
    func callEnded(_ call: Int64, hasRun: Bool) {
        takeProbe(of: call)?.ended(succeeded: hasRun ? true : nil)
        let ended = calls.locked { calls -> ([any AnyObject & Sendable], [any Error]) in
            let numbers = calls.numbers.removeValue(forKey: call) ?? []
            let objects = numbers.compactMap { calls.objects.removeValue(forKey: $0) }
            for object in objects { calls.numberOfObject[.init(call: call, object: ObjectIdentifier(object))] = nil }
            return (objects, numbers.compactMap { calls.errors.removeValue(forKey: $0) })
        }
        withExtendedLifetime(ended) {}  // their deinit may call anything
    }
}
