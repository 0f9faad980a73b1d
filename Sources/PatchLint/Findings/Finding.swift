internal import PatchRunner

/// A problem that lint has found in a patch.
package struct Finding: Sendable {
    package enum Severity: String, Sendable {
        /// The patch would be refused, or fail when it is called.
        case error
        /// It may be intended.
        case warning
    }

    /// The kind of a finding. The raw values are stable. docs/lint.md has the meanings too.
    package struct Code: Hashable, CaseIterable, Sendable {
        package let rawValue: String
        package let severity: Severity
        /// A sentence.
        package let meaning: String

        private init(_ rawValue: String, _ severity: Severity, _ meaning: String) {
            self.rawValue = rawValue
            self.severity = severity
            self.meaning = meaning
        }

        package static let tags = Code("tags", .error, "a required tag is missing, or a tag's value is malformed")
        package static let unknownTag = Code("unknown-tag", .warning, "a tag looks like a misspelled known tag")
        package static let syntax = Code(
            "syntax", .error, "the script does not parse, or is too large or too deeply nested to be compiled")
        package static let undefinedGlobal = Code("undefined-global", .warning, "a global is used that nothing defines")
        package static let notInSandbox = Code(
            "not-in-sandbox", .warning, "a Lua function is used that the sandbox does not have")
        package static let loadError = Code("load-error", .error, "the script fails while it loads")
        package static let loadLimit = Code("load-limit", .error, "the script runs past a limit while it loads")
        package static let replacesNothing = Code("replaces-nothing", .error, "the script replaces nothing")
        package static let replacesMissing = Code(
            "replaces-missing", .error, "the script replaces a function that its manifest does not list")
        package static let replacesUnused = Code(
            "replaces-unused", .error, "the manifest lists a function that the script does not replace")
        package static let unknownFunction = Code("unknown-function", .error, "the app has no such function")
        package static let arity = Code("arity", .warning, "a replacement has more parameters than it can get")
        package static let resultType = Code(
            "result-type", .error,
            "a replacement returns a value of another type than the function's, or a table without the fields of its struct"
        )
        package static let fileName = Code("file-name", .error, "a script in an envelope cannot have this file's name")
        package static let duplicate = Code(
            "duplicate", .error, "two scripts of one run are the same version of the same patch")
        package static let encoding = Code(
            "encoding", .warning, "a script is not UTF-8 text, or turns the direction of text")
        package static let unusedScript = Code(
            "unused-script", .warning, "no other script of the bundle requires this script")
        package static let operand = Code(
            "operand", .error,
            "an operation on a value whose type does not support it: `#quantity` of an integer, `nil .. \"x\"`, `original * 2`"
        )
        package static let originalArguments = Code(
            "original-arguments", .error,
            "the original, or `self:ORIGname(…)`, is called with more or fewer arguments than it takes")
        package static let unknownClass = Code(
            "unknown-class", .warning,
            "`waxClass` names a class that has no function in the app; this is fine for a helper class of the script itself"
        )
        package static let unknownMethod = Code(
            "unknown-method", .warning,
            "`self:name()` of a Wax class that neither the app nor the script has; a method that an object of the app, or a string, does not have"
        )
        package static let unknownField = Code(
            "unknown-field", .error,
            "a field is read or returned that the struct does not have; a position that an array never has, such as 0; a field or a position of a string, such as `text.length`"
        )
        package static let unknownCase = Code(
            "unknown-case", .error,
            "a string is given to the app, or is the key of a table, as a value of an enum that does not have it: `return \"lunsh\"`"
        )
        package static let argument = Code(
            "argument", .error,
            "an argument of the original, of `host.call`, of a method or of a Lua function has a type that it does not take, or there are too few or too many; a format that Lua refuses; a method is called with a dot; or an asynchronous function is called where the script cannot wait"
        )
        package static let missingReturn = Code(
            "missing-return", .warning, "one path through a replacement ends without a result")
        package static let mayBeNil = Code(
            "may-be-nil", .warning,
            "a result may be nil, and the function returns no optional; or a value may be nil that is used without a test, such as `tonumber(text)` of one of the app's strings"
        )
        package static let mayNotFit = Code(
            "may-not-fit", .warning,
            "a quotient where an integer is needed: `original(a / b)`; a number of the app where Lua needs an integer; a string of the app in a calculation"
        )
        package static let alwaysFalse = Code(
            "always-false", .warning,
            "two values are compared that are never equal: they have different types, as in `price == \"5\"` and `not x == 5`, or an enum has no such value"
        )
        package static let cannotThrow = Code(
            "cannot-throw", .error, "`host.throw` in a replacement of a function that cannot throw")
        package static let calledTwice = Code(
            "called-twice", .warning, "the original is called with the same arguments again")
        package static let keepsState = Code(
            "keeps-state", .error,
            "a call changes state that another call may see, and the head does not declare how many instances there may be"
        )
        package static let noOtherwise = Code(
            "no-otherwise", .warning,
            "the id or a comment suggests that the patch closes a security hole, and it has no `otherwise`: if it cannot answer, or crashes roll it back, the hole is open"
        )
        package static let tooLarge = Code(
            "too-large", .warning,
            "a script is too large to follow: from some place on, the types of its values are not checked; a comment does not silence this"
        )
        package static let spec = Code("spec", .error, "the script is a spec, not a patch")
        package static let unreadable = Code(
            "unreadable", .error,
            "a file cannot be read (in `sarif` and `github`; the exit status depends on the fault)")

        package static let allCases: [Code] = [
            .tags, .unknownTag, .syntax, .undefinedGlobal, .notInSandbox, .loadError, .loadLimit, .replacesNothing,
            .replacesMissing, .replacesUnused, .unknownFunction, .arity, .resultType, .fileName, .duplicate, .encoding,
            .unusedScript, .operand, .originalArguments, .unknownClass, .unknownMethod, .unknownField, .unknownCase,
            .argument, .missingReturn, .mayBeNil, .mayNotFit, .alwaysFalse, .cannotThrow, .calledTwice, .keepsState,
            .noOtherwise, .tooLarge, .spec, .unreadable,
        ]
    }

    package let code: Code
    /// The script's name in the envelope.
    package let script: String
    /// The line, from 1.
    package let line: Int
    /// The column in code points, from 1.
    package let column: Int
    /// The length in code points, at least 1.
    package let length: Int
    package let message: String
    package let hint: String?

    package var severity: Severity { code.severity }
}
