public import PatchCrypto

// What the kinds of a runner's events carry. They have no public initializers, so a version after 1.0 may add members.
extension RunnerEvent {
    /// A patch that was loaded: its script ran and declared its replacements.
    public struct Load: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID
        /// The functions that it replaces.
        public let replaces: [String]

        package init(_ patch: PatchID, replaces: [String]) {
            self.patch = patch
            self.replaces = replaces
        }
    }

    /// A patch whose replacements are active.
    public struct Activation: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID

        package init(_ patch: PatchID) { self.patch = patch }
    }

    /// A patch whose replacements are no longer active.
    public struct Deactivation: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID

        package init(_ patch: PatchID) { self.patch = patch }
    }

    /// A patch that was refused, and why.
    public struct Refusal: Sendable {
        /// The patch; nil if its manifest was not verified.
        public let patch: PatchID?
        /// Why it was refused.
        public let error: PatchError

        package init(_ patch: PatchID?, _ error: PatchError) {
            self.patch = patch
            self.error = error
        }
    }

    /// Why a call of a replacement failed.
    public struct Failure: Sendable {
        /// `script` for an error or a wrong result, `script-limit` for a run that was ended.
        public let code: PatchError.Code
        /// Lua's message without its position, or the reason why a value could not be passed.
        public package(set) var message: String
        /// The script in which it happened; nil if Lua does not know it.
        public let script: String?
        /// The line in the script, from 1. For a wrong result it is the line on which the function begins.
        public let line: Int?
        /// The line and those that called it, the innermost first, at most ten, each in a line of text, such as
        /// `cart.lua:3: in tax`; nil if no function of the script called it.
        public package(set) var stackTrace: String?
        /// Whether the patch is not at fault: the machine had no processor time or no memory for it.
        package var isCircumstance = false

        package init(code: PatchError.Code, message: String, script: String?, line: Int?) {
            self.code = code
            self.message = message
            self.script = script
            self.line = line
        }
    }

    /// A call in which a replacement failed.
    public struct FailedCall: Sendable {
        /// The call.
        public let call: PatchedCall
        /// Why it failed.
        public let failure: Failure

        package init(_ call: PatchedCall, _ failure: Failure) {
            self.call = call
            self.failure = failure
        }
    }

    /// A call that the script did not answer although it did not fail. Its `otherwise` answered instead, or, without
    /// one, the next patch below or the original.
    public struct Fallback: Sendable, Hashable {
        /// Why the script did not answer. A version after 1.0 may add some.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive
        #endif
        public enum Reason: String, Sendable {
            /// Another thread was in the patch for longer than ``PatchLimits/lockTime``.
            case busy
            /// The thread's stack was nearly used up, or calls were nested too deep. Reported once for all calls within
            /// a call.
            case noRoom = "no-room"
            /// There were already ``PatchLimits/waitingCalls`` asynchronous calls waiting.
            case waiting
            /// The run around the call was ended.
            case ended
            /// The script's `otherwise` answered: the patch has failed too often, or a device has closed it.
            case otherwise
            /// The patch was deactivated while a call was in a patch above it, so that the original answered.
            case deactivated
        }

        /// The call.
        public let call: PatchedCall
        /// Why the script did not answer.
        public let reason: Reason

        package init(_ call: PatchedCall, _ reason: Reason) {
            self.call = call
            self.reason = reason
        }
    }

    /// What a patch in shadow of a function would have changed since the last event of this kind.
    public struct ShadowComparison: Sendable {
        /// The patch.
        public let patch: PatchID
        /// The function's registered name.
        public let function: String
        /// What the patch would have changed.
        public let comparison: Comparison

        package init(_ patch: PatchID, function: String, _ comparison: Comparison) {
            self.patch = patch
            self.function = function
            self.comparison = comparison
        }
    }

    /// The functions of a patch that failed too often, so that the script does not run for now.
    public struct OpenBreaker: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID
        /// The functions that are skipped.
        public let functions: [String]
        /// How often they had failed.
        public let failures: Int
        /// Those of the functions for which the script gives an `otherwise`, which answers them.
        public let otherwise: [String]

        package init(_ patch: PatchID, functions: [String], failures: Int, otherwise: [String]) {
            self.patch = patch
            self.functions = functions
            self.failures = failures
            self.otherwise = otherwise
        }
    }

    /// A function of a patch that had failed too often, and runs again.
    public struct ClosedBreaker: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID
        /// The function's registered name.
        public let function: String

        package init(_ patch: PatchID, function: String) {
            self.patch = patch
            self.function = function
        }
    }

    /// A line that a script wrote to the log.
    public struct LogLine: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID
        /// The severity that the script gave it.
        public let severity: EventSeverity
        /// The text of the line.
        public let text: String

        package init(_ patch: PatchID, _ severity: EventSeverity, _ text: String) {
            self.patch = patch
            self.severity = severity
            self.text = text
        }
    }
}
