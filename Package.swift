// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Cabinet",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Cabinet", targets: ["Cabinet"]),
        .library(name: "CabinetBackend", targets: ["CabinetBackend"]),
        .library(name: "CabinetMemory", targets: ["CabinetMemory"]),
        .library(name: "CabinetPostgreSQL", targets: ["CabinetPostgreSQL"]),
        .library(name: "CabinetSQLite", targets: ["CabinetSQLite"]),
        .library(name: "CabinetTokyo", targets: ["CabinetTokyo"]),
        .library(name: "CabinetTestSupport", targets: ["CabinetTestSupport"]),
        .executable(name: "playlists", targets: ["PlaylistsProgram"]),
        .executable(name: "cabinet-inspect", targets: ["cabinet-inspect"]),
    ],
    traits: [
        .trait(
            name: "LineEditing",
            description: "History, line editing and completion in the demo's shell, by libedit."),
        .trait(name: "SQLite", description: "The engine that keeps a store in a file of SQLite's."),
        .trait(
            name: "PostgreSQL",
            description: "The engine that keeps a store in a database of PostgreSQL's."),
        .trait(
            name: "Encryption",
            description: "Stores in directories that a key seals, by libsodium."),
    ],
    targets: [
        // Floor 0, bedrock: C libraries of the system, and one C file each, or two.
        .systemLibrary(
            name: "CTokyoCabinet",
            pkgConfig: "tokyocabinet",
            providers: [.apt(["libtokyocabinet-dev"]), .brew(["tokyo-cabinet"])]
        ),
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .systemLibrary(
            name: "CEditline",
            pkgConfig: "libedit",
            providers: [.apt(["libedit-dev"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .systemLibrary(
            name: "CPostgreSQL",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        .systemLibrary(
            name: "CSodium",
            pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]
        ),
        .target(name: "CTokyoYield"),
        .target(name: "CChecksum"),
        .target(name: "CSystem"),
        .target(name: "CLibrary"),

        // Floor 1, ground: bytes, and what an engine promises.
        .target(name: "CabinetBackend", dependencies: ["CChecksum", "CLibrary"]),

        // Floor 2, texts: what of a text is searched for and found, without a store or an object.
        .target(name: "CabinetTextSearch", dependencies: ["CabinetBackend", "CLibrary"]),

        // Floor 2, engines: each keeps every rule of the contract, none knows another.
        .target(name: "CabinetMemory", dependencies: ["CabinetBackend", "CLibrary"]),
        .target(
            name: "CabinetTokyo",
            dependencies: [
                "CabinetBackend", "CTokyoCabinet", "CTokyoYield", "CChecksum", "CSystem",
                "CLibrary",
                "CZlib",
                .target(name: "CSodium", condition: .when(traits: ["Encryption"])),
            ]
        ),

        // What engines over SQL have in common (floor 1.5), and such engines.
        .target(
            name: "CabinetSQL",
            dependencies: ["CabinetBackend", "CChecksum", "CSystem", "CLibrary"]
        ),
        .target(
            name: "CabinetSQLite",
            dependencies: [
                "CabinetSQL", "CabinetBackend", "CSystem", "CLibrary",
                .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
            ]),
        .target(
            name: "CabinetPostgreSQL",
            dependencies: [
                "CabinetSQL", "CabinetBackend", "CChecksum", "CSystem", "CLibrary",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]),

        // Floor 3, house: objects.
        .target(
            name: "Cabinet",
            dependencies: [
                "CabinetBackend", "CabinetTextSearch", "CabinetTokyo", "CabinetMemory", "CSystem",
                "CLibrary",
            ]),

        // Floor 4, additions: where the stores of programs are.
        .target(
            name: "CabinetTools",
            dependencies: [
                "CabinetBackend", "CabinetTokyo", "CabinetSQLite", "CabinetPostgreSQL",
            ]),

        // Floor 5, street: programs.
        .target(
            name: "playlists",
            dependencies: [
                "Cabinet", "CabinetBackend", "CabinetTools",
                .target(name: "CEditline", condition: .when(traits: ["LineEditing"])),
            ],
            resources: [.embedInCode("Resources/SampleLibrary.xml")]
        ),
        .executableTarget(name: "PlaylistsProgram", dependencies: ["playlists"]),
        .executableTarget(
            name: "cabinet-inspect",
            dependencies: ["Cabinet", "CabinetBackend", "CabinetTokyo", "CabinetTools"]),

        // What engines and users' programs are tested with.
        .target(name: "CabinetTestSupport", dependencies: ["Cabinet", "CabinetBackend"]),

        // Tests, one target a floor or room.
        .target(name: "CSystemCallCount", path: "Tests/CSystemCallCount"),
        .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
        .target(name: "CForking", dependencies: ["CSystem"], path: "Tests/CForking"),
        .testTarget(
            name: "BedrockTests",
            dependencies: [
                "CTokyoCabinet", "CZlib", "CTokyoYield", "CChecksum", "CSystem",
                "CSystemCallCount", "CForking",
            ]
        ),
        .testTarget(
            name: "CabinetBackendTests", dependencies: ["CabinetBackend", "TrustSupport"]),
        .testTarget(
            name: "CabinetMemoryTests",
            dependencies: [
                "CabinetBackend", "CabinetMemory", "CabinetTestSupport", "TrustSupport",
            ]
        ),
        .testTarget(
            name: "CabinetTokyoTests",
            dependencies: [
                "CabinetTokyo", "CabinetBackend", "CTokyoCabinet", "CChecksum", "CLibrary",
                "CabinetTestSupport", "TrustSupport", "CAllocationCount",
            ]
        ),
        .testTarget(
            name: "CabinetSQLiteTests",
            dependencies: [
                "Cabinet", "CabinetSQLite", "CabinetSQL", "CabinetBackend", "CabinetTestSupport",
                "TrustSupport", "CrashWorker",
                .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
            ]
        ),
        .testTarget(
            name: "CabinetPostgreSQLTests",
            dependencies: [
                "Cabinet", "CabinetPostgreSQL", "CabinetSQL", "CabinetBackend",
                "CabinetTestSupport", "TrustSupport", "CrashWorker", "CLibrary",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]
        ),
        .testTarget(
            name: "CabinetTextSearchTests",
            dependencies: ["CabinetTextSearch", "CabinetBackend", "TrustSupport"]),
        // What the tests of objects keep.
        .target(
            name: "CabinetTestModel",
            dependencies: [
                "Cabinet", "CabinetBackend", "CabinetMemory", "CAllocationCount", "TrustSupport",
            ],
            path: "Tests/CabinetTestModel"),
        .testTarget(
            name: "CabinetObjectTests",
            dependencies: [
                "Cabinet", "CabinetBackend", "CabinetMemory", "CabinetTokyo",
                "CabinetTextSearch", "CabinetTestSupport", "CabinetTestModel", "TrustSupport",
            ]
        ),
        .testTarget(
            name: "CabinetStoreTests",
            dependencies: [
                "Cabinet", "CabinetBackend", "CabinetMemory", "CabinetTokyo", "CabinetSQLite",
                "CabinetPostgreSQL", "CabinetTestSupport", "CabinetTestModel", "TrustSupport",
            ]
        ),
        .testTarget(
            name: "CabinetQueryTests",
            dependencies: [
                "Cabinet", "CabinetBackend", "CabinetMemory", "CabinetTokyo", "CabinetSQLite",
                "CabinetPostgreSQL", "CabinetTestSupport", "CabinetTestModel", "TrustSupport",
            ]
        ),
        .testTarget(
            name: "CabinetTextTests",
            dependencies: [
                "Cabinet", "CabinetBackend", "CabinetMemory", "CabinetTokyo", "CabinetSQLite",
                "CabinetTextSearch", "CabinetTestSupport", "CabinetTestModel", "TrustSupport",
            ]
        ),
        .testTarget(
            name: "MainActorTests",
            dependencies: ["Cabinet", "CabinetMemory"],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
        .testTarget(
            name: "PlaylistsTests",
            dependencies: [
                "playlists", "Cabinet", "CabinetMemory", "CabinetTools", "TrustSupport",
            ],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "InspectTests",
            dependencies: [
                "cabinet-inspect", "Cabinet", "CabinetBackend", "CabinetTokyo", "CabinetSQLite",
                "CabinetTools", "TrustSupport",
            ]
        ),

        // Trust: stores that are killed, cut off from power, filled up and damaged.
        .target(
            name: "TrustSupport",
            dependencies: [
                "Cabinet", "CabinetTokyo", "CabinetSQLite", "CabinetPostgreSQL", "CabinetBackend",
                "CForking", "CLibrary",
            ],
            path: "Tests/TrustSupport"),
        .executableTarget(
            name: "CrashWorker", dependencies: ["TrustSupport", "CLibrary"],
            path: "Tests/CrashWorker"),
        .testTarget(
            name: "CrashTests",
            dependencies: [
                "Cabinet", "TrustSupport", "CrashWorker", "CabinetTokyo", "CabinetMemory",
                "CabinetBackend",
                "CLibrary",
            ]
        ),

        // Fuzzing: the targets, the program that runs them, and the replay of their corpora.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "TrustSupport", "Cabinet", "CabinetTokyo", "CabinetMemory", "CabinetBackend",
                "playlists",
            ],
            path: "Tests/FuzzTargets"),
        .target(name: "CFuzzer", path: "Tests/CFuzzer"),
        .executableTarget(
            name: "Fuzzer", dependencies: ["FuzzTargets", "CFuzzer", "CLibrary"],
            path: "Tests/Fuzzer"),
        .testTarget(
            name: "FuzzTests",
            dependencies: ["FuzzTargets", "TrustSupport", "CabinetTokyo", "CabinetBackend"]),
    ],
    swiftLanguageModes: [.v6]
)
