// swift-tools-version: 6.2
import PackageDescription

// A package like an app's: it depends on the checkout, and uses only its public declarations.
let package = Package(
    name: "Outside",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "patchpack", path: "../..")],
    targets: [
        .executableTarget(
            name: "outside",
            dependencies: [
                .product(name: "PatchRunner", package: "patchpack"),
                .product(name: "PatchFoundation", package: "patchpack"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "main-actor",
            dependencies: ["PatchRunner", "PatchTesting"].map {
                .product(name: $0, package: "patchpack")
            },
            swiftSettings: [
                .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
        // The examples in README and docs. samples.py writes most of it.
        .target(
            name: "samples",
            dependencies: ["PatchDevice", "PatchFoundation", "PatchHTTP", "PatchTesting"].map {
                .product(name: $0, package: "patchpack")
            },
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // The whole programs in docs. samples.py writes them, and programs.py runs them.
        .executableTarget(
            name: "runner-page", dependencies: [.product(name: "PatchRunner", package: "patchpack")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "server-page",
            dependencies: ["PatchDevice", "PatchHTTP"].map { .product(name: $0, package: "patchpack") },
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
