// swift-tools-version: 6.2

import PackageDescription

/// Warnings are errors in CI, where `CI` is set; at a developer's desk they stay warnings.
let settings: [SwiftSetting] =
    Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// A sanitizer has an allocator of its own, which must be the only one.
let allocator: [Target.Dependency] =
    Context.environment["SANITIZER"] == nil ? ["CJemalloc"] : []

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func cLibrary(_ name: String, pkgConfig: String, debian: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

let package = Package(
    name: "waypost",
    // For apps, which write traces with it. It needs none of the dependencies.
    products: [.library(name: "WaypostTrace", targets: ["WaypostTrace"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // Lowest first: a module imports only modules above it in this list.
        cLibrary("CMicrohttpd", pkgConfig: "libmicrohttpd", debian: "libmicrohttpd-dev"),
        .systemLibrary(name: "CEpoll"),
        cLibrary("CSodium", pkgConfig: "libsodium", debian: "libsodium-dev"),
        cLibrary("CJansson", pkgConfig: "jansson", debian: "libjansson-dev"),
        cLibrary("CXML2", pkgConfig: "libxml-2.0", debian: "libxml2-dev"),
        cLibrary("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
        cLibrary("CPostgres", pkgConfig: "libpq", debian: "libpq-dev"),
        cLibrary("CJemalloc", pkgConfig: "jemalloc", debian: "libjemalloc-dev"),
        module("WaypostCore", ["CSodium"]),
        module("JSON", ["CJansson"]),
        module("Metrics"),
        module("Navigation", ["JSON"]),
        module("WaypostTrace"),
        module("PropertyLists", ["JSON"]),
        module("XcodeStoryboards", ["CXML2", "JSON", "Navigation", "PropertyLists"]),
        module("Exploration", ["JSON", "Navigation"]),
        .target(
            name: "AppDefinition",
            dependencies: ["PropertyLists", "Navigation", "XcodeStoryboards"],
            exclude: ["Resources"],
            swiftSettings: settings,
            plugins: ["EmbedText"]),
        .target(
            name: "Accounts",
            dependencies: ["WaypostCore", "CSodium", "Metrics"],
            exclude: ["Resources"],
            swiftSettings: settings,
            plugins: ["EmbedText"]),
        module(
            "Logs",
            ["WaypostCore", "JSON", "Metrics", .product(name: "Logging", package: "swift-log")]),
        module("Sessions", ["WaypostCore", "JSON", "Navigation", "Accounts", "Metrics"]),
        module("SQLStore", ["Sessions", "Navigation", "JSON", "Metrics"]),
        module("PostgresStore", ["CPostgres", "SQLStore", "Sessions", "JSON", "Metrics"]),
        module(
            "SQLiteStore",
            [
                "CSQLite", "SQLStore", "Sessions", "JSON", "Metrics",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        module("HTTPCore", ["WaypostCore"]),
        module("Sockets"),
        module("Streams", ["CEpoll", "HTTPCore", "Sockets"]),
        module(
            "MicrohttpdServer", ["CMicrohttpd", "CEpoll", "HTTPCore", "Sockets", "Streams"]),
        .target(
            name: "WaypostAPI",
            dependencies: [
                "WaypostCore", "Navigation", "Exploration", "AppDefinition", "Accounts", "Sessions",
                "JSON",
                "HTTPCore",
                "Metrics", "Logs", .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Inspector/Resources"],
            swiftSettings: settings,
            plugins: ["EmbedText"]),
        module(
            "Flows",
            [
                "WaypostCore", "JSON", "Navigation", "AppDefinition", "Accounts", "Sessions",
                "HTTPCore", "Sockets", "WaypostAPI", .product(name: "Yams", package: "Yams"),
            ]),
        // `make openapi` runs it: writes openapi.yaml.
        .executableTarget(
            name: "OpenAPI",
            dependencies: ["WaypostAPI", "HTTPCore", .product(name: "Yams", package: "Yams")],
            exclude: ["Fragments"],
            swiftSettings: settings),
        .plugin(name: "EmbedText", capability: .buildTool(), path: "Sources/EmbedText"),
        .executableTarget(
            name: "waypost",
            dependencies: [
                "WaypostAPI", "Exploration", "Flows", "MicrohttpdServer", "Sockets", "SQLiteStore",
                "PostgresStore", "HTTPCore", "JSON", "Metrics", "Logs", "XcodeStoryboards",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ] + allocator,
            exclude: ["Starter"],
            swiftSettings: settings,
            plugins: ["EmbedText"]),
        tests("WaypostCoreTests", ["WaypostCore", "TestSupport"]),
        tests("MetricsTests", ["Metrics", "TestSupport"]),
        .testTarget(
            name: "NavigationTests",
            dependencies: ["Navigation", "AppDefinition", "XcodeStoryboards", "TestSupport"],
            exclude: ["Imports/Storyboards"],
            swiftSettings: settings),
        tests("PropertyListsTests", ["PropertyLists", "TestSupport"]),
        tests("XcodeStoryboardsTests", ["XcodeStoryboards", "TestSupport"]),
        tests("AppDefinitionTests", ["AppDefinition", "TestSupport"]),
        tests("AccountsTests", ["Accounts", "TestSupport"]),
        tests("LogsTests", ["Logs", "TestSupport"]),
        tests("SessionsTests", ["Sessions", "SessionStoreTesting", "TestSupport"]),
        tests("SQLiteStoreTests", ["SQLiteStore", "SessionStoreTesting", "TestSupport"]),
        tests("PostgresStoreTests", ["PostgresStore", "SessionStoreTesting", "TestSupport"]),
        .target(
            name: "SessionStoreTesting",
            dependencies: ["Sessions", "SQLStore", "SQLiteStore", "PostgresStore", "TestSupport"],
            path: "Tests/SessionStoreTesting",
            swiftSettings: settings),
        tests("SessionStoreTests", ["SessionStoreTesting"]),
        tests("JSONTests", ["JSON", "TestSupport"]),
        tests("HTTPCoreTests", ["HTTPCore", "TestSupport"]),
        tests("StreamsTests", ["Streams"]),
        tests("SocketsTests", ["Sockets", "TestSupport"]),
        tests(
            "MicrohttpdServerTests",
            [
                "MicrohttpdServer", "CEpoll", "CMicrohttpd", "Sockets", "WaypostCore",
                "TestSupport",
            ]),
        .target(
            name: "TestSupport",
            dependencies: ["WaypostCore", "JSON", "Navigation"],
            path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(
            name: "WaypostTesting",
            dependencies: [
                "WaypostAPI", "MicrohttpdServer", "Sockets", "SessionStoreTesting", "TestSupport",
            ],
            path: "Tests/WaypostTesting",
            swiftSettings: settings),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["WaypostTesting", "SessionStoreTesting", "TestSupport"],
            resources: [.copy("Cases"), .copy("Facts"), .copy("Storyboards")],
            swiftSettings: settings),
        .testTarget(
            name: "FlowsTests",
            dependencies: [
                "Exploration", "Flows", "AppDefinition", "Sessions", "SQLiteStore", "CXML2",
                "WaypostTesting", "TestSupport",
            ],
            exclude: ["Explore/Cases"], swiftSettings: settings),
        tests("WaypostTraceTests", ["WaypostTrace", "Flows", "AppDefinition", "TestSupport"]),
        tests(
            "waypostTests",
            [
                "waypost", "Sockets", "WaypostTesting", "SessionStoreTesting", "TestSupport",
                .product(name: "Yams", package: "Yams"),
            ]),
        tests(
            "WaypostAPITests",
            [
                "OpenAPI", "WaypostTesting", "SessionStoreTesting", "TestSupport", "SQLiteStore",
                "PostgresStore",
                .product(name: "Yams", package: "Yams"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// `make fuzz` asks for it: not every toolchain has libFuzzer.
if Context.environment["WAYPOST_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "LibFuzzer", path: "Tests/fuzz/libFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "LibFuzzer", "HTTPCore", "JSON", "WaypostAPI", "AppDefinition", "PropertyLists",
                "Navigation", "Sessions", "WaypostCore", "SQLiteStore", "TestSupport",
                "XcodeStoryboards",
            ],
            path: "Tests/fuzz/Targets",
            swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
    ]
}

// `.dist/build` links an object file in place of the data of Foundation's ICU. The linker takes the
// first one; an object file of the option -Xlinker would come after Foundation's archive.
if let data = Context.environment["WAYPOST_ICU_DATA"] {
    package.targets.first { $0.name == "waypost" }?.linkerSettings = [.unsafeFlags([data])]
}

// Benchmarks/README.md has its command.
if Context.environment["WAYPOST_BENCHMARK"] != nil {
    package.targets.append(
        .executableTarget(
            name: "depth", dependencies: ["Navigation"], path: "Benchmarks/depth",
            swiftSettings: settings))
}
