#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// The lines of a store's commits that are known here, and whether the server has still all commits that were read
    /// here. It may have lost the last ones: by a crash, if they were not synced, or with a primary whose standby took
    /// over without them. Then their numbers are given out again, in a line of their own. `Sendable`: a value.
    struct PostgresLines: Sendable {
        /// As the server says them.
        private var text: String
        /// It has those of all commits up to this one.
        private var last: Int64
        private var known: Set<Int64>
        /// Those that the latest commits of this process would have begun, if that was due.
        private var own: [Int64] = []
        private(set) var areKept = true

        /// So many commits of one's own are made at most until the answer to one that begins a line is taken note of.
        private static let mostOwn = 16
        /// What a commit that begins a line adds to the number of the tables.
        static let step: Int64 = 1 << 20

        /// - Parameter last: the last commit at the time of the text.
        init(_ text: String, last: Int64) {
            (self.text, self.last) = (text, last)
            known = Set(Self.lines(text).map(\.number))
        }

        /// One value, of all lines: number and first commit of each.
        /// - Parameter schema: its name, in quotes.
        static func text(_ schema: String) -> String {
            "(SELECT string_agg(concat(l.number, ' ', l.first), ',' ORDER BY l.first) FROM \(schema).lines l)"
        }

        private static func lines(_ text: String) -> [(number: Int64, first: Int64)] {
            text.split(separator: ",").compactMap { line in
                let parts = line.split(separator: " ").compactMap { Int64($0) }
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            }
        }

        /// The lines of all commits up to one; `nil`: they are not known.
        func lines(upTo commit: CommitNumber) -> [CommitLine]? {
            guard commit.number <= last else { return nil }
            return Self.lines(text).map { line in
                CommitLine(
                    number: UInt64(bitPattern: line.number),
                    first: CommitNumber(number: line.first))
            }.filter { $0.first <= commit }
        }

        /// The number of the line that a commit of this process is to begin, if one is due.
        mutating func propose() -> Int64 {
            let number = Int64.random(in: 1...Int64.max)
            if own.count == Self.mostOwn { own.removeFirst() }
            own.append(number)
            return number
        }

        /// Takes note of what the server says.
        /// - Parameters:
        ///   - commit: the last one that was known here before the server was asked.
        ///   - last: the last one that the server has.
        ///   - text: its lines.
        mutating func note(knowing commit: CommitNumber, last: Int64, _ text: String) {
            if last < commit.number { areKept = false }
            if text == self.text {
                self.last = max(self.last, last)
                return
            }
            let lines = Self.lines(text)
            for line in lines where line.first <= commit.number {
                if !known.contains(line.number), !own.contains(line.number) { areKept = false }
            }
            // An answer may come behind a later one.
            if last < self.last { return }
            (self.text, self.last) = (text, last)
            known = Set(lines.map(\.number))
        }

        /// A commit of this process was made, and got a number.
        /// - Parameter begins: whether a line begins with it.
        mutating func note(_ number: Int64, begins: Bool, knowing commit: CommitNumber) {
            if number <= commit.number { areKept = false }
            if begins, let line = own.last { known.insert(line) }
            if !begins, last == number - 1 { last = number }
        }
    }

    extension PostgresRoute {
        /// Takes note of what an answer says.
        /// - Parameter commit: the last one that was known before the server was asked.
        /// - Throws: ``BackendError/engine(name:reason:)`` if the server has lost commits that were known here: what was
        ///   read of them never was, and what is based on them would overwrite what others have saved.
        func note(
            _ state: StoreState, knowing commit: CommitNumber, _ core: SQLCore
        ) throws(BackendError) {
            try note(state.last, state.lines, knowing: commit)
            note(state)
        }

        func note(
            _ last: Int64, _ text: String, knowing commit: CommitNumber
        ) throws(BackendError) {
            lines.withLock { $0.note(knowing: commit, last: last, text) }
            try checkKept()
        }

        /// - Throws: ``BackendError/engine(name:reason:)``
        func checkKept() throws(BackendError) {
            guard lines.withLock({ $0.areKept }) else {
                throw PostgresFailure.lostCommits(place.location)
            }
        }
    }
#endif
