#if PostgreSQL
    import CLibrary
    import CPostgreSQL
    import CSystem
    import CabinetBackend
    import CabinetSQL

    /// A statement with its parameters.
    struct PostgresQuestion {
        var text: String
        var parameters = PostgresParameters()
        /// Whether it reads many rows or keys, which a server that knows little of a table yet would find by
        /// reading all of it.
        var isLarge = false

        /// Has the server take those by their index, until the transaction ends.
        static var byIndex: PostgresQuestion {
            PostgresQuestion(
                text:
                    "SELECT set_config('random_page_cost', '1', true), set_config('jit', 'off', true), "
                    + "set_config(u.name, 'off', true) "
                    + "FROM (VALUES ('enable_bitmapscan'), ('enable_seqscan')) u(name)")
        }
    }

    /// A connection to a server of PostgreSQL's, or to a proxy before it that gives each transaction to
    /// another of the server's processes: nothing is left behind a transaction that a later one needs.
    final class PostgresConnection {
        let handle: OpaquePointer
        private let address: PostgresAddress
        private let process = cabinet_process_number()
        private var isClosed = false

        /// What came of an attempt to connect.
        enum Attempt {
            case made(PostgresConnection)
            /// There is no server, or none yet: later there may be.
            case unreachable(BackendError)
        }

        /// Connects once.
        /// - Throws: what a server says that refuses.
        static func attempt(_ address: PostgresAddress) throws(BackendError) -> Attempt {
            let keywords = Array(address.settings.keys)
            let values = keywords.map { address.settings[$0] ?? "" }
            let made = withPointers(keywords) { keywords in
                withPointers(values) { PQconnectdbParams(keywords, $0, 0) }
            }
            guard let made else {
                return .unreachable(PostgresFailure.lost("out of memory", address.location))
            }
            guard PQstatus(made) == CONNECTION_OK else {
                defer { PQfinish(made) }
                if let refusal = refusal(made, address) { throw refusal }
                return .unreachable(PostgresFailure.lost(message(of: made), address.location))
            }
            guard PQserverVersion(made) >= oldestServer else {
                defer { PQfinish(made) }
                throw PostgresFailure.error(
                    "", "the server is older than PostgreSQL \(oldestServer / 10_000).",
                    address.location)
            }
            return .made(PostgresConnection(made, address))
        }

        private init(_ handle: OpaquePointer, _ address: PostgresAddress) {
            self.handle = handle
            self.address = address
            // What the server notes by the way is for nobody.
            PQsetNoticeProcessor(handle, { _, _ in }, nil)
        }

        deinit { close() }

        /// The oldest server that is used, as libpq numbers them.
        private static let oldestServer: Int32 = 12_00_00

        private static func withPointers<Result>(
            _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
        ) -> Result {
            let copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            return body(copies.map { UnsafePointer<CChar>($0) } + [nil])
        }

        /// Why a server refuses; `nil`: it may not do so later. libpq says no state then: the text alone tells.
        private static func refusal(
            _ handle: OpaquePointer, _ address: PostgresAddress
        ) -> BackendError? {
            let message = message(of: handle)
            if message.contains("database"), message.contains("does not exist") {
                return .noStore(path: address.location)
            }
            let refusals = ["authentication failed", "no password", "pg_hba.conf", "role \""]
            // libpq says so of a setting's value, as of an sslmode that there is not.
            let isOfSettings = ["invalid ", "could not match "].contains(where: message.hasPrefix)
            guard isOfSettings || refusals.contains(where: message.contains),
                !message.contains("too many connections")
            else { return nil }
            return PostgresFailure.error("", message, address.location)
        }

        private static func message(of handle: OpaquePointer) -> String {
            let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
            let password = PQpass(handle).map { String(cString: $0) } ?? ""
            return cleaned(text, of: password)
        }

        /// One line, without the password.
        private static func cleaned(_ text: String, of password: String) -> String {
            let line = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }
                .joined(separator: "; ")
            guard !password.isEmpty, line.contains(password) else { return line }
            return "what the server says holds the password, and is not shown."
        }

        // MARK: Asking

        /// Whether the server, or the way to it, is gone.
        var isLost: Bool { isBroken || PQstatus(handle) != CONNECTION_OK }
        private var isBroken = false

        /// Runs one statement, and waits for the answer.
        func ask(
            _ text: String, _ parameters: PostgresParameters
        ) throws(BackendError) -> PostgresResult {
            try check(
                PQexecParams(
                    handle, text, parameters.count, parameters.types, parameters.values,
                    parameters.lengths, parameters.formats, 1))
        }

        func run(_ text: String) throws(BackendError) { _ = try check(PQexec(handle, text)) }

        /// Runs statements that are sent together, and waits for all answers. Where they begin no transaction,
        /// they are one.
        /// - Parameter last: one more, of which it is of no account what becomes of it.
        /// - Throws: for the first one that fails; those behind it are not run.
        func ask(
            _ questions: [PostgresQuestion], last: PostgresQuestion? = nil
        ) throws(BackendError) -> [PostgresResult] {
            guard PQenterPipelineMode(handle) == 1 else { throw lost() }
            for question in questions + (last.map { [$0] } ?? []) {
                let parameters = question.parameters
                guard
                    PQsendQueryParams(
                        handle, question.text, parameters.count, parameters.types,
                        parameters.values, parameters.lengths, parameters.formats, 1) == 1
                else { throw lost() }
            }
            guard PQpipelineSync(handle) == 1 else { throw lost() }
            var results: [PostgresResult] = []
            var failure: BackendError?
            for _ in questions {
                do throws(BackendError) {
                    results.append(try check(PQgetResult(handle)))
                } catch {
                    if isLost { throw error }
                    failure = failure ?? error
                }
                while let more = PQgetResult(handle) { PQclear(more) }
            }
            if last != nil { while let result = PQgetResult(handle) { PQclear(result) } }
            // What ends all of it.
            PQclear(PQgetResult(handle))
            guard PQexitPipelineMode(handle) == 1 else { throw lost() }
            if let failure { throw failure }
            return results
        }

        /// The state of the last statement that failed.
        private(set) var failedState = ""

        func check(_ pointer: OpaquePointer?) throws(BackendError) -> PostgresResult {
            guard let pointer else { throw lost() }
            let result = PostgresResult(pointer)
            switch PQresultStatus(pointer) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return result
            default: break
            }
            // The server may have said that it is about to go.
            if isLost { throw lost() }
            // PG_DIAG_SQLSTATE, a macro that Swift does not import.
            let state = PQresultErrorField(pointer, 0x43).map { String(cString: $0) } ?? ""
            // Those that were not run behind one that failed have none.
            if PQresultStatus(pointer) != PGRES_PIPELINE_ABORTED { failedState = state }
            let text = PQresultErrorMessage(pointer).map { String(cString: $0) } ?? ""
            let password = PQpass(handle).map { String(cString: $0) } ?? ""
            throw PostgresFailure.error(
                state, Self.cleaned(text, of: password), address.location)
        }

        func lost() -> BackendError {
            isBroken = true
            return PostgresFailure.lost(Self.message(of: handle), address.location)
        }

        // MARK: Transactions

        func commit() throws(BackendError) {
            let result = try check(PQexec(handle, "COMMIT"))
            guard result.done == "COMMIT" else {
                throw PostgresFailure.error("", "the server took a commit back", address.location)
            }
        }

        func rollBack() {
            // Some errors have ended the transaction already.
            guard !isLost, PQtransactionStatus(handle) != PQTRANS_IDLE else { return }
            PQclear(PQexec(handle, "ROLLBACK"))
        }

        func close() {
            guard !isClosed else { return }
            isClosed = true
            // A process that was forked has a copy, by which it must say nothing to the server.
            guard cabinet_process_mark() == process else { return }
            PQfinish(handle)
        }
    }
#endif
