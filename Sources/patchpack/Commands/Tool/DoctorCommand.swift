import PatchCrypto
import PatchHTTP
import PatchReport
import PatchRunner

enum DoctorCommand {
    static let verb = Verb(
        name: "doctor", summary: "check the abilities of this machine's libraries",
        operands: "", operandCount: 0...0, options: [], example: "patchpack doctor",
        run: { (_, console) throws(PatchError) in try run(console) })

    private static func run(_ console: Console) throws(PatchError) {
        let libraries = (Capability.libraries + ["Lua \(LuaLibrary.version)"]).joined(separator: ", ")
        let failure = PatchError(.internal, "Lua returns a wrong result", hint: "reinstall the library")
        let lua = LuaLibrary.fault ?? (LuaLibrary.works() ? nil : failure)
        let capabilities =
            Capability.all() + [
                Capability(
                    name: "libcurl", purpose: "feeds on servers", error: HTTPSource.missingLibrary, isOptional: true),
                Capability(
                    name: "Zstandard", purpose: "reports of *.zst", error: EventInput.missingLibrary, isOptional: true),
                Capability(name: "Lua", purpose: "running patches", error: lua),
            ]
        if console.format == .text, !console.isQuiet { try console.line("patchpack \(toolVersion), \(libraries)") }
        for capability in capabilities {
            if console.format == .json {
                try console.report(
                    "patchpack.doctor/1", about: [("check", capability.name)], capability.error,
                    [("optional", capability.isOptional), ("purpose", capability.purpose), ("libraries", libraries)])
            } else if let error = capability.error, !capability.isOptional || !console.isQuiet {
                try console.line(
                    capability.isOptional ? .faint : .bad, capability.isOptional ? "none" : "fail",
                    "  \(capability.name)  (\(capability.purpose))")
                if capability.isOptional { console.warning(error.text) } else { console.error(error) }
            } else if !console.isQuiet {
                try console.line(.good, "ok", "    \(capability.name)  (\(capability.purpose))")
            }
        }
        console.noteOldClients()
        console.fail(capabilities.filter { !$0.isOptional }.compactMap(\.error).first?.code)
    }
}
