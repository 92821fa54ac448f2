#if PostgreSQL
    import CPostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// A statement that the server plans each time it is run: a proxy may have each transaction run by another
    /// of the server's processes, which do not know one another's statements.
    final class PostgresStatement: SQLStatement {
        private let connection: PostgresConnection
        private let text: String
        private let parameters = PostgresParameters()
        private var result: PostgresResult?
        private var row: Int32 = -1

        init(_ text: String, of connection: PostgresConnection) {
            self.text = text
            self.connection = connection
        }

        func bind(_ number: Int64, at index: Int32) { parameters.set(number, at: index) }
        func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
            parameters.set(bytes, at: index)
        }
        func bind(_ text: String, at index: Int32) { parameters.set(text, at: index) }
        func bindNull(at index: Int32) { parameters.setNull(at: index) }

        func step() throws(BackendError) -> Bool {
            let found: PostgresResult
            if let result { found = result } else { found = try start() }
            row += 1
            return row < found.count
        }

        private func start() throws(BackendError) -> PostgresResult {
            let made = try connection.ask(text, parameters)
            (result, row) = (made, -1)
            return made
        }

        func reset() { (result, row) = (nil, -1) }

        @discardableResult
        func run() throws(BackendError) -> Int {
            defer { reset() }
            return try start().changed
        }

        func number(_ column: Int32) -> Int64 { result?.number(row, column) ?? 0 }
        func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
            result?.bytes(row, column) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        }
        func text(_ column: Int32) -> String { result?.text(row, column) ?? "" }
        func isNull(_ column: Int32) -> Bool { result?.isNull(row, column) ?? true }
    }
#endif
