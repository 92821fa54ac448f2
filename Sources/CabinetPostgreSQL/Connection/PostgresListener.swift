#if PostgreSQL
    import CPostgreSQL
    import CabinetBackend
    import CabinetSQL
    import Dispatch

    /// A connection by which the server says that there are commits (`NOTIFY`). That is a hint, which may be lost:
    /// what there is is found by looking.
    ///
    /// `@unchecked Sendable`: once it is made, the handlers of its source alone touch the connection, one at a
    /// time.
    final class PostgresListener: @unchecked Sendable {
        private let connection: PostgresConnection
        private let source: any DispatchSourceRead
        /// What one's own commits say.
        private let own: String

        /// Where more sessions use a store, nothing is said: a commit that does takes a lock of the whole server.
        static let mostSessions = 32

        /// - Parameters:
        ///   - session: the one whose commits need not be heard of.
        ///   - hint: called on the queue.
        /// - Throws: what connecting throws, and the server, as one does that is a standby.
        init(
            _ place: PostgresStore, _ session: Int64, _ queue: DispatchQueue,
            hint: @escaping @Sendable () -> Void
        ) throws(BackendError) {
            own = String(session)
            connection = try place.connectOnce()
            try connection.run("LISTEN \(place.address.quotedSchema)")
            source = DispatchSource.makeReadSource(
                fileDescriptor: PQsocket(connection.handle), queue: queue)
            source.setEventHandler { [weak self] in
                if self?.hasHeard ?? false { hint() }
            }
            source.setCancelHandler { self.connection.close() }
            source.activate()
        }

        /// Reads what the server has sent.
        private var hasHeard: Bool {
            guard PQconsumeInput(connection.handle) == 1, !connection.isLost else {
                source.cancel()
                return false
            }
            var hasHeard = false
            while let notice = PQnotifies(connection.handle) {
                if String(cString: notice.pointee.extra) != own { hasHeard = true }
                PQfreemem(notice)
            }
            return hasHeard
        }

        /// Whether it hears nothing any more.
        var isOver: Bool { source.isCancelled }

        /// Has to be called before it is let go.
        func end() { source.cancel() }
    }

    /// Whether the server is to say that others commit. `Sendable`: a value.
    struct Listening: Sendable {
        var listener: PostgresListener?
        /// When it was tried last.
        var tried: Duration?
        var isClosed = false
        /// How many sessions use the store, as far as is known.
        var sessions: Int64 = 1

        mutating func end() {
            listener?.end()
            (listener, tried) = (nil, nil)
        }
    }

    extension PostgresRoute {
        func follow(_ core: SQLCore) {
            let now = Clock.monotonic()
            let isDue = listening.withLock { state in
                let isTooSoon = state.tried.map { now - $0 < core.options.beat } ?? false
                if state.isClosed || isTooSoon || !(state.listener?.isOver ?? true) { return false }
                (state.listener, state.tried) = (nil, now)
                return true
            }
            // Without it commits are found a little later.
            guard isDue, (try? mayListen()) ?? false,
                let made = try? PostgresListener(
                    place, core.roster.id, core.ticker.queue,
                    hint: { [weak core] in core?.lookNow() })
            else { return }
            listening.withLock { state in
                if state.isClosed { made.end() } else { state.listener = made }
            }
        }

        func unfollow() { listening.withLock { $0.end() } }

        /// So many look as often as they want; more of them together no more often than these.
        private static var mostQuick: Int64 { 16 }

        func pause(_ look: Duration) -> Duration {
            let sessions = listening.withLock { $0.sessions }
            return sessions > Self.mostQuick ? look * Int(sessions) / Int(Self.mostQuick) : look
        }

        /// Not where many use the store, nor through a proxy that gives each transaction to another of the
        /// server's processes, of which libpq does not know the numbers.
        private func mayListen() throws(BackendError) -> Bool {
            try pool.ask { connection throws(BackendError) in
                let found = try connection.ask([
                    PostgresQuestion(
                        text: "SELECT pg_backend_pid()::bigint, count(*) FROM \(schema).sessions")
                ])[0]
                return found.number(0, 0) == Int64(PQbackendPID(connection.handle))
                    && found.number(0, 1) <= PostgresListener.mostSessions
            }
        }

        /// Says that there is a commit.
        func saying(_ session: Int64) -> PostgresQuestion {
            let question = PostgresQuestion(
                text: "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)")
            question.parameters.set(place.address.schema, at: 1)
            question.parameters.set(String(session), at: 2)
            return question
        }
    }
#endif
