#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetSQL
    import Foundation
    import Testing
    import TrustSupport

    /// A store that several backends of one process use, each as a process of its own would.
    struct SharedStore {
        let name = "Test-\(UUID().uuidString)"
        let server: PostgresServer

        init() throws { server = try #require(PostgresServer.shared) }

        /// - Parameters:
        ///   - address: where it is reached; `nil`: at the server.
        ///   - isQuick: whether what is replaced need not be kept for others who may not have registered, and
        ///     whoever gives no sign of life has ended at once.
        ///   - beats: whether the backend does by itself what is due from time to time.
        func open(
            _ access: Access = .readWrite, at address: String? = nil,
            durability: Durability = .process, isQuick: Bool = false, beats: Bool = true,
            connections: Int = 16, patience: Duration = .seconds(30), changesKept: Int = 64 << 20,
            look: Duration = .milliseconds(10)
        ) throws -> PostgresBackend {
            var options = SQLOptions()
            options.durability = durability
            if isQuick { options.grace = .zero }
            if !beats {
                options.beat = .seconds(3600)
                if !isQuick { options.grace = options.beat * 4 }
            }
            options.look = look
            options.changesKept = changesKept
            return try PostgresBackend(
                address ?? server.address(), store: name, access: access,
                connections: connections, patience: patience, options: options)
        }

        /// Runs SQL with `cabinet_NAME` as the path to search, and gives what it prints, line by line.
        @discardableResult
        func run(_ texts: String...) throws -> [String] {
            try server.run("SET search_path TO \"cabinet_\(name)\"", texts)
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
