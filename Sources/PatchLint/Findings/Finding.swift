internal import PatchRunner

/// A problem that lint has found in a patch.
package struct Finding: Sendable {
    package enum Severity: String, Sendable {
        /// The patch would be refused, or fail when it is called.
        case error
        /// It may be intended.
        case warning
    }

    /// The kind of a finding. The codes are stable.
    package enum Code: String, CaseIterable, Sendable {
        case tags
        case unknownTag = "unknown-tag"
        case syntax
        case undefinedGlobal = "undefined-global"
        case notInSandbox = "not-in-sandbox"
        case loadError = "load-error"
        case loadLimit = "load-limit"
        case replacesNothing = "replaces-nothing"
        case replacesMissing = "replaces-missing"
        case replacesUnused = "replaces-unused"
        case unknownFunction = "unknown-function"
        case arity
        case resultType = "result-type"
        case fileName = "file-name"
        case duplicate
        case encoding
        case unusedScript = "unused-script"
        case operand
        case originalArguments = "original-arguments"
        case unknownClass = "unknown-class"
        case unknownMethod = "unknown-method"
        case unknownField = "unknown-field"
        case unknownCase = "unknown-case"
        case argument
        case missingReturn = "missing-return"
        case mayBeNil = "may-be-nil"
        case mayNotFit = "may-not-fit"
        case alwaysFalse = "always-false"
        case cannotThrow = "cannot-throw"
        case calledTwice = "called-twice"
        case keepsState = "keeps-state"
        case noOtherwise = "no-otherwise"
        case tooLarge = "too-large"
        case spec
        case unreadable

        package var severity: Severity {
            switch self {
            case .unknownTag, .undefinedGlobal, .notInSandbox, .arity, .encoding, .unusedScript, .unknownMethod,
                .unknownClass, .missingReturn, .mayBeNil, .mayNotFit, .alwaysFalse, .calledTwice, .noOtherwise, .tooLarge:
                .warning
            default: .error
            }
        }

        /// The meaning of the code in a sentence. docs/cli.md has it too.
        package var meaning: String {
            switch self {
            case .tags: "a required tag is missing, or a tag's value is malformed"
            case .unknownTag: "a tag looks like a misspelled known tag"
            case .syntax: "the script does not parse, or is too large or too deeply nested to be compiled"
            case .undefinedGlobal: "a global is used that nothing defines"
            case .notInSandbox: "a Lua function is used that the sandbox does not have"
            case .loadError: "the script fails while it loads"
            case .loadLimit: "the script runs past a limit while it loads"
            case .replacesNothing: "the script replaces nothing"
            case .replacesMissing: "the script replaces a function that its manifest does not list"
            case .replacesUnused: "the manifest lists a function that the script does not replace"
            case .unknownFunction: "the app has no such function"
            case .arity: "a replacement has more parameters than it can get"
            case .resultType:
                "a replacement returns a value of another type than the function's, or a table without the fields of its struct"
            case .fileName: "a script in an envelope cannot have this file's name"
            case .duplicate: "two scripts of one run are the same version of the same patch"
            case .encoding: "a script is not UTF-8 text, or turns the direction of text"
            case .unusedScript: "no other script of the bundle requires this script"
            case .operand:
                "an operation on a value whose type does not support it: `#quantity` of an integer, `nil .. \"x\"`, `original * 2`"
            case .originalArguments:
                "the original, or `self:ORIGname(…)`, is called with more or fewer arguments than it takes"
            case .unknownClass:
                "`waxClass` names a class that has no function in the app; this is fine for a helper class of the script itself"
            case .unknownMethod:
                "`self:name()` of a Wax class that neither the app nor the script has; a method that an object of the app, or a string, does not have"
            case .unknownField:
                "a field is read or returned that the struct does not have; a position that an array never has, such as 0; a field or a position of a string, such as `text.length`"
            case .unknownCase:
                "a string is given to the app, or is the key of a table, as a value of an enum that does not have it: `return \"lunsh\"`"
            case .argument:
                "an argument of the original, of `host.call`, of a method or of a Lua function has a type that it does not take, or there are too few or too many; a format that Lua refuses; a method is called with a dot; or an asynchronous function is called where the script cannot wait"
            case .missingReturn: "one path through a replacement ends without a result"
            case .mayBeNil:
                "a result may be nil, and the function returns no optional; or a value may be nil that is used without a test, such as `tonumber(text)` of one of the app's strings"
            case .mayNotFit:
                "a quotient where an integer is needed: `original(a / b)`; a string of the app in a calculation"
            case .alwaysFalse:
                "two values are compared that are never equal: they have different types, as in `price == \"5\"` and `not x == 5`, or an enum has no such value"
            case .cannotThrow: "`host.throw` in a replacement of a function that cannot throw"
            case .calledTwice: "the original is called with the same arguments again"
            case .keepsState:
                "a call changes state that another call may see, and the head does not declare how many instances there may be"
            case .noOtherwise:
                "the id or a comment suggests that the patch closes a security hole, and it has no `otherwise`: if it cannot answer, or crashes roll it back, the hole is open"
            case .tooLarge:
                "a script is too large to follow: from some place on, the types of its values are not checked; a comment does not silence this"
            case .spec: "the script is a spec, not a patch"
            case .unreadable: "a file cannot be read (in `sarif` and `github`; the exit status depends on the fault)"
            }
        }
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
