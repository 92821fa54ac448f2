// swift-tools-version: 6.2
import PackageDescription

// An engine in a package of its own, as a user of Cabinet would write one: it sees nothing but what
// is public.
let package = Package(
    name: "OutsideEngine",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Cabinet", path: "../..")],
    targets: [
        .target(
            name: "DictionaryEngine",
            dependencies: [.product(name: "CabinetBackend", package: "Cabinet")]),
        .testTarget(
            name: "DictionaryEngineTests",
            dependencies: [
                "DictionaryEngine", .product(name: "Cabinet", package: "Cabinet"),
                .product(name: "CabinetTestSupport", package: "Cabinet"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
