package import PatchRunner
internal import PatchText

/// The files that describe an app and the sandbox to an editor.
extension PatchInterface {
    /// Annotations for lua-language-server: types of the app's functions, structs and objects, and the names for
    /// patches and specs.
    package var stubs: String {
        let structs = structs.map { structure in
            (["---@class \(Self.identifier(structure.name))"]
                + structure.fields.map { "---@field \(Self.key($0.name)) \(type($0.type))" }).joined(separator: "\n")
        }
        let classes = classes.map { exposed in
            (["---@class \(Self.identifier(exposed.name))"]
                + exposed.methods.map { method in
                    let receiver = "self: \(Self.identifier(exposed.name))"
                    return
                        "---@field \(Self.key(method.name)) fun(\(parameters(method, before: [receiver])))\(result(method))"
                }).joined(separator: "\n")
        }
        let scalars = scalars.map { scalar in
            let cases = scalar.cases.map { value in
                if case .string(let text) = value { Escape.lua(text) } else { value.json.text() }
            }
            return "---@alias \(Self.identifier(scalar.name)) "
                + (cases.isEmpty ? type(scalar.type) : cases.joined(separator: " | "))
        }
        let others = aliases(of: unknownTypes)
        let head = """
            ---@meta
            -- The functions and types that patches for \(Escape.comment(app)) \(Escape.comment(appVersion)) find. Written by patchpack interface stubs.
            """
        let functions = [replacing, Self.words, calling, Self.specs]
        let parts: [String] = [head] + structs + scalars + classes + others + functions
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The configuration of lua-language-server for a folder of patches.
    package static var languageServerConfiguration: String {
        let missing = ["coroutine", "debug", "io", "os"].map { "    \"\($0)\": \"disable\"" }
        return """
            {
              "runtime.version": "Lua 5.4",
              "runtime.builtin": {
            \(missing.joined(separator: ",\n"))
              }
            }

            """
    }

    /// The configuration of luacheck for a folder of patches, with their specs in `specs`.
    package static var luacheckConfiguration: String {
        let globals = SandboxNames.globals.subtracting(SandboxNames.members.keys).sorted().map { "\"\($0)\"" }
        func fields(_ names: some Sequence<String>) -> String {
            "{fields = {\(names.sorted().map { "\"\($0)\"" }.joined(separator: ", "))}}"
        }
        let members = SandboxNames.members.sorted { $0.key < $1.key }.map { "    \($0.key) = \(fields($0.value))," }
        return """
            -- The names that patches can use, for luacheck. Written by patchpack interface stubs.
            stds.patch = {
              read_globals = {
                \(globals.joined(separator: ", ")),
            \(members.joined(separator: "\n"))
              },
            }
            stds.spec = {
              read_globals = {
                \(specWords.map { "\"\($0)\"" }.joined(separator: ", ")), "assert",
                host = \(fields(specHost)),
              },
            }
            std = "patch"
            ignore = {"131", "212/original", "212/self"}
            allow_defined_top = true
            max_line_length = false
            files["**/specs/**"] = {std = "lua54+spec"}
            exclude_files = {"types/"}

            """
    }

    private static let namedBlocks = ["describe", "context", "insulate", "expose", "it", "test", "spec"]

    private static let hooks = [
        "setup", "teardown", "strict_setup", "strict_teardown", "lazy_setup", "lazy_teardown", "before_each",
        "after_each",
    ]

    /// The doubles of luassert, of any type.
    private static let doubles = ["spy", "stub", "mock", "match"]

    private static let specWords = namedBlocks + ["pending"] + hooks + ["finally"] + doubles

    private static let specHost = [
        "define", "call", "object", "error", "throw", "calls", "failures", "fellback", "logs", "fuel",
    ]

    // MARK: types

    /// The names of the types that Lua has too.
    private static let known: Set = ["any", "boolean", "integer", "nil", "nothing", "number", "string"]

    private func type(_ name: String) -> String { type(InterfaceType(name)) }

    private func type(_ type: InterfaceType) -> String {
        switch type {
        case .optional(let wrapped):
            let wrapped = self.type(wrapped)
            return wrapped.hasSuffix("?") ? wrapped : "\(wrapped)?"
        case .array(let element): return "(\(self.type(element)))[]"
        case .dictionary(let key, let value): return "table<\(self.type(key)), \(self.type(value))>"
        case .named("nothing"): return "nil"
        case .named(let name): return Self.identifier(name)
        }
    }

    /// The types that functions name but the interface does not describe, such as the Swift names of classes.
    private var unknownTypes: [String] {
        let described = Set((structs.map(\.name) + scalars.map(\.name) + classes.map(\.name)).map(Self.identifier))
        let methods = classes.flatMap(\.methods) + functions
        let named =
            methods.flatMap { $0.signature.argumentTypes + [$0.signature.resultType] }
            + structs.flatMap { $0.fields.map(\.type) }
        let names = Set(named.flatMap { InterfaceType($0).names }).subtracting(Self.known).map(Self.identifier)
        return Set(names).subtracting(described).sorted()
    }

    /// Aliases for types of which only the name is known. Each may be any object of the app.
    private func aliases(of names: [String]) -> [String] {
        let anyObject = classes.isEmpty ? "any" : classes.map { Self.identifier($0.name) }.joined(separator: "|")
        guard names.count > 1, classes.count > Self.mostRepeated else {
            return names.map { "---@alias \($0) \(anyObject)" }
        }
        return ["---@alias patchpack.object \(anyObject)"] + names.map { "---@alias \($0) patchpack.object" }
    }

    /// If there are more classes, their list is written once, under a name of its own.
    private static let mostRepeated = 30

    /// The name in a form that annotations can have.
    private static func identifier(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    switch scalar {
                    case "a"..."z", "A"..."Z", "0"..."9", "_", ".": scalar
                    default: "_"
                    }
                }))
    }

    private static let keywords: Set = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
        "not", "or", "repeat", "return", "self", "then", "true", "until", "while",
    ]

    /// The name in a form that a parameter can have in Lua.
    private static func word(_ name: String) -> String {
        let word = identifier(name).split(separator: ".", omittingEmptySubsequences: false).joined(separator: "_")
        // An empty word is no name, and neither is one that begins with a digit.
        let isName = word.first.map { !$0.isNumber } ?? false
        return isName && !keywords.contains(word) ? word : "_" + word
    }

    /// The key of a field, whose name may be any string.
    private static func key(_ name: String) -> String {
        identifier(name) == name && !name.isEmpty && !name.contains(".") ? name : "[\(Escape.lua(name))]"
    }

    // MARK: functions

    private func parameters(_ function: Function, before: [String] = []) -> String {
        let names = function.signature.parameterNames
        let arguments = function.signature.argumentTypes.enumerated().map { number, argument in
            "\(names.isEmpty ? "a\(number + 1)" : Self.word(names[number])): \(type(argument))"
        }
        return (before + arguments).joined(separator: ", ")
    }

    private func result(_ function: Function) -> String {
        // Without parentheses, the types after it would be further results.
        function.signature.resultType == "nothing" ? "" : ": (\(type(function.signature.resultType)))"
    }

    /// The type of the value that answers if a replacement cannot.
    private func otherwise(_ function: Function) -> String {
        type(function.signature.resultType) + (function.signature.isThrowing ? " | HostError" : "")
    }

    /// `patch.replace`, with an overload for each function of the app.
    private var replacing: String {
        let overloads = functions.map { function in
            let original = "original: fun(\(parameters(function)))\(result(function))"
            let arguments = [
                "name: \(Escape.lua(function.name))",
                "replacement: fun(\(parameters(function, before: [original])))\(result(function))",
                "options?: {otherwise: \(otherwise(function))}",
            ]
            return "---@overload fun(\(arguments.joined(separator: ", ")))"
        }
        return Self.declaration(Self.patch, overloads, "function patch.replace(name, replacement, options) end")
    }

    /// `host.call`, with an overload for each function of the app.
    private var calling: String {
        let overloads = functions.map { function in
            let name = "name: \(Escape.lua(function.name))"
            return "---@overload fun(\(parameters(function, before: [name])))\(result(function))"
        }
        return Self.declaration(Self.host, overloads, "function host.call(name, ...) end")
    }

    /// A function with its annotations, which a blank line would end.
    private static func declaration(_ annotations: String, _ overloads: [String], _ function: String) -> String {
        ([annotations] + overloads + [function]).joined(separator: "\n")
    }

    private static let patch = """
        ---The patch that this script is.
        ---@class patch
        ---@field id string
        ---@field version integer
        ---@field app string
        ---@field appVersion string
        patch = {}

        ---Replaces a function of the app, while the script loads.
        ---@param name string
        ---@param replacement fun(original: function, ...): any
        ---@param options? {otherwise: any} The result if the replacement fails.
        """

    private static let words =
        "---@class log\nlog = {}\n"
        + ["debug", "info", "warn", "error"].map { level in
            "---Writes a line to the app's log.\n---@param ... any\nfunction log.\(level)(...) end\n"
        }.joined() + """

            ---Replaces methods in the way of Wax.
            ---@param names string[]
            function waxClass(names) end
            """

    private static let host = """
        ---The app. Specs have more of its functions than patches.
        ---@class host
        host = {}

        ---Whether the app has a function.
        ---@param name string
        ---@return boolean
        function host.has(name) end

        ---Throws an error as the app would.
        ---@param message string
        ---@param code? integer
        function host.throw(message, code) end

        ---An error for a replacement's `otherwise`.
        ---@class HostError
        ---@param message string
        ---@param code? integer
        ---@return HostError
        function host.error(message, code) end

        ---Calls a function of the app as it is now, patched or not.
        ---@param name string
        ---@param ... any
        ---@return any
        """

    private static let blocks = [
        namedBlocks.map { "---@param name string\n---@param body fun()\nfunction \($0)(name, body) end" },
        hooks.map { "---@param body fun()\nfunction \($0)(body) end" },
    ].joined().joined(separator: "\n")
    private static let values = doubles.map { "---@type any\n\($0) = nil" }.joined(separator: "\n")

    private static let specs = """
        -- Words of specs.

        ---Defines the app's function, which a patch receives as `original`.
        ---@param name string
        ---@param body function
        function host.define(name, body) end
        ---Makes a table act as an object of the app.
        ---@param class string
        ---@param methods table<string, function>
        ---@return any
        function host.object(class, methods) end
        ---The arguments of each call that the original got in this test.
        ---@param name string
        ---@return any[][]
        function host.calls(name) end
        ---The patch's failures in this test.
        ---@return {name: string, code: string, message: string, script: string, line: integer}[]
        function host.failures() end
        ---How often something below the patch answered instead of it.
        ---@param name string
        ---@return integer
        function host.fellback(name) end
        ---The lines that the patch logged.
        ---@return string[]
        function host.logs() end
        ---The fuel that the patch's last call took.
        ---@return integer
        function host.fuel() end
        \(blocks)
        ---@param name string
        ---@param body? fun()
        function pending(name, body) end
        ---@param body fun()
        function finally(body) end
        \(values)
        ---@class patchpack.assert
        ---@overload fun(value: any, message?: string, ...): any
        ---@field [string] any
        assert = {}
        """
}
