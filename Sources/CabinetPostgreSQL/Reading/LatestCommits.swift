#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// The changes of the latest commits in a row, as far as they came by the way: those of others with a look at
    /// the store, those of this process with the commit. Who takes them up then asks no more. `Sendable`: a value.
    struct LatestCommits: Sendable {
        private var commits: [CommittedChanges] = []
        private var size = 0

        /// So many are read at a time, and begin within so many bytes; so many bytes are kept here.
        private static let (mostCount, mostBytes) = (64, 64 << 10)

        /// The commits behind one, up to another; `nil`: they are not all here, or there are none.
        func after(_ number: CommitNumber, upTo last: CommitNumber) -> [CommittedChanges]? {
            guard number < last, let first = commits.first?.number, first <= number.next else {
                return nil
            }
            let found = commits.drop { $0.number <= number }.prefix { $0.number <= last }
            return found.isEmpty ? nil : Array(found)
        }

        /// Adds commits in a row, and lets go of the oldest.
        mutating func add(_ more: [CommittedChanges]) {
            guard let first = more.first else { return }
            if commits.last?.number.next != first.number { self = LatestCommits() }
            commits += more
            size += more.reduce(0) { $0 + ($1.operations?.count ?? 0) }
            var tooMany = 0
            while size > Self.mostBytes || commits.count - tooMany > 4 * Self.mostCount,
                tooMany < commits.count - 1
            {
                size -= commits[tooMany].operations?.count ?? 0
                tooMany += 1
            }
            commits.removeFirst(tooMany)
        }

        /// Adds a commit of one's own.
        mutating func add(
            own number: CommitNumber, at time: UInt64, author: UInt32,
            _ operations: UnsafeRawBufferPointer
        ) {
            guard operations.count <= Self.mostBytes else {
                self = LatestCommits()
                return
            }
            add([
                CommittedChanges(
                    number: number, time: time, author: author, operations: [UInt8](operations))
            ])
        }

        // MARK: Asking

        /// - Parameter schema: its name, in quotes.
        static func question(
            after number: CommitNumber, upTo last: Int64, _ schema: String
        ) -> PostgresQuestion {
            let columns = "number, time, author, size, operations"
            let question = PostgresQuestion(
                text: "SELECT \(columns) FROM (SELECT \(columns), "
                    + "sum(size) OVER (ORDER BY number) - size AS before FROM (SELECT \(columns) "
                    + "FROM \(schema).commits WHERE number > $1 AND number <= $2 ORDER BY number "
                    + "LIMIT \(mostCount)) a) b WHERE before < \(mostBytes) ORDER BY number")
            question.parameters.set(number.number, at: 1)
            question.parameters.set(last, at: 2)
            return question
        }

        /// The commits of an answer; those behind one that is missing are left out.
        static func commits(
            of result: PostgresResult, after number: CommitNumber, _ core: SQLCore
        ) -> [CommittedChanges] {
            var found: [CommittedChanges] = []
            for row in 0..<result.count {
                let next = (found.last?.number ?? number).next
                guard result.number(row, 0) == next.number else { break }
                found.append(
                    SQLChangeCursor.changes(
                        next, (1..<4).map { result.number(row, $0) },
                        result.isNull(row, 4) ? nil : [UInt8](result.bytes(row, 4)), core))
            }
            return found
        }
    }

    extension PostgresRoute {
        func look(_ core: SQLCore) throws(BackendError) -> StoreState {
            try core.pool.checkOpen()
            let known = core.lastKnown
            let answers = try pool.ask { connection throws(BackendError) in
                try connection.ask([
                    LatestCommits.question(after: known, upTo: .max, schema),
                    PostgresQuestion(
                        text: StoreState.text(
                            schema, ", (SELECT count(*) FROM \(schema).sessions)")),
                ])
            }
            if answers[1].count > 0 {
                listening.withLock { $0.sessions = answers[1].number(0, 6) }
            }
            let state = try StoreState(answers[1], place)
            try note(state, knowing: known, core)
            let found = LatestCommits.commits(of: answers[0], after: known, core)
            latest.withLock { $0.add(found) }
            return state
        }

        func changes(
            after number: CommitNumber, _ core: SQLCore
        ) throws(BackendError) -> [CommittedChanges] {
            try core.pool.checkOpen()
            let last = core.lastKnown
            if let found = latest.withLock({ $0.after(number, upTo: last) }) { return found }
            return try ask(
                asOf: nil, core
            ) { _, _ in
                LatestCommits.question(after: number, upTo: last.number, schema)
            } _: { (result, state) throws(BackendError) in
                try SQLChangeCursor.check(number, last: last.number, oldest: state.feedOldest)
                let found = LatestCommits.commits(of: result, after: number, core)
                guard !found.isEmpty || number == last else {
                    throw place.damaged("commit \(number.next)")
                }
                return found
            } ?? []
        }

        func part(
            _ part: Int64, of commit: CommitNumber, _ core: SQLCore
        ) throws(BackendError) -> [UInt8]? {
            try ask(
                asOf: nil, core
            ) { _, _ in
                let question = PostgresQuestion(
                    text: "SELECT operations FROM \(schema).parts WHERE number = $1 AND part = $2")
                question.parameters.set(commit.number, at: 1)
                question.parameters.set(part, at: 2)
                return question
            } _: { (result, state) throws(BackendError) -> [UInt8]? in
                try SQLChangeCursor.checkIsKept(commit, oldest: state.feedOldest)
                return result.count > 0 ? [UInt8](result.bytes(0, 0)) : nil
            } ?? nil
        }

        func lines(_ core: SQLCore) throws(BackendError) -> [CommitLine] {
            try core.pool.checkOpen()
            let last = core.lastKnown
            if let known = lines.withLock({ $0.lines(upTo: last) }) { return known }
            _ = try state(core)
            return lines.withLock { $0.lines(upTo: last) } ?? []
        }
    }
#endif
