#if PostgreSQL
    import CLibrary
    import CPostgreSQL
    import CabinetBackend

    /// Makes the errors of PostgreSQL into those of the contract, here alone.
    enum PostgresFailure {
        /// The name of the engine in errors.
        static let engine = "PostgreSQL"
        /// The most bytes of a record. The server takes messages of 1 GiB at most, and copies values.
        static let largestRecord = 256 << 20

        /// What an error of the server means for the store at `path`.
        /// - Parameters:
        ///   - state: the five letters by which SQL tells errors apart; empty: the server said nothing.
        ///   - message: what the server or libpq says of it, without a password.
        static func error(_ state: String, _ message: String, _ path: String) -> BackendError {
            switch state {
            case "55P03", "40P01": return .busy(path: path, holder: "")
            case "53100": return .diskFull(path: path, needed: 0)
            case "53200": return .system(operation: "the server", path: path, code: ENOMEM)
            case "42501", "28000", "28P01": return .accessDenied(path: path)
            case "3D000": return .noStore(path: path)
            case "25006":
                return .engine(
                    name: engine,
                    reason: "the server of \(path) takes no changes: it is a standby, or was told "
                        + "to read only. Open the store with access .readOnly, or at its primary.")
            case "XX001", "XX002":
                return .engine(name: engine, reason: "\(path) is damaged: \(message)")
            default: return .engine(name: engine, reason: "\(path): \(message)")
            }
        }

        /// The server of the store at `path` has not all commits any more that were read of it.
        static func lostCommits(_ path: String) -> BackendError {
            .engine(
                name: engine,
                reason:
                    "the server of \(path) has lost commits that this program has seen, as in a crash "
                    + "without durability .full, or with a standby that did not have them. Close the store "
                    + "and open it anew, and make again what was not saved.")
        }

        /// The server of the store at `path` cannot be reached, or is not there any more.
        static func lost(_ message: String, _ path: String) -> BackendError {
            .engine(name: engine, reason: "\(path) cannot be reached: \(message)")
        }
    }
#endif
