/// The names that a script can use. A test compares them with the sandbox.
enum SandboxNames {
    static let globals: Set<String> = [
        "_G", "_VERSION", "assert", "error", "getmetatable", "host", "ipairs", "log", "math", "next", "pairs", "patch",
        "pcall", "print", "rawequal", "rawget", "rawlen", "rawset", "require", "select", "setmetatable", "string",
        "table", "tonumber", "tostring", "type", "utf8", "waxClass", "xpcall",
    ]

    static let members: [String: Set<String>] = [
        "host": ["call", "error", "has", "throw"], "log": ["debug", "error", "info", "warn"],
        "math": [
            "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log", "max",
            "maxinteger", "min", "mininteger", "modf", "pi", "rad", "random", "sin", "sqrt", "tan", "tointeger", "type",
            "ult",
        ],
        "patch": ["app", "appVersion", "id", "replace", "version"],
        "string": [
            "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse", "sub",
            "upper",
        ],
        "table": ["concat", "insert", "move", "pack", "remove", "sort", "unpack"],
        "utf8": ["char", "charpattern", "codepoint", "codes", "len", "offset"],
    ]

    /// The globals of Lua and of LuaJIT that the sandbox does not have.
    static let missing: Set<String> = [
        "bit", "bit32", "collectgarbage", "coroutine", "debug", "dofile", "io", "jit", "load", "loadfile",
        "loadstring", "os", "package", "setfenv", "getfenv", "unpack", "module", "warn",
    ]
}
