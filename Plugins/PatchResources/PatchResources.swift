import Foundation
import PackagePlugin

/// Checks a target's keys and root, and the patches beside them, with each build, and compiles keys and root into the
/// target.
///
/// The target's folder has a folder `PatchResources`, which the target excludes. `trusted.pem`, `trust.store` and
/// `root.json` in it become `PatchResources.trustedKey`, `.trustStore` and `.root`, arrays of bytes. Its scripts in
/// `patches` are linted, against `interface.json` if there is one.
@main
struct PatchResources: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let folder = target.directoryURL.appending(path: "PatchResources")
        let files = FileManager.default
        guard files.fileExists(atPath: folder.path) else {
            Diagnostics.error(
                "\(target.name): no folder PatchResources; put trusted.pem, trust.store or root.json into it")
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "PatchResources.swift")
        var arguments = ["embed", "--force", "--output", output.path]
        var inputs: [URL] = []
        for (name, option) in [
            ("trusted.pem", "--trusted-key"), ("trust.store", "--trust-store"), ("root.json", "--root"),
            ("interface.json", "--interface"),
        ] {
            let file = folder.appending(path: name)
            guard files.fileExists(atPath: file.path) else { continue }
            arguments += [option, file.path]
            inputs.append(file)
        }
        let patches = folder.appending(path: "patches")
        let names = (try? files.contentsOfDirectory(atPath: patches.path)) ?? []
        let scripts = names.filter { $0.hasSuffix(".lua") }.sorted().map { patches.appending(path: $0) }
        return [
            .buildCommand(
                displayName: "Checking patch resources of \(target.name)",
                executable: try context.tool(named: "patchpack").url,
                arguments: arguments + scripts.map(\.path), inputFiles: inputs + scripts, outputFiles: [output])
        ]
    }
}
