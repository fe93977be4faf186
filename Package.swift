// swift-tools-version: 6.2

import PackageDescription

/// Warnings are errors in CI, where `CI` is set; at a developer's desk they stay warnings.
let settings: [SwiftSetting] =
    Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// A sanitizer has an allocator of its own, which must be the only one.
let allocator: [Target.Dependency] =
    Context.environment["SANITIZER"] == nil ? ["CJemalloc"] : []

/// A module in the folder of its layer; with `resources`, a folder that EmbedText compiles into it.
func module(
    _ path: String, _ dependencies: [Target.Dependency] = [], resources: String? = nil
) -> Target {
    .target(
        name: name(path), dependencies: dependencies, path: "Sources/" + path,
        exclude: resources.map { [$0] } ?? [], swiftSettings: settings,
        plugins: resources == nil ? [] : ["EmbedText"])
}

func name(_ path: String) -> String { String(path.split(separator: "/").last!) }

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func cLibrary(_ name: String, pkgConfig: String? = nil, debian: String...) -> Target {
    .systemLibrary(
        name: name, path: "Sources/C/" + name, pkgConfig: pkgConfig,
        providers: debian.isEmpty ? nil : [.apt(debian)])
}

let package = Package(
    name: "waypost",
    // For apps: one writes traces, the other is for unit tests. They need none of the dependencies.
    products: [
        .library(name: "WaypostTrace", targets: ["WaypostTrace"]),
        .library(name: "Navigation", targets: ["Navigation"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        cLibrary("CMicrohttpd", pkgConfig: "libmicrohttpd", debian: "libmicrohttpd-dev"),
        cLibrary("CEpoll"),
        cLibrary("CSodium", pkgConfig: "libsodium", debian: "libsodium-dev"),
        cLibrary("CJansson", pkgConfig: "jansson", debian: "libjansson-dev"),
        cLibrary("CXML2", pkgConfig: "libxml-2.0", debian: "libxml2-dev"),
        cLibrary("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
        cLibrary("CPostgres", pkgConfig: "libpq", debian: "libpq-dev"),
        cLibrary("CJemalloc", pkgConfig: "jemalloc", debian: "libjemalloc-dev"),
        // Lowest first: a module imports only modules above it in this list.
        module("Base/JSON"),
        module(
            "Base/WaypostCore",
            ["CSodium", "CJansson", "JSON", .product(name: "Logging", package: "swift-log")]),
        module("Rules/NavigationRules", ["JSON"]),
        module("Rules/AppDefinition", ["JSON", "NavigationRules"]),
        // The product Navigation: nothing that it depends on may need a system library.
        module("Rules/Navigation", ["JSON", "NavigationRules", "AppDefinition"]),
        module("Rules/Exploration", ["JSON", "NavigationRules"]),
        module(
            "Engine/Sessions", ["CSodium", "JSON", "WaypostCore", "NavigationRules"],
            resources: "Accounts/Resources"),
        module("Engine/SQLStore", ["JSON", "WaypostCore", "NavigationRules", "Sessions"]),
        module(
            "Engine/PostgresStore", ["CPostgres", "JSON", "WaypostCore", "Sessions", "SQLStore"]),
        module(
            "Engine/SQLiteStore",
            [
                "CSQLite", "JSON", "WaypostCore", "Sessions", "SQLStore",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        module("Service/HTTPCore", ["JSON", "WaypostCore"]),
        module("Service/Sockets"),
        module("Service/MicrohttpdServer", ["CMicrohttpd", "CEpoll", "HTTPCore", "Sockets"]),
        module(
            "Service/WaypostAPI",
            [
                "JSON", "WaypostCore", "NavigationRules", "AppDefinition", "Exploration",
                "Sessions",
                "HTTPCore", .product(name: "Logging", package: "swift-log"),
            ],
            resources: "Inspector/Resources"),
        module(
            "Tools/AppLoading",
            ["CXML2", "JSON", "WaypostCore", "NavigationRules", "AppDefinition"],
            resources: "Resources"),
        module(
            "Tools/Flows",
            [
                "JSON", "WaypostCore", "NavigationRules", "AppDefinition", "Sessions", "HTTPCore",
                "Sockets", "WaypostAPI", .product(name: "Yams", package: "Yams"),
            ]),
        module("Tools/WaypostTrace"),
        // `make openapi` runs it: writes openapi.yaml.
        .executableTarget(
            name: "OpenAPI",
            dependencies: ["WaypostAPI", "HTTPCore", .product(name: "Yams", package: "Yams")],
            path: "Sources/Tools/OpenAPI",
            exclude: ["Fragments"],
            swiftSettings: settings),
        .plugin(name: "EmbedText", capability: .buildTool(), path: "Sources/Tools/EmbedText"),
        .executableTarget(
            name: "waypost",
            dependencies: [
                "WaypostAPI", "Exploration", "AppLoading", "Flows", "MicrohttpdServer", "Sockets",
                "SQLiteStore", "PostgresStore", "HTTPCore", "JSON", "WaypostCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ] + allocator,
            path: "Sources/Tools/waypost",
            exclude: ["Starter"],
            swiftSettings: settings,
            plugins: ["EmbedText"]),
        tests("WaypostCoreTests", ["WaypostCore", "TestSupport"]),
        tests("MetricsTests", ["WaypostCore", "TestSupport"]),
        .testTarget(
            name: "NavigationTests",
            dependencies: ["NavigationRules", "AppLoading", "TestSupport"],
            exclude: ["Imports/Storyboards"],
            swiftSettings: settings),
        tests("ProductTests", ["Navigation"]),
        tests("PropertyListsTests", ["AppDefinition", "WaypostCore", "TestSupport"]),
        tests("XcodeStoryboardsTests", ["AppLoading", "TestSupport"]),
        tests("AppDefinitionTests", ["AppDefinition", "AppLoading", "TestSupport"]),
        tests("AccountsTests", ["Sessions", "TestSupport"]),
        tests("LogsTests", ["WaypostCore", "TestSupport"]),
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
        tests("SocketsTests", ["Sockets", "TestSupport"]),
        tests(
            "MicrohttpdServerTests",
            [
                "MicrohttpdServer", "CEpoll", "CMicrohttpd", "Sockets", "WaypostCore",
                "TestSupport",
            ]),
        .target(
            name: "TestSupport",
            dependencies: ["HTTPCore", "WaypostCore", "JSON", "NavigationRules"],
            path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(
            name: "WaypostTesting",
            dependencies: [
                "WaypostAPI", "AppLoading", "MicrohttpdServer", "Sockets", "SessionStoreTesting",
                "TestSupport",
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
                "Exploration", "Flows", "AppLoading", "Sessions", "SQLiteStore", "HTTPCore",
                "MicrohttpdServer", "Sockets", "CXML2", "WaypostTesting", "TestSupport",
            ],
            exclude: ["Explore/Cases"], swiftSettings: settings),
        tests("WaypostTraceTests", ["WaypostTrace", "Flows", "AppLoading", "TestSupport"]),
        .testTarget(
            name: "waypostTests",
            dependencies: [
                "waypost", "Flows", "Sockets", "WaypostTesting", "SessionStoreTesting",
                "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Golden"],
            swiftSettings: settings),
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
                "LibFuzzer", "HTTPCore", "JSON", "WaypostAPI", "AppDefinition", "AppLoading",
                "NavigationRules", "Sessions", "WaypostCore", "SQLiteStore", "TestSupport",
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
            name: "depth", dependencies: ["NavigationRules", "TestSupport"],
            path: "Benchmarks/depth",
            swiftSettings: settings))
}
