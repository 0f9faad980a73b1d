// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "patchpack",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "patchpack", targets: ["patchpack"]),
        .library(name: "PatchCrypto", targets: ["PatchCrypto"]),
        .library(name: "PatchFeed", targets: ["PatchFeed"]),
        .library(name: "PatchHTTP", targets: ["PatchHTTP"]),
        .library(name: "PatchRunner", targets: ["PatchRunner"]),
        .library(name: "PatchFoundation", targets: ["PatchFoundation"]),
        .library(name: "PatchDevice", targets: ["PatchDevice"]),
        .library(name: "PatchTesting", targets: ["PatchTesting"]),
        .library(name: "PatchMacros", targets: ["PatchMacros"]),
        .plugin(name: "PatchpackCommand", targets: ["PatchpackCommand"]),
        .plugin(name: "PatchResources", targets: ["PatchResources"]),
    ],
    traits: [
        .trait(
            name: "Macros", description: "@Patchable and @PatchStruct, in PatchMacros. Fetches and builds swift-syntax."
        )
    ],
    // Fetched only for an app that enables the trait.
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"605.0.0")],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CLibzip", pkgConfig: "libzip",
            providers: [.apt(["libzip-dev"]), .brew(["libzip"])]),
        .systemLibrary(
            name: "CLua", pkgConfig: "lua5.4",
            providers: [.apt(["liblua5.4-dev"]), .brew(["lua"])]),
        .target(name: "PatchCrypto", dependencies: ["COpenSSL", "CLibzip", "Libc"]),
        .target(name: "Libc"),
        .target(name: "PatchText", dependencies: ["PatchCrypto"]),
        .target(name: "PatchFiles", dependencies: ["PatchText", "PatchCrypto", "Libc"]),
        .target(name: "PatchFeed", dependencies: ["PatchCrypto"]),
        .target(
            name: "CCurl", cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]),
        .target(name: "PatchHTTP", dependencies: ["PatchFeed", "PatchText", "PatchCrypto", "CCurl"]),
        .target(
            name: "CLuaBridge", dependencies: ["CLua"],
            cSettings: [
                .define("_GNU_SOURCE", .when(platforms: [.linux])),  // pthread_getattr_np
                .define("_FORTIFY_SOURCE", to: "2", .when(platforms: [.linux], configuration: .release)),
                .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
            ]),
        .target(name: "PatchRunner", dependencies: ["PatchText", "PatchCrypto", "CLuaBridge", "Libc"]),
        .target(name: "PatchFoundation", dependencies: ["PatchRunner"]),
        .target(
            name: "PatchDevice",
            dependencies: ["PatchFeed", "PatchRunner", "PatchFiles", "PatchText", "PatchCrypto", "Libc"]),
        .target(name: "PatchPublishing", dependencies: ["PatchFeed", "PatchFiles", "PatchText", "PatchCrypto"]),
        .target(
            name: "CDecompress",
            cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "PatchReport", dependencies: ["PatchFiles", "PatchText", "PatchCrypto", "CDecompress", "Libc"]),
        .target(
            name: "CVersion",
            cSettings: [
                .define("PATCHPACK_VERSION", to: "\"\(Context.environment["PATCHPACK_VERSION"] ?? "")\"")
            ]),
        .target(
            name: "CLibzipLoader", dependencies: ["CLibzip"],
            cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]),
        .target(name: "PatchLint", dependencies: ["PatchRunner", "PatchText", "PatchCrypto", "CLuaBridge"]),
        .target(name: "CLuaSpec", dependencies: ["CLua"], exclude: ["specs.lua"]),
        .target(
            name: "PatchSpec",
            dependencies: ["PatchLint", "PatchRunner", "PatchText", "PatchCrypto", "CLuaBridge", "CLuaSpec"]),
        .executableTarget(
            name: "patchpack",
            dependencies: [
                "PatchCrypto", "PatchFiles", "PatchFeed", "PatchPublishing", "PatchHTTP", "PatchRunner", "PatchDevice",
                "PatchLint", "PatchSpec", "PatchReport", "PatchText", "CLibzipLoader", "CVersion", "Libc",
            ]),
        .plugin(
            name: "PatchpackCommand",
            capability: .command(
                intent: .custom(verb: "patchpack", description: "Pack, verify, lint and test patches."),
                permissions: [.writeToPackageDirectory(reason: "It writes envelopes, keys and feeds.")]),
            dependencies: ["patchpack"]),
        .plugin(name: "PatchResources", capability: .buildTool(), dependencies: ["patchpack"]),
        .target(
            name: "PatchTesting",
            dependencies: ["PatchDevice", "PatchPublishing", "PatchFeed", "PatchRunner", "PatchCrypto"]),
        .macro(
            name: "PatchMacroPlugin",
            dependencies: [
                "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftParser", "SwiftDiagnostics",
                "SwiftCompilerPlugin",
            ].map {
                .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"]))
            }),
        .target(name: "PatchMacros", dependencies: ["PatchMacroPlugin", "PatchRunner"]),
        .testTarget(
            name: "ShopTests",
            dependencies: ["shop", "PatchTesting", "PatchDevice"],
            path: "examples/shop-tests"),
        .executableTarget(
            name: "shop",
            dependencies: ["PatchDevice", "PatchHTTP"],
            path: "examples/shop"),
        .executableTarget(
            name: "service",
            dependencies: ["PatchDevice", "PatchHTTP"],
            path: "examples/service", exclude: ["run.py"]),
        .executableTarget(
            name: "tuf-client", dependencies: ["PatchHTTP", "PatchFeed", "PatchCrypto"], path: "Tests/Conformance"),
        .executableTarget(
            name: "fleet", dependencies: ["PatchDevice", "PatchFeed", "PatchRunner", "PatchCrypto", "RandomSupport"],
            path: "Tests/Fleet", exclude: ["advance.py"]),
        .executableTarget(
            name: "worker", dependencies: ["PatchDevice", "PatchFeed", "PatchRunner", "PatchCrypto"],
            path: "Tests/Worker"),
        .target(
            name: "world_faults", path: "Tests/World/Faults",
            cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "world",
            dependencies: [
                "PatchTesting", "PatchDevice", "PatchReport", "PatchPublishing", "PatchFeed", "PatchRunner",
                "PatchFiles", "PatchText", "PatchCrypto", "FeedTestSupport", "RandomSupport", "world_faults",
            ],
            path: "Tests/World", exclude: ["Faults"]),
        .target(name: "RandomSupport", path: "Tests/RandomSupport"),
        .target(name: "TestSupport", dependencies: ["PatchCrypto"], path: "Tests/TestSupport"),
        .target(
            name: "FeedTestSupport",
            dependencies: ["PatchReport", "PatchPublishing", "PatchFeed", "PatchRunner", "PatchFiles", "PatchCrypto"],
            path: "Tests/FeedTestSupport"),
        .testTarget(name: "PatchCryptoTests", dependencies: ["PatchCrypto", "TestSupport"]),
        .testTarget(name: "PatchTextTests", dependencies: ["PatchText", "PatchCrypto", "TestSupport"]),
        .testTarget(name: "PatchFilesTests", dependencies: ["PatchFiles", "PatchCrypto", "TestSupport"]),
        .testTarget(
            name: "PatchFeedTests",
            dependencies: ["FeedTestSupport", "PatchPublishing", "PatchFeed", "PatchCrypto", "TestSupport"]),
        .testTarget(
            name: "PatchPublishingTests",
            dependencies: [
                "FeedTestSupport", "PatchPublishing", "PatchFeed", "PatchFiles", "PatchCrypto", "TestSupport",
            ]),
        .testTarget(
            name: "PatchReportTests",
            dependencies: [
                "FeedTestSupport", "PatchReport", "PatchPublishing", "PatchFeed", "PatchFiles", "PatchText",
                "PatchCrypto", "TestSupport", "RandomSupport",
            ]),
        .testTarget(
            name: "PatchDeviceTests",
            dependencies: [
                "worker", "FeedTestSupport", "PatchTesting", "PatchDevice", "PatchPublishing", "PatchFeed",
                "PatchRunner", "PatchFiles", "PatchText", "PatchCrypto", "TestSupport", "RandomSupport",
            ]),
        .testTarget(
            name: "PatchRunnerTests", dependencies: ["PatchRunner", "PatchCrypto", "TestSupport", "RandomSupport"],
            exclude: ["Hostile/scripts"]),
        .testTarget(
            name: "PatchFoundationTests",
            dependencies: [
                "PatchFoundation", "PatchTesting", "PatchLint", "PatchRunner", "PatchCrypto", "TestSupport",
            ]),
        .testTarget(
            name: "PatchLintTests",
            dependencies: ["PatchLint", "PatchRunner", "PatchText", "PatchCrypto", "TestSupport"]),
        .testTarget(
            name: "PatchSpecTests",
            dependencies: ["PatchSpec", "PatchLint", "PatchRunner", "PatchText", "PatchCrypto", "TestSupport"],
            exclude: ["busted"]),
        .testTarget(
            name: "patchpackTests",
            dependencies: [
                "patchpack", "shop", "PatchDevice", "PatchReport", "PatchPublishing", "PatchHTTP", "PatchFeed",
                "PatchFiles", "PatchText", "PatchCrypto", "TestSupport", "RandomSupport",
            ],
            exclude: [
                "Arguments/help", "Faults/faults.c", "Feed/proxy.py", "Feed/store.py", "Interop/tuf_client.py",
                "Interop/tuf_repository.py",
            ]),
    ]
)

// A build plug-in runs the tool, so SwiftPM builds each module twice in a package with one. The Makefile builds without
// them.
if Context.environment["PATCHPACK_PLUGINS"] == "0" {
    package.targets.removeAll { $0.type == .plugin }
    package.products.removeAll { $0 is Product.Plugin }
}

// `make quick` builds the tests of one module.
if let names = Context.environment["PATCHPACK_TESTS"]?.split(separator: ",") {
    package.targets.removeAll { $0.isTest && !names.contains(Substring($0.name)) }
}

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
    ]
    // In a build for library evolution, the compiler warns that Foundation, which PatchFoundation's users need, was
    // built without.
    if target.name != "PatchFoundation" {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
    // A call of an asynchronous function, and every call below it, stays on the actor of its caller.
    if target.name == "PatchRunner" {
        target.swiftSettings?.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
    }
}
