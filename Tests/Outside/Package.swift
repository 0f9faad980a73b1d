// swift-tools-version: 6.2
import PackageDescription

// A package as an app's: it depends on the checkout, and knows nothing of it but what is public.
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
        // What README and docs show; samples.py writes most of it.
        .target(
            name: "samples",
            dependencies: ["PatchDevice", "PatchFoundation", "PatchHTTP", "PatchTesting"].map {
                .product(name: $0, package: "patchpack")
            },
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
