// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that Waypost does not depend on Hummingbird. The folder cannot be called
// `hummingbird`: its name is the package's identity, which would hide the library.
let package = Package(
    name: "hummingbird-peer",
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-crypto", "3.0.0"..<"5.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "Server",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Crypto", package: "swift-crypto"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
