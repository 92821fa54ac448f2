// swift-tools-version: 6.2
import PackageDescription

// A program that uses Cabinet as any other would. `make dist` copies it beside what the archive holds,
// and builds and runs it there.
let package = Package(
    name: "Dependent",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../Cabinet")],
    targets: [
        .executableTarget(
            name: "Dependent", dependencies: [.product(name: "Cabinet", package: "Cabinet")])
    ],
    swiftLanguageModes: [.v6]
)
