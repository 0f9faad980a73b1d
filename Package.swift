// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "patchpack",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "patchpack", targets: ["patchpack"]),
        .library(name: "PatchCrypto", targets: ["PatchCrypto"]),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CLibzip", pkgConfig: "libzip",
            providers: [.apt(["libzip-dev"]), .brew(["libzip"])]),
        .target(name: "PatchCrypto", dependencies: ["COpenSSL", "CLibzip"]),
        .executableTarget(name: "patchpack", dependencies: ["PatchCrypto"]),
        .target(name: "TestSupport", dependencies: ["PatchCrypto"], path: "Tests/TestSupport"),
        .testTarget(name: "PatchCryptoTests", dependencies: ["PatchCrypto", "TestSupport"]),
        .testTarget(
            name: "patchpackTests", dependencies: ["patchpack", "PatchCrypto", "TestSupport"],
            exclude: ["Arguments/help", "Interop/open_envelope.py"]),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
    ]
}
