#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// A store in a database of PostgreSQL's, which programs on many machines may write at the same time.
    ///
    /// A store is a schema of the database, `cabinet_` and its name. Each commit is one transaction. What others
    /// have committed is seen after ``SQLBackend/refresh()``. Readers that are frozen hold no transaction open:
    /// what commits replace is kept in the schema for them. A process that holds a reader and gives no sign of
    /// life for a minute loses it: its calls throw `BackendError.snapshotTooOld`.
    public final class PostgresBackend: SQLBackend, @unchecked Sendable {
        private let route: PostgresRoute

        private init(_ core: SQLCore, _ route: PostgresRoute) {
            self.route = route
            super.init(core)
        }

        /// Opens a store, which is made if need be.
        ///
        /// - Parameters:
        ///   - address: the server and its database, as a URL that libpq takes. No error and no message
        ///     shows a password that it holds.
        ///   - store: the store's name, 1 to 55 bytes; `nil`: the URL has it as `store=NAME` behind `?`.
        ///   - durability: how safe a save is when it has returned. With `Durability.full` the server's setting
        ///     `synchronous_commit` decides about standbys, but is never off.
        ///   - access: with `Access.readOnly` no content is changed. If the role may write to the store, it
        ///     gets a note of who reads it, and what a reader holds is kept; otherwise for a minute only.
        ///   - connections: how many calls the server is asked to answer at the same time, at least 1. More of them
        ///     wait for one another, as long as patience lasts; four connections are kept between calls.
        ///   - patience: how long a commit waits for those of others, and each call for a server that is not
        ///     there, as while it starts anew.
        ///   - log: gets messages about what could not be tidied up.
        /// - Throws: `BackendError.noStore` if there is no such database or nothing to read,
        ///   `BackendError.notAStore` for a schema of another program, `BackendError.newerFormat`,
        ///   `BackendError.accessDenied`, and `BackendError.engine` with what the server or libpq says.
        public convenience init(
            _ address: String, store: String? = nil, durability: Durability = .full,
            access: Access = .readWrite, connections: Int = 16,
            patience: Duration = .seconds(30), log: LogSink = .standardError
        ) throws(BackendError) {
            var options = SQLOptions()
            options.durability = durability
            options.longestLook = .seconds(1)
            options.log = log
            try self.init(
                address, store: store, access: access, connections: connections,
                patience: patience, options: options)
        }

        /// The same with options for tests.
        package convenience init(
            _ address: String, store: String?, access: Access = .readWrite, connections: Int = 16,
            patience: Duration = .seconds(30), options: SQLOptions
        ) throws(BackendError) {
            let (place, opening) = try PostgresStore.open(
                try PostgresAddress(address, store: store), access: access, patience: patience)
            let route = PostgresRoute(place, opening, connections: connections)
            self.init(
                try SQLCore(
                    place, route, access: access, registers: place.isWritable, options: options),
                route)
        }

        /// For tests: has the answer to the next commit be lost, which is made or not.
        package func loseAnswer(isMade: Bool) { route.losing.withLock { $0 = isMade } }
    }
#endif
