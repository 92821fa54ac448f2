#if SQLite
    import CSQLite

    extension SharedFile {
        /// Runs SQL by a connection of its own, as a tool would. Returns the first column of the last answer.
        @discardableResult
        func run(_ texts: String...) throws -> [String] {
            let connection = try connect()
            defer { sqlite3_close(connection) }
            return try texts.map { try Self.run($0, connection) }.last ?? []
        }

        /// Calls `body` while another program is writing.
        func whileLocked(_ setting: String? = nil, _ body: () throws -> Void) throws {
            let connection = try connect()
            defer { sqlite3_close(connection) }
            if let setting { try Self.run(setting, connection) }
            try Self.run("BEGIN IMMEDIATE", connection)
            try body()
            try Self.run("ROLLBACK", connection)
        }

        private func connect() throws -> OpaquePointer {
            var opened: OpaquePointer?
            let code = sqlite3_open(path, &opened)
            guard code == SQLITE_OK, let opened else { throw RawFailure(code: code, text: path) }
            return opened
        }

        @discardableResult
        private static func run(_ text: String, _ connection: OpaquePointer) throws -> [String] {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            var code = sqlite3_prepare_v2(connection, text, -1, &statement, nil)
            guard code == SQLITE_OK else { throw RawFailure(code: code, text: text) }
            var answer: [String] = []
            code = sqlite3_step(statement)
            while code == SQLITE_ROW {
                answer.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
                code = sqlite3_step(statement)
            }
            guard code == SQLITE_DONE else { throw RawFailure(code: code, text: text) }
            return answer
        }
    }

    struct RawFailure: Error {
        let code: Int32
        let text: String
    }
#endif
