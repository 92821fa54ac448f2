#if SQLite
    import CLibrary
    import CSQLite
    import CabinetBackend

    /// Makes the errors of SQLite into those of the contract, here alone.
    enum SQLiteFailure {
        /// The name of the engine in errors.
        static let engine = "SQLite"
        /// The most bytes of a row, by SQLite's own limit of 1,000,000,000 for all of its columns.
        static let largestRecord = 999_000_000

        /// What a result code means for the file at `path`.
        static func error(
            _ code: Int32, _ connection: OpaquePointer?, _ path: String
        ) -> BackendError {
            let system = connection.map { sqlite3_system_errno($0) } ?? 0
            switch code & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path: path, holder: "")
            case SQLITE_FULL: return .diskFull(path: path, needed: 0)
            case SQLITE_PERM, SQLITE_AUTH, SQLITE_READONLY: return .accessDenied(path: path)
            case SQLITE_NOTADB: return .notAStore(path: path)
            case SQLITE_TOOBIG: return .tooLarge(limit: largestRecord)
            case SQLITE_NOMEM:
                return .system(operation: "allocating memory", path: path, code: ENOMEM)
            case SQLITE_CORRUPT:
                return .engine(
                    name: engine, reason: "\(path) is damaged: \(message(code, connection)).")
            case SQLITE_CANTOPEN where system == EACCES, SQLITE_CANTOPEN where system == EPERM:
                return .accessDenied(path: path)
            case SQLITE_IOERR where system == ENOSPC, SQLITE_IOERR where system == EDQUOT:
                return .diskFull(path: path, needed: 0)
            case SQLITE_IOERR where system != 0, SQLITE_CANTOPEN where system != 0:
                return .system(operation: "SQLite's I/O", path: path, code: system)
            default:
                return .engine(name: engine, reason: "\(path): \(message(code, connection)).")
            }
        }

        private static func message(_ code: Int32, _ connection: OpaquePointer?) -> String {
            let text = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
            return text.map { String(cString: $0) } ?? "error \(code)"
        }
    }
#endif
