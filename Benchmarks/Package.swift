// swift-tools-version: 6.2
import PackageDescription

// The name of the package above, by which some benchmarks measure what no app needs: it is that of its folder.
let above = Context.packageDirectory.split(separator: "/").dropLast().last.map { $0.lowercased() } ?? ""

// A separate package, so that users of the libraries do not build it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "patchpack", path: "..")],
    targets: [
        .systemLibrary(name: "CLuaFloor", pkgConfig: "lua5.4"),
        .target(
            name: "CFloor", dependencies: ["CLuaFloor"],
            cSettings: [
                .define("_GNU_SOURCE", .when(platforms: [.linux])),  // memmem
                .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
            ],
            linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("zip")]),
        // Without Swift's libraries, which it does not use. Loading them takes a millisecond.
        .executableTarget(
            name: "floor", dependencies: ["CFloor"], linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CFloor", .product(name: "PatchRunner", package: "patchpack"),
                .product(name: "PatchFoundation", package: "patchpack"),
                .product(name: "PatchDevice", package: "patchpack"), .product(name: "PatchFeed", package: "patchpack"),
                .product(name: "PatchHTTP", package: "patchpack"),
                .product(name: "PatchCrypto", package: "patchpack"),
            ],
            packageAccess: false,
            swiftSettings: [
                .swiftLanguageMode(.v6), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .unsafeFlags(["-package-name", above]),
            ]),
    ]
)
