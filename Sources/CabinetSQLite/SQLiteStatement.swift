#if SQLite
    import CSQLite
    import CabinetBackend
    import CabinetSQL

    /// A prepared statement of SQLite's.
    final class SQLiteStatement: SQLStatement {
        private let statement: OpaquePointer
        private let connection: OpaquePointer
        private let path: String
        /// Why a value could not be bound: the next step throws it.
        @exclusivity(unchecked) private var failure: Int32 = SQLITE_OK

        init(_ statement: OpaquePointer, of connection: OpaquePointer, _ path: String) {
            self.statement = statement
            self.connection = connection
            self.path = path
        }

        deinit { sqlite3_finalize(statement) }

        private func note(_ code: Int32) { if code != SQLITE_OK { failure = code } }

        func bind(_ number: Int64, at index: Int32) {
            note(sqlite3_bind_int64(statement, index, number))
        }

        func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
            guard bytes.count > 0 else { return note(sqlite3_bind_zeroblob(statement, index, 0)) }
            // Not copied.
            note(
                sqlite3_bind_blob64(
                    statement, index, bytes.baseAddress, sqlite3_uint64(bytes.count), nil))
        }

        func bind(_ text: String, at index: Int32) {
            // SQLITE_TRANSIENT, a macro that Swift does not import: the text is copied.
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            note(sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), copied))
        }

        func bind(_ real: Double, at index: Int32) {
            note(sqlite3_bind_double(statement, index, real))
        }

        func bind(copyOf bytes: [UInt8], at index: Int32) {
            guard !bytes.isEmpty else { return note(sqlite3_bind_zeroblob(statement, index, 0)) }
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            note(
                sqlite3_bind_blob64(
                    statement, index, bytes, sqlite3_uint64(bytes.count), copied))
        }

        func bindNull(at index: Int32) { note(sqlite3_bind_null(statement, index)) }

        func step() throws(BackendError) -> Bool {
            guard failure == SQLITE_OK else {
                defer { failure = SQLITE_OK }
                throw SQLiteFailure.error(failure, connection, path)
            }
            let code = sqlite3_step(statement)
            if code == SQLITE_ROW { return true }
            guard code == SQLITE_DONE else {
                let error = SQLiteFailure.error(code, connection, path)
                sqlite3_reset(statement)
                throw error
            }
            return false
        }

        func reset() { sqlite3_reset(statement) }

        @discardableResult
        func run() throws(BackendError) -> Int {
            while try step() {}
            let changed = Int(sqlite3_changes(connection))
            sqlite3_reset(statement)
            return changed
        }

        func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
            // In this order, as the manual wants it.
            let base = sqlite3_column_blob(statement, column)
            return UnsafeRawBufferPointer(
                start: base, count: Int(sqlite3_column_bytes(statement, column)))
        }

        func text(_ column: Int32) -> String {
            sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        }

        /// The names of the columns.
        var names: [String] {
            (0..<sqlite3_column_count(statement)).map { column in
                sqlite3_column_name(statement, column).map { String(cString: $0) } ?? ""
            }
        }

        /// What stands in a column, whatever its type.
        func value(_ column: Int32) -> PlainValue {
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: .integer(number(column))
            case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
            case SQLITE_TEXT: .text(textWithZeros(column))
            case SQLITE_BLOB: .bytes([UInt8](bytes(column)))
            default: .none
            }
        }

        private func textWithZeros(_ column: Int32) -> String {
            // In this order, as the manual wants it.
            let base = sqlite3_column_text(statement, column)
            return String(
                decoding: UnsafeBufferPointer(
                    start: base, count: Int(sqlite3_column_bytes(statement, column))),
                as: UTF8.self)
        }

        func isNull(_ column: Int32) -> Bool {
            sqlite3_column_type(statement, column) == SQLITE_NULL
        }
    }
#endif
