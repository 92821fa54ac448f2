#if SQLite
    import CSQLite
    import CabinetBackend
    import CabinetSQL

    extension SQLiteBackend {
        /// Has declared classes show their fields as columns, for programs that read the file with SQL: from now
        /// on, whichever process writes them. A view of the name of each class has `row` and a column for each field.
        ///
        /// Call it once in the life of the file, when a store has been opened over this backend; calling it again
        /// writes the columns of all rows anew. It is one transaction, in which other processes wait: some microseconds for each
        /// object. Later saves of objects take longer, too. Objects and their records stay what counts: who changes a
        /// column by SQL gets an error.
        /// - Throws: `BackendError.unsupported` before a store was opened over the backend,
        ///   `BackendError.readOnly`, and what a commit throws. Then nothing has changed.
        public func showColumns() throws(BackendError) { try core.showColumns() }

        /// Has classes show no fields any more: views and columns go, objects and records stay as they are. Where
        /// nothing was shown it does nothing.
        ///
        /// It is one transaction, which writes the rows of all classes anew, and in which other processes wait.
        /// Their later saves write no columns.
        /// - Throws: `BackendError.readOnly`, and what a commit throws. Then nothing has changed.
        public func hideColumns() throws(BackendError) { try core.hideColumns() }

        /// Asks the file a question in SQL, which may change nothing: the views of classes, if ``showColumns()`` was called.
        ///
        /// ```swift
        /// let found = try backend.sql("SELECT title FROM Song WHERE year > ?1", 1960)
        /// ```
        ///
        /// It reads what all processes have committed, in one transaction: other commits than a store's
        /// basis perhaps. Calls may come from any thread.
        /// - Parameters:
        ///   - text: one `SELECT`, whose parameters are `?1`, `?2` …
        ///   - values: what stands for the parameters.
        ///   - limit: how many rows to read at most.
        /// - Throws: `BackendError.engine` for what is not one `SELECT`, or cannot be understood, or
        ///   has other parameters; `BackendError.busy`, `BackendError.closed`.
        public func sql(
            _ text: String, _ values: PlainValue..., limit: Int = 10_000
        ) throws(BackendError) -> SQLAnswer {
            try core.checkOpen()
            let connection = try SQLiteConnection(
                location, flags: SQLITE_OPEN_READONLY, patience: Self.patienceToAsk)
            defer { connection.close() }
            return try connection.answer(text, values, limit: max(limit, 0))
        }

        /// In milliseconds. Those who read wait for nobody but a process that recovers the file.
        private static let patienceToAsk: Int64 = 5000
    }

    /// What a question in SQL has found. `Sendable`: a value.
    public struct SQLAnswer: Hashable, Sendable {
        /// The names of the columns.
        public let columns: [String]
        /// The rows, in the order of the answer.
        public let rows: [[PlainValue]]
        /// Whether there are no more rows than these.
        public let isComplete: Bool
    }

    extension SQLiteConnection {
        /// Runs a question that may read tables, and nothing else.
        fileprivate func answer(
            _ text: String, _ values: [PlainValue], limit: Int
        ) throws(BackendError) -> SQLAnswer {
            refuseAllButReading()
            let statement = try prepareOne(text, parameters: values.count)
            defer { statement.reset() }
            statement.bind(values)
            let columns = statement.names
            var rows: [[PlainValue]] = []
            while try statement.step() {
                if rows.count == limit {
                    return SQLAnswer(columns: columns, rows: rows, isComplete: false)
                }
                rows.append(columns.indices.map { statement.value(Int32($0)) })
            }
            return SQLAnswer(columns: columns, rows: rows, isComplete: true)
        }
    }

    extension SQLiteStatement {
        fileprivate func bind(_ values: [PlainValue]) {
            for (offset, value) in values.enumerated() {
                let index = Int32(offset + 1)
                switch value {
                case .none: bindNull(at: index)
                case .integer(let number): bind(number, at: index)
                case .real(let number): bind(number, at: index)
                case .text(let text): bind(text, at: index)
                case .bytes(let bytes): bind(copyOf: bytes, at: index)
                }
            }
        }
    }
#endif
