#if SQLite
    import CabinetBackend
    import CabinetSQL
    import CabinetSQLite
    import CabinetTestSupport

    /// The engine as the rules of the contract see it.
    enum SQLiteEngine {
        static let parts: BackendFeatures = [
            .snapshots, .bases, .changes, .lines, .keptChanges, .workClaims,
        ]

        static func engine(_ durability: Durability) -> EngineUnderTest {
            // Without a sync of each commit none can fail.
            EngineUnderTest(
                "SQLite, \(durability)", keepsData: true, hasOtherWriters: true, features: parts,
                losingAnswers: durability == .full ? FailingDisk.loseAnswer : nil
            ) { directory, access in
                FailingDisk.install()
                return try SQLiteBackend(
                    path: path(in: directory), durability: durability, access: access)
            }
        }

        static func path(in directory: TemporaryDirectory) -> String {
            directory.path + "Store.sqlite"
        }
    }

    /// A file that several backends of one process use, each as a process of its own would.
    struct SharedFile {
        let directory: TemporaryDirectory
        var path: String { SQLiteEngine.path(in: directory) }

        init() throws { directory = try TemporaryDirectory() }

        /// - Parameters:
        ///   - isQuick: whether what is replaced need not be kept for others who may not have registered, and
        ///     whoever gives no sign of life has ended at once.
        ///   - beats: whether the backend does by itself what is due from time to time.
        func open(
            _ access: Access = .readWrite, durability: Durability = .process, isQuick: Bool = false,
            beats: Bool = true, patience: Duration = .seconds(30), changesKept: Int = 64 << 20
        ) throws -> SQLiteBackend {
            var options = SQLOptions()
            options.durability = durability
            if isQuick { options.grace = .zero }
            if !beats { options.beat = .seconds(3600) }
            options.look = .milliseconds(10)
            options.changesKept = changesKept
            return try SQLiteBackend(
                path: path, access: access, patience: patience, options: options)
        }
    }

    extension BackendReader {
        func rows(of table: TableNumber) throws -> [RowID] {
            let cursor = try records(in: table)
            let run = RecordRun()
            var rows: [RowID] = []
            while try cursor.next(run) {
                while let (row, _) = run.next() { rows.append(row) }
            }
            return rows
        }
    }

    extension WriteBatch {
        func put(_ value: [UInt8], for key: [UInt8], in table: TableNumber) throws {
            try value.withUnsafeBytes { value in
                try key.withUnsafeBytes { key in try put(value, for: key, in: table) }
            }
        }
    }
#endif
