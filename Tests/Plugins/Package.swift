// swift-tools-version: 6.2
import PackageDescription

// An app that depends on a version of the package by its URL, and uses both plug-ins. `check.sh` sets URL.
let package = Package(
    name: "app",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "URL", exact: "0.0.1")],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [
                .product(name: "PatchRunner", package: "patchpack"),
                .product(name: "PatchCrypto", package: "patchpack"),
            ],
            exclude: ["PatchResources"], swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "PatchResources", package: "patchpack")])
    ]
)
