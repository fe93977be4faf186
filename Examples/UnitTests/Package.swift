// swift-tools-version: 6.2

import PackageDescription

// An app names the repository's address and a version here instead of a path.
let package = Package(
    name: "UnitTests",
    dependencies: [.package(name: "waypost", path: "../..")],
    targets: [
        .testTarget(
            name: "PodcastsTests",
            dependencies: [.product(name: "Navigation", package: "waypost")])
    ]
)
