// swift-tools-version: 6.2
import PackageDescription

// A separate package that compiles the sources of patchpack (links to ../Sources) for libFuzzer: with its counters and
// the address sanitizer.
let instrumented: [SwiftSetting] = [
    .unsafeFlags(["-sanitize=fuzzer,address", "-O", "-enable-testing"]),
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let instrumentedC = ["-fsanitize=fuzzer-no-link,address", "-O1"]
// gold cannot read the debug information. The driver has no flag for libFuzzer without a `main`, so
// scripts/check/fuzz.sh passes the library.
let linking = [
    "-sanitize=address", "-use-ld=lld", "-Xlinker",
    Context.environment["PATCHPACK_FUZZER_LIBRARY"] ?? "", "-lstdc++",
]

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CLibzip", pkgConfig: "libzip"),
        .systemLibrary(name: "CLua", pkgConfig: "lua5.4"),
        .target(name: "PatchCrypto", dependencies: ["COpenSSL", "CLibzip", "Libc"], swiftSettings: instrumented),
        .target(name: "Libc", swiftSettings: instrumented),
        .target(name: "PatchText", dependencies: ["PatchCrypto"], swiftSettings: instrumented),
        .target(name: "PatchFiles", dependencies: ["PatchText", "PatchCrypto", "Libc"], swiftSettings: instrumented),
        .target(name: "PatchFeed", dependencies: ["PatchCrypto"], swiftSettings: instrumented),
        .target(name: "CCurl"),
        .target(name: "PatchHTTP", dependencies: ["PatchFeed", "PatchText", "PatchCrypto", "CCurl"]),
        .target(
            name: "CLuaBridge", dependencies: ["CLua"],
            cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux])), .unsafeFlags(instrumentedC)]),
        .target(
            name: "PatchRunner", dependencies: ["PatchText", "PatchCrypto", "CLuaBridge", "Libc"],
            swiftSettings: instrumented + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .target(
            name: "CDecompress", cSettings: [.unsafeFlags(instrumentedC)],
            linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "PatchReport", dependencies: ["PatchFiles", "PatchText", "PatchCrypto", "CDecompress", "Libc"],
            swiftSettings: instrumented),
        .target(
            name: "PatchDevice",
            dependencies: ["PatchFeed", "PatchRunner", "PatchFiles", "PatchText", "PatchCrypto", "Libc"],
            swiftSettings: instrumented),
        .target(
            name: "PatchPublishing", dependencies: ["PatchFeed", "PatchFiles", "PatchText", "PatchCrypto"],
            swiftSettings: instrumented),
        .target(
            name: "PatchLint", dependencies: ["PatchRunner", "PatchText", "PatchCrypto", "CLuaBridge"],
            swiftSettings: instrumented),
        .target(name: "CLuaSpec", dependencies: ["CLua"], exclude: ["specs.lua"]),
        .target(
            name: "PatchSpec",
            dependencies: ["PatchLint", "PatchRunner", "PatchText", "PatchCrypto", "CLuaBridge", "CLuaSpec"],
            swiftSettings: instrumented),
        .target(name: "CVersion", cSettings: [.define("PATCHPACK_VERSION", to: "\"\"")]),
        .target(
            name: "patchpack",
            dependencies: [
                "PatchCrypto", "PatchFiles", "PatchFeed", "PatchPublishing", "PatchHTTP", "PatchRunner", "PatchDevice",
                "PatchLint", "PatchSpec", "PatchReport", "PatchText", "CVersion", "Libc",
            ],
            exclude: ["Main.swift"], swiftSettings: instrumented),
        .target(name: "CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzzer", "PatchCrypto", "PatchDevice", "PatchFeed", "PatchFiles", "PatchLint", "PatchPublishing",
                "PatchReport", "PatchRunner", "PatchSpec", "PatchText", "patchpack",
            ],
            swiftSettings: instrumented,
            linkerSettings: [.unsafeFlags(linking)]),
    ]
)
