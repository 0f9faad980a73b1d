internal import PatchCrypto

extension LuaLibrary {
    /// Whether a small script works in its own sandbox, and precompiled code is refused.
    package static func works() -> Bool {
        let script = "local sum = 0; for i = 1, 10 do sum = sum + i end; assert(sum == 55 and not io)"
        return loads(script) && !loads("assert(false)") && !loads("\u{1B}Lua")
    }

    private static func loads(_ source: String) -> Bool {
        do throws(PatchError) {
            let state = try ScriptState(
                [PatchScript(name: "doctor.lua", bytes: Array(source.utf8))], limits: PatchLimits(),
                host: HostInfo(app: "com.example.doctor", version: "1"), names: NameTable(), reports: .none, seed: 1)
            defer { state.close() }
            try state.load()
            return true
        } catch {
            return false
        }
    }
}
