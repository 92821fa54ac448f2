#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// What a store's commits need to know from one to the next. A value.
    struct PostgresWriter {
        /// The session's number, once it has committed.
        var session: Int64?
        /// Grows with each commit of this session whose outcome had to be found out: what was sent in an
        /// earlier epoch is refused from then on.
        var epoch: Int64 = 0
        /// The commit that may have been made.
        var unknown: UInt64?
        /// What became of commits whose answers were lost.
        var outcomes: [UInt64: CommitOutcome] = [:]
        /// How many sessions used the store at the last commit, up to one too many to say anything to.
        var sessions = 0
        /// When the server was last asked to say that there is a commit.
        var said: Duration?

        /// Whether it is asked now. A session that has heard of one commit soon looks for more.
        mutating func says() -> Bool {
            let now = Clock.monotonic()
            guard (2...PostgresListener.mostSessions).contains(sessions),
                said.map({ now - $0 >= .milliseconds(10) }) ?? true
            else { return false }
            said = now
            return true
        }
    }

    extension PostgresRoute {
        /// Every so many commits a feed that is too large is looked at.
        private static var interval: Int64 { 64 }

        /// What is given out has to be known after a crash: else it would be given out again.
        /// Nor does it wait for others for longer than patience lasts.
        var keeping: PostgresQuestion {
            let question = PostgresQuestion(
                text:
                    "SELECT set_config('lock_timeout', $1, true), set_config('synchronous_commit', "
                    + "replace(current_setting('synchronous_commit'), 'off', 'on'), true)")
            question.parameters.set("\(max(place.patience, 1))", at: 1)
            return question
        }

        /// Each statement of a commit sees what was there when it began: behind the lock, all there is.
        static var begin: String { "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE" }

        func commit(
            _ batch: WriteBatch, _ chunks: [UnsafeRawBufferPointer], _ core: SQLCore
        ) throws(BackendError) -> Int64 {
            let made = try PostgresCommit(batch, chunks, core.host.limits)
            let answer = try write { writer throws(BackendError) in
                try core.pool.checkOpen()
                if let unknown = writer.unknown { try settle(unknown, &writer, core) }
                var lost = 0
                while true {
                    if let answer = try attempt(made, &lost, &writer, core) { return answer }
                }
            }
            if let feed = answer.feed, feed.size > Int64(core.options.changesKept),
                answer.number % Self.interval == 0 || made.size > core.options.changesKept / 4
            {
                do throws(BackendError) { try trimFeed(to: core.options.changesKept, core) } catch {
                    // The commit is made, and the next one looks again.
                    core.options.log(
                        .notice, "\(place.location): the feed was not trimmed: \(error)")
                }
            }
            return answer.number
        }

        /// Makes the commit, or finds out what is in its way. `nil`: it was not made, and may be if it is tried
        /// once more.
        private func attempt(
            _ commit: PostgresCommit, _ lost: inout Int, _ writer: inout PostgresWriter,
            _ core: SQLCore
        ) throws(BackendError) -> PostgresAnswer.Made? {
            try checkKept()
            let known = core.lastKnown
            let directory = try directory(asOf: 0, core)
            var failure: BackendError?
            do throws(BackendError) { try commit.check(directory.tables) } catch { failure = error }
            writer.session = core.roster.id
            let token = UInt64.random(in: 1...UInt64.max)
            let header = PostgresCommit.Header(
                session: core.roster.id, epoch: writer.epoch, token: Int64(bitPattern: token),
                patience: max(place.patience, 1), isSafe: core.options.durability == .full,
                onlyAsks: failure != nil, line: lines.withLock { $0.propose() })
            let question = commit.question(header, directory, schema: schema)
            let sent = try send(question, commit, token, directory, &lost, &writer, core)
            guard let answer = sent else { return nil }
            switch answer {
            case .made(let made):
                writer.sessions = made.sessions
                note(made, of: commit, before: directory, knowing: known)
                // While no other thread can have made a later one.
                core.note(last: made.number)
                return made
            case .otherTables:
                _ = try readDirectory(core)
                return nil
            case .isPossible:
                // Not in conflict, but not possible.
                if let failure { throw failure }
                return nil
            case .refused(let error): throw error
            }
        }

        /// Takes note of what a commit has made of the tables, as long as nobody else has changed them.
        private func note(
            _ made: PostgresAnswer.Made, of commit: PostgresCommit, before: PostgresDirectory,
            knowing last: CommitNumber
        ) {
            let grown = made.directory - before.number
            let (begins, changes) = (grown >= PostgresLines.step, grown % PostgresLines.step)
            if made.catalog != nil {
                lines.withLock { $0.note(made.number, begins: begins, knowing: last) }
            }
            directory.withLock { known in
                if known.number == before.number, changes == 1 || begins && changes == 0 {
                    if changes == 1 { commit.change(&known.tables, at: made.number) }
                    known.number = made.directory
                }
                if known.number == made.directory { known.last = max(known.last, made.number) }
            }
            // Of a commit whose answer was lost, or of nothing, no more is known.
            counts.withLock {
                if made.catalog != nil, commit.changesLastChunkAlone {
                    $0.note(made.number, made.counts)
                } else {
                    $0.forget()
                }
            }
            let operations = made.catalog == nil ? nil : commit.operations
            latest.withLock { latest in
                guard let operations else {
                    latest = LatestCommits()
                    return
                }
                latest.add(
                    own: CommitNumber(number: made.number), at: commit.time,
                    author: commit.author, operations)
            }
            guard let (now, before) = made.catalog else { return }
            catalog.withLock { known in
                known.note(made.number, before: before, hasChanged: now == made.number) { catalog in
                    commit.change(&catalog)
                }
            }
        }

        /// So often a commit is tried whose connection is lost.
        private static var mostLost: Int { 5 }

        /// Sends a commit, and gets the answer. `nil`: the answer was lost, and the commit was not made.
        private func send(
            _ question: PostgresQuestion, _ commit: PostgresCommit, _ token: UInt64,
            _ directory: PostgresDirectory, _ lost: inout Int, _ writer: inout PostgresWriter,
            _ core: SQLCore
        ) throws(BackendError) -> PostgresAnswer? {
            var deadline: UInt64?
            let connection = try pool.take(&deadline)
            let loss = losing.withLock { loss in
                defer { loss = nil }
                return loss
            }
            if loss == false {
                pool.giveBack(connection)
                writer.unknown = token
                throw .outcomeUnknown(token: token)
            }
            do throws(BackendError) {
                let begin = PostgresQuestion(text: Self.begin)
                let end = PostgresQuestion(text: "COMMIT")
                if !commit.chunks.isEmpty { try stage(commit, directory.tables, connection) }
                var results = try connection.ask(
                    (commit.chunks.isEmpty ? [begin] : []) + [question, end],
                    last: writer.says() ? saying(core.roster.id) : nil)
                guard results.popLast()?.done == "COMMIT", let result = results.last else {
                    throw place.damaged("the answer to a commit")
                }
                let answer = try PostgresAnswer(result, place)
                pool.giveBack(connection)
                if loss == true {
                    writer.unknown = token
                    throw BackendError.outcomeUnknown(token: token)
                }
                return answer
            } catch {
                if case .outcomeUnknown = error { throw error }
                let isLost = connection.isLost
                connection.rollBack()
                pool.giveBack(connection)
                guard isLost else { throw error }
                writer.unknown = token
                try settle(token, &writer, core)
                guard case .committed(let number)? = writer.outcomes[token] else {
                    // Perhaps it is this commit that ends the server's process.
                    lost += 1
                    if lost == Self.mostLost { throw error }
                    return nil
                }
                return .made(
                    PostgresAnswer.Made(number: number.number, directory: 0, feed: nil))
            }
        }

        /// Begins the transaction, and brings chunks into a table that goes with it, before anything is locked:
        /// two ways to the server, however many they are.
        private func stage(
            _ commit: PostgresCommit, _ tables: TableVersions, _ connection: PostgresConnection
        ) throws(BackendError) {
            var chunks = zip(commit.chunks, commit.staged).enumerated().makeIterator()
            try connection.copy(
                Self.begin
                    + "; CREATE TEMPORARY TABLE chunks (part bigint, bytes bytea, tables bigint[], "
                    + "flags int[], ends int[], place bigint[], length int[], value int[], size int[]) "
                    + "ON COMMIT DROP; ALTER TABLE pg_temp.chunks "
                    + ["bytes", "place", "length", "value", "size"].map {
                        "ALTER \($0) SET STORAGE EXTERNAL"
                    }.joined(separator: ", ") + "; "
                    + "COPY pg_temp.chunks FROM STDIN (FORMAT binary)"
            ) { () throws(BackendError) in
                guard let (index, chunk) = chunks.next() else { return nil }
                let row = PostgresParameters()
                row.set(Int64(index), at: 1)
                row.set(chunk.0, at: 2)
                chunk.1.bind(to: row, from: 3, tables, basis: commit.basis)
                return row
            }
        }

        // MARK: Outcomes

        func outcome(of token: UInt64, _ core: SQLCore) throws(BackendError) -> CommitOutcome {
            let outcome = try write { writer throws(BackendError) in
                try core.pool.checkOpen()
                if writer.unknown == token { try settle(token, &writer, core) }
                return writer.outcomes[token]
            }
            guard let outcome else {
                throw .unsupported("the outcome of a commit that it did not lose")
            }
            core.deliver()
            return outcome
        }

        /// Finds out what became of a commit, and sees that nothing comes of it any more if it was not made: the
        /// server may still have it before it, in a connection that was lost here alone.
        private func settle(
            _ token: UInt64, _ writer: inout PostgresWriter, _ core: SQLCore
        ) throws(BackendError) {
            let (epoch, number): (Int64, Int64)
            do throws(BackendError) {
                (epoch, number) = try pool.ask { connection throws(BackendError) in
                    let parameters = PostgresParameters()
                    parameters.set(core.roster.id, at: 1)
                    parameters.set(Int64(bitPattern: token), at: 2)
                    parameters.set(max(place.patience, 1), at: 3)
                    parameters.set(Int64(Clock.microseconds()), at: 4)
                    let results = try connection.ask([
                        PostgresQuestion(text: Self.begin),
                        PostgresQuestion(
                            text: "SELECT * FROM \(schema).settle($1, $2, $3, $4)",
                            parameters: parameters),
                        PostgresQuestion(text: "COMMIT"),
                    ])
                    guard results[2].done == "COMMIT", results[1].count == 1 else {
                        throw place.damaged("the table of writers")
                    }
                    return (results[1].number(0, 0), results[1].number(0, 1))
                }
            } catch {
                core.options.log(.warning, "What became of a commit is not known: \(error)")
                throw .outcomeUnknown(token: token)
            }
            writer.epoch = epoch
            writer.unknown = nil
            writer.outcomes[token] =
                number > 0 ? .committed(CommitNumber(number: number)) : .notCommitted
            if number > 0 { core.note(last: number) }
        }
    }
#endif
