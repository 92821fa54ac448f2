import CabinetBackend

/// Moves what commits have replaced from the feed into tables of history, a part at a time: each in a commit
/// that also moves the position from which on the feed keeps commits.
///
/// One thread at a time does it, under a claim. Entries of commits behind the position are of no account, and
/// written again.
struct HistoryMove {
    private let backend: any Backend
    private let partSize: Int
    private let tableSize: UInt64

    /// - Parameters:
    ///   - partSize: about how many bytes a part has; 128 KiB, as saves and looks wait while one is written.
    ///   - tableSize: how many bytes a table has before the next one is begun.
    init(
        _ backend: any Backend, partSize: Int = 128 << 10,
        tableSize: UInt64 = HistoryTable.sizeLimit
    ) {
        (self.backend, self.partSize, self.tableSize) = (backend, partSize, tableSize)
    }

    /// Moves all that there is.
    func moveAll(until hasEnded: () -> Bool = { false }) throws(BackendError) {
        while !hasEnded(), try movePart() {}
    }

    /// Moves all up to a commit, so that the feed need not keep that any more. A commit that only moves the
    /// position is made for it, too.
    func move(upTo number: CommitNumber) throws(BackendError) {
        while let kept = try backend.keptChanges(for: HistoryPart.name),
            kept.position.commit < number, try movePart(evenIfEmpty: true)
        {}
    }

    /// What a commit says that ends all that is to be done about commits: it is then the last one.
    struct Closing {
        /// Readers of the feed that have read all up to ``last``: their position is to be that commit.
        var readers: [KeptChanges] = []
        var last: CommitNumber
    }

    /// Moves all that there is, and has the tables, and other readers of the feed, reach to the commit that says so:
    /// then a copy of the store as of it, which has no earlier commits, still has its history, and these go on
    /// there. Without history and readers nothing is done.
    ///
    /// - Parameter closing: says which readers have read all, and up to where; called again if commits have come
    ///   meanwhile.
    /// - Parameter end: until when to try it again if others commit all the time.
    /// - Returns: the commit that the copy must be as of; `nil` if nothing follows from that, as without history
    ///   and readers, or at the end.
    func close(
        until end: ContinuousClock.Instant, _ closing: () throws -> Closing
    ) throws -> CommitNumber? {
        repeat {
            let closing = try closing()
            let history = try backend.keptChanges(for: HistoryPart.name)
            let positions = try closing.readers.compactMap { try backend.keptChanges(for: $0.name) }
            let isDone = (positions + [history].compactMap { $0 }).allSatisfy {
                $0.position.commit >= closing.last
            }
            if isDone { return positions.isEmpty && history == nil ? nil : closing.last }
            do throws(BackendError) {
                if history == nil {
                    try write(closing)
                } else if try moveOnce(evenIfEmpty: true, closing: closing),
                    try backend.keptChanges(for: HistoryPart.name)?.position.commit
                        != backend.lastCommit()
                {
                    // There was more than a part.
                    try move(upTo: backend.lastCommit())
                }
            } catch {
                guard case .conflict = error else { throw error }
            }
        } while ContinuousClock.now < end
        return nil
    }

    private func write(_ closing: Closing) throws(BackendError) {
        let batch = backend.makeBatch()
        do throws(BackendError) {
            batch.basis = closing.last
            batch.requiresLastBasis = true
            try batch.note(closing.readers, at: backend.position(of: closing.last.next))
        } catch {
            backend.discard(batch)
            throw error
        }
        try backend.commit(batch)
    }

    /// Moves some commits; `false` if there were none. What another mover has moved meanwhile, as the store's own
    /// worker beside a purge, need not be moved again.
    func movePart(evenIfEmpty: Bool = false) throws(BackendError) -> Bool {
        for _ in 0..<Self.attempts {
            do throws(BackendError) { return try moveOnce(evenIfEmpty: evenIfEmpty) } catch {
                guard case .conflict = error else { throw error }
                try backend.refreshBesideOthers()
            }
        }
        return try moveOnce(evenIfEmpty: evenIfEmpty)
    }

    private static let attempts = 10

    /// - Parameter closing: not `nil` if the tables are to have the commit that this makes as their last one.
    private func moveOnce(
        evenIfEmpty: Bool, closing: Closing? = nil
    ) throws(BackendError) -> Bool {
        guard let kept = try backend.keptChanges(for: HistoryPart.name) else { return false }
        let end = try backend.lastCommit()
        let cursor = try backend.changes(after: kept.position)
        var parts: [HistoryEntries] = []
        var (size, read, last) = (0, 0, kept.position.commit)
        var time = try backend.historyTables().last?.time ?? 0
        var keeping = try HistoryTables(backend, backend.lines())?.keptTables() ?? []
        while size < partSize, last < end, let commit = try cursor.next() {
            guard commit.number <= end else { break }
            let entries = try HistoryEntries(commit, after: time, keeping: &keeping)
            (last, time) = (commit.number, max(time, commit.time))
            size += entries.size
            read += commit.size
            if !entries.entries.isEmpty { parts.append(entries) }
        }
        // A commit that only moves the position, as this one does, would be followed by others for ever. Past long
        // ones, which have moved others, it is made once, as looks would read them.
        let isIdle =
            !evenIfEmpty && read < partSize
            || last == kept.position.commit && closing?.readers.isEmpty ?? true
        if !parts.contains(where: \.hasChanges), isIdle { return false }
        let rows = parts.flatMap(\.rows).sorted { one, other in
            one.key.withUnsafeBytes { key in
                other.key.withUnsafeBytes { KeyOrder.order(key, $0) < 0 }
            }
        }
        // Held for as short as can be: while it is, saves keep what they replace for it.
        let reader = try backend.snapshot(label: HistoryPart.name)
        let now = try reader.keptChanges(for: HistoryPart.name)
        guard now?.position == kept.position else { throw .conflict([]) }
        try withExtendedLifetime(reader) { () throws(BackendError) in
            let basis = try reader.lastCommit()
            let isEnd = closing?.last == basis && last == basis
            try write(
                parts, rows, keeping, kept, upTo: isEnd ? basis.next : last, time, basis: basis,
                closing: isEnd ? closing : nil)
        }
        return true
    }

    private func write(
        _ parts: [HistoryEntries], _ entriesOfRows: [HistoryEntries.Entry],
        _ keeping: Set<TableNumber>, _ kept: KeptChanges, upTo last: CommitNumber, _ time: UInt64,
        basis: CommitNumber, closing: Closing?
    ) throws(BackendError) {
        let position = try backend.position(of: last)
        let all = try backend.historyTables()
        let known = try HistoryTables(backend, backend.lines())?.all.map(\.table) ?? []
        var table = known.last ?? HistoryTable(0, after: .none)
        let goesOn = !known.isEmpty && (table.size < tableSize || parts.isEmpty)
        if !goesOn {
            table = HistoryTable((all.last?.number ?? 0) + 1, after: kept.position.commit)
        }
        let (entries, rows) = try (
            backend.claim(claim(table.entriesName)), backend.claim(claim(table.rowsName))
        )
        (table.last, table.line) = (last, position.line)
        table.time = max(table.time, time)
        table.size += UInt64(parts.reduce(0) { $0 + $1.size })
        let limits = try backend.historyLimits()
        let retired = limits.retired(of: known.filter { $0.number != table.number } + [table])
        let batch = backend.makeBatch()
        do throws(BackendError) {
            batch.basis = basis
            batch.requiresLastBasis = closing != nil
            try batch.note(closing?.readers ?? [], at: position)
            if !goesOn {
                try batch.define(entries)
                try batch.define(rows)
            }
            for part in parts {
                for (key, value) in part.entries {
                    try batch.put(value, under: key, in: entries.number)
                }
            }
            for table in keeping.inOrder() {
                try batch.put([1], under: HistoryKey.kept(table), in: rows.number)
            }
            for (key, value) in entriesOfRows {
                try batch.put(value, under: key, in: rows.number)
            }
            try batch.put(table.value, under: table.key, in: .catalog)
            // What other commits have left, as before a salvage, is of no use any more.
            let lost = all.filter { old in !known.contains { $0.number == old.number } }
            try drop(lost + retired, from: batch)
            try batch.keepChanges(
                KeptChanges(name: kept.name, position: position, limit: kept.limit))
        } catch {
            backend.discard(batch)
            throw error
        }
        try backend.commit(batch)
    }

    private func drop(
        _ tables: [HistoryTable], from batch: WriteBatch
    ) throws(BackendError) {
        if tables.isEmpty { return }
        let known = try backend.tables()
        for table in tables {
            for name in [table.entriesName, table.rowsName] {
                guard let found = known.first(where: { $0.name == name }) else { continue }
                try batch.drop(found.number)
            }
            try table.key.withUnsafeBytesThrowing { key throws(BackendError) in
                try batch.deleteKey(key, in: .catalog)
            }
        }
    }

    private func claim(_ name: String) -> TableClaim {
        TableClaim(kind: .ordered, name: name, flags: .keepsHistory)
    }
}

extension WriteBatch {
    /// Moves readers of the feed to a position.
    fileprivate func note(
        _ readers: [KeptChanges], at position: ChangePosition
    ) throws(BackendError) {
        for reader in readers {
            try keepChanges(
                KeptChanges(name: reader.name, position: position, limit: reader.limit))
        }
    }
}
