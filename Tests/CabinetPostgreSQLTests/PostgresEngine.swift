#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetSQL
    import CabinetTestSupport
    import Foundation
    import Testing
    import TrustSupport

    /// The engine as the rules of the contract see it.
    enum PostgresEngine {
        static let parts: BackendFeatures = [
            .snapshots, .bases, .changes, .lines, .keptChanges, .workClaims,
        ]

        static func engine(
            _ durability: Durability, isPooled: Bool = false
        ) -> EngineUnderTest {
            EngineUnderTest(
                "PostgreSQL, \(durability)\(isPooled ? ", pooled" : "")", keepsData: true,
                hasOtherWriters: true, features: parts,
                losingAnswers: { ($0 as? PostgresBackend)?.loseAnswer(isMade: $1) },
                open: { directory, access in
                    let server = try #require(PostgresServer.shared)
                    // The store of a directory is called as that is.
                    return try PostgresBackend(
                        server.address(isPooled: isPooled),
                        store: URL(filePath: directory.path).lastPathComponent,
                        durability: durability, access: access)
                })
        }
    }
#endif
