import CabinetBackend

/// What is kept of the changes of the latest commits, within the transaction of a commit.
struct Feed {
    private let session: Session
    /// So many bytes of operations may be kept beyond what names need.
    private let limit: Int64

    init(_ session: Session, limit: Int) {
        self.session = session
        self.limit = Int64(limit)
    }

    /// Every so many commits a feed that is too large is looked at.
    private static let interval: Int64 = 64

    /// Adds a commit, and gives up the oldest ones that are too much.
    func add(
        _ number: Int64, at time: Int64, author: UInt32, _ chunks: [UnsafeRawBufferPointer],
        _ rest: UnsafeRawBufferPointer, _ state: inout StoreState
    ) throws(BackendError) {
        let size = Int64(chunks.reduce(rest.count) { $0 + $1.count })
        let isKept = if size <= limit { true } else { try mayKeep(size, number, state) }
        guard isKept else {
            (state.feedOldest, state.feedSize) = (number, 0)
            return try remove(upTo: number)
        }
        let add = try session.statement(.addCommit)
        add.bind(number, at: 1)
        add.bind(time, at: 2)
        add.bind(Int64(author), at: 3)
        add.bind(size, at: 4)
        if chunks.isEmpty { add.bind(rest, at: 5) } else { add.bindNull(at: 5) }
        try add.run()
        if !chunks.isEmpty {
            let part = try session.statement(.addPart)
            for (index, chunk) in (chunks + [rest]).enumerated() {
                part.bind(number, at: 1)
                part.bind(Int64(index), at: 2)
                part.bind(chunk, at: 3)
                try part.run()
            }
        }
        state.feedSize += size
        guard state.feedSize > limit, number % Self.interval == 0 || size > limit / 4 else {
            return
        }
        try giveUp(number, &state)
    }

    /// Gives up the oldest commits if those that are kept are too much.
    func trim() throws(BackendError) {
        var state = session.state
        guard state.feedSize > limit else { return }
        try giveUp(state.last, &state)
        try state.write(to: session)
    }

    /// Gives up commits, as many as no name needs, until three quarters of the limit are left.
    private func giveUp(_ number: Int64, _ state: inout StoreState) throws(BackendError) {
        var needed = number
        for kept in try names(number) where kept.position.commit.number >= state.feedOldest {
            let sizes = try session.statement(
                "SELECT CAST(SUM(size) AS BIGINT) FROM commits WHERE number > $1")
            sizes.bind(kept.position.commit.number)
            guard UInt64(try sizes.firstNumber() ?? 0) <= kept.limit else { continue }
            needed = min(needed, kept.position.commit.number)
        }
        let commits = try session.statement("SELECT number, size FROM commits ORDER BY number")
        defer { commits.reset() }
        while state.feedSize > limit * 3 / 4, try commits.step(), commits.number(0) <= needed {
            state.feedOldest = commits.number(0)
            state.feedSize -= commits.number(1)
        }
        commits.reset()
        try remove(upTo: state.feedOldest)
    }

    private func remove(upTo number: Int64) throws(BackendError) {
        for table in ["commits", "parts"] {
            let statement = try session.statement("DELETE FROM \(table) WHERE number <= $1")
            statement.bind(number)
            try statement.run()
        }
    }

    /// Whether a name may need a commit with so many bytes of operations.
    private func mayKeep(
        _ size: Int64, _ number: Int64, _ state: StoreState
    ) throws(BackendError) -> Bool {
        try names(number).contains {
            $0.position.commit.number >= state.feedOldest && UInt64(size) <= $0.limit
        }
    }

    private func names(_ number: Int64) throws(BackendError) -> [KeptChanges] {
        var found: [KeptChanges] = []
        _ = try StateAsOf(session, number).forEachEntry(
            in: .catalog, KeptChanges.keys, descending: false
        ) { key, value in
            if let kept = KeptChanges(key: key, value: value) { found.append(kept) }
            return true
        }
        return found
    }
}

extension KeptChanges {
    /// Where they stand in the catalog.
    fileprivate static let keys = KeyRange(prefix: Array("feed/".utf8))
}
