/// Code that runs around each call that reaches a patch, such as a span of a trace.
///
/// ``PatchRegistry/init(instrument:)`` takes it. Calls of functions without a patch do not run in it. It may not call
/// replaceable functions itself.
///
///     struct Spans: PatchInstrument {
///         func run(_ call: PatchedCall, _ body: () throws -> Void) rethrows {
///             try withSpan(call.function) { _ in try body() }
///         }
///
///         nonisolated(nonsending) func run(
///             _ call: PatchedCall, _ body: nonisolated(nonsending) () async throws -> Void
///         ) async rethrows {
///             try await withSpan(call.function) { _ in try await body() }
///         }
///     }
public protocol PatchInstrument: Sendable {
    /// Runs a call.
    ///
    /// - Parameters:
    ///   - call: The function, and the topmost patch on it. If its script cannot answer, another patch or the original
    ///     does.
    ///   - body: Makes the call, and throws the error that the function throws. If it is not called, the call is made
    ///     afterwards.
    /// - Throws: The error that `body` throws.
    func run(_ call: PatchedCall, _ body: () throws -> Void) rethrows

    /// Runs a call of an asynchronous function, on its caller's actor.
    ///
    /// - Parameters:
    ///   - call: The function, and the topmost patch on it. If its script cannot answer, another patch or the original
    ///     does.
    ///   - body: Makes the call, and throws the error that the function throws. If it is not called, the call is made
    ///     afterwards.
    /// - Throws: The error that `body` throws.
    func run(_ call: PatchedCall, _ body: () async throws -> Void) async rethrows
}

/// A registry's instrument, by reference: a thread with little stack has no room to find the type of an optional value.
final class Instrument: Sendable {
    let value: any PatchInstrument

    init(_ value: any PatchInstrument) { self.value = value }
}

extension Slot {
    /// Makes a call within the registry's instrument, or a run of a patch in shadow.
    func instrumented<Value, Failure: Error>(
        _ shadow: Shadow? = nil, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var outcome: Result<Value, Failure>?
        if let instrument = registry?.instrument, let reports = shadow?.reports ?? topmost {
            let call = PatchedCall(reports.patch, name, isShadow: shadow != nil)
            try? instrument.value.run(call) {
                if outcome == nil { outcome = Result(catching: body) }
                _ = try outcome?.get()
            }
        }
        guard let outcome else { return try body() }
        return try outcome.get()
    }

    /// Makes a call of an asynchronous function within the registry's instrument.
    func instrumented<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        var outcome: Result<Value, Failure>?
        if let instrument = registry?.instrument, let patch = topmost?.patch {
            try? await instrument.value.run(PatchedCall(patch, name)) {
                if outcome == nil {
                    do throws(Failure) { outcome = .success(try await body()) } catch { outcome = .failure(error) }
                }
                _ = try outcome?.get()
            }
        }
        guard let outcome else { return try await body() }
        return try outcome.get()
    }
}
