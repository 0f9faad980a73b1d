// swift-tools-version: 6.2
import PackageDescription

// Programs that use the macros, with a plug-in built with the toolchain's SwiftSyntax, so that nothing is fetched. The
// declarations of the macros are links to those of PatchMacros.
guard let plugin = Context.environment["PATCHPACK_MACROS"] else { fatalError("`make check-packages` builds this") }
let package = Package(
    name: "Macros",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "patchpack", path: "../..")],
    targets: ["shapes", "shapes-main-actor"].map { name in
        .executableTarget(
            name: name,
            dependencies: ["PatchCrypto", "PatchRunner", "PatchTesting"].map {
                .product(name: $0, package: "patchpack")
            },
            swiftSettings: [
                .swiftLanguageMode(.v6), .define("Macros"), .unsafeFlags(["-load-plugin-library", plugin]),
            ]
                + (name == "shapes-main-actor"
                    ? [.defaultIsolation(MainActor.self), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]
                    : []))
    }
)
