// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the rivals never burden the library.
let package = Package(
    name: "SpeedTests",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "PostgreSQL", description: "`ServerTest`, which needs libpq and a server."),
        .trait(name: "Encryption", description: "`SealedTest`, which needs libsodium."),
    ],
    dependencies: [
        .package(
            name: "Cabinet", path: "..",
            traits: [
                "SQLite",
                .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                .trait(name: "Encryption", condition: .when(traits: ["Encryption"])),
            ])
    ],
    targets: [
        // The rivals, called from C.
        .systemLibrary(
            name: "CSQLiteLibrary",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .systemLibrary(
            name: "CTokyoLibrary",
            pkgConfig: "tokyocabinet",
            providers: [.apt(["libtokyocabinet-dev"]), .brew(["tokyo-cabinet"])]
        ),
        .systemLibrary(
            name: "CSodiumLibrary",
            pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]
        ),
        .systemLibrary(
            name: "CPostgreSQLLibrary",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        .target(
            name: "CServer",
            dependencies: [
                .target(name: "CPostgreSQLLibrary", condition: .when(traits: ["PostgreSQL"]))
            ],
            cSettings: [.define("POSTGRESQL", .when(traits: ["PostgreSQL"]))]
        ),
        .target(
            name: "CRivals", dependencies: ["CSQLiteLibrary", "CTokyoLibrary"],
            linkerSettings: [.linkedLibrary("z")]
        ),

        // The work, the clock and the tables.
        .target(
            name: "SpeedTestKit",
            dependencies: [
                "CRivals",
                .product(name: "Cabinet", package: "Cabinet"),
                .product(name: "CabinetBackend", package: "Cabinet"),
                .product(name: "CabinetMemory", package: "Cabinet"),
                .product(name: "CabinetSQLite", package: "Cabinet"),
                .product(name: "CabinetTokyo", package: "Cabinet"),
            ]
        ),

        // One program a test, and all of them against the rivals.
        .executableTarget(name: "SimpleInsertTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "SimpleFetchTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "SimpleUpdateTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "ComplexInsertTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "ComplexFetchTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "NamedBufferInsertTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "NamedBufferFetchTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "SmallSaveTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "RandomFetchTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "OpenTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "ScaleTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "OrderedTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "IndexTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "FileTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(
            name: "StoreFileTest", dependencies: [.product(name: "Cabinet", package: "Cabinet")]),
        .executableTarget(
            name: "SealedTest",
            dependencies: [
                "CRivals", .product(name: "Cabinet", package: "Cabinet"),
                .product(name: "CabinetTokyo", package: "Cabinet"),
                .target(name: "CSodiumLibrary", condition: .when(traits: ["Encryption"])),
            ]),
        .executableTarget(name: "LedgerTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "FullTextInsertTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "FullTextFetchTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "FullTextTypedTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(
            name: "SideBySideTest",
            dependencies: [
                "CRivals", .product(name: "Cabinet", package: "Cabinet"),
                .product(name: "CabinetTokyo", package: "Cabinet"),
            ]),
        .executableTarget(
            name: "LiveTest", dependencies: [.product(name: "Cabinet", package: "Cabinet")]),
        .executableTarget(
            name: "HistoryTest",
            dependencies: [
                .product(name: "Cabinet", package: "Cabinet"),
                .product(name: "CabinetBackend", package: "Cabinet"),
                .product(name: "CabinetTokyo", package: "Cabinet"),
            ]),
        .executableTarget(
            name: "ServerTest",
            dependencies: [
                "CServer", .product(name: "Cabinet", package: "Cabinet"),
                .product(name: "CabinetBackend", package: "Cabinet"),
                .product(name: "CabinetPostgreSQL", package: "Cabinet"),
            ]),
        .executableTarget(name: "DeclaredTest", dependencies: ["SpeedTestKit"]),
        .executableTarget(name: "compare", dependencies: ["SpeedTestKit"]),
    ],
    swiftLanguageModes: [.v6]
)
