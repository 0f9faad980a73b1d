/// What a change of the active patches leaves to be done while this thread holds no lock: objects of the app may end
/// then, whose `deinit` may call anything, also the runner.
struct Leftovers {
    private var locked: [LuaState] = []
    private var growing: [LuaState] = []
    private var closed: [ScriptState] = []
    private var kept: [Any] = []

    /// Keeps a value until the end.
    mutating func keep(_ value: Any?) { if let value { kept.append(value) } }

    /// Locks the instances of a patch until the end.
    mutating func lock(_ lua: LuaState) { if lua.lockInstances() { locked.append(lua) } }

    /// Lets calls make other instances of a patch from the end on.
    mutating func letGrow(_ lua: LuaState) { growing.append(lua) }

    /// Closes a script, which is on no name any more, at the end.
    mutating func close(_ script: ScriptState) { closed.append(script) }

    /// Does what is left.
    func end() {
        for lua in locked { lua.unlockInstances() }
        for lua in growing { lua.letGrow() }
        for script in closed { script.close() }
    }
}
