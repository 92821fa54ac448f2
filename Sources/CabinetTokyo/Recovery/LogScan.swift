import CabinetBackend

/// What reading the whole log has shown: where it ends, and the tables that it makes.
struct LogScan {
    /// A segment as far as its frames can be believed.
    struct Part {
        var number: UInt64
        var path: String
        var firstCommit: CommitNumber
        var lastCommit: CommitNumber
        /// Where the last good frame ends.
        var end: UInt64
    }

    /// Where frames stop that should go on.
    struct Hole {
        var path: String
        var offset: UInt64
    }

    let chain: SegmentChain
    private(set) var parts: [Part] = []
    private(set) var lastCommit: CommitNumber
    /// The highest commit that is known to be durable.
    private(set) var syncedCommit: CommitNumber
    /// The latest stretch of use.
    private(set) var session: SessionRecord?
    private(set) var hole: Hole?
    /// What frames behind the hole say.
    private(set) var beyond = Evidence()
    /// Every table that there is, by number.
    private(set) var tables: [TableNumber: TableState] = [:]
    private(set) var highestTable: TableNumber
    /// Puts, and their bytes, since the snapshot: how large a view may become.
    private(set) var puts: [TableNumber: (count: UInt64, bytes: UInt64)] = [:]
    /// The catalog's entry about the store, as the log last has it.
    private(set) var storeEntry: [UInt8]?
    /// The bytes of all frames behind the snapshot.
    private(set) var appendedBytes: UInt64 = 0

    /// Reads and checks every frame of the chain.
    init(files: any FileLayer, chain: SegmentChain) throws(BackendError) {
        self.chain = chain
        lastCommit = chain.snapshotCommit
        syncedCommit = chain.snapshotCommit
        highestTable = chain.snapshot?.highestTable ?? .namedBuffers
        for definition in TableDefinition.builtIn {
            tables[definition.number] = TableState(definition: definition)
        }
        for table in chain.snapshot?.tables ?? [] {
            tables[table.number] = table.state
            puts[table.number] = (table.count, table.bytes)
        }
        for (index, link) in chain.links.enumerated() {
            guard hole == nil else {
                try gatherEvidence(files, link)
                continue
            }
            if link.header.firstCommit.previous > lastCommit {
                // The segment before does not reach as far as this one says.
                hole = Hole(path: parts.last?.path ?? link.path, offset: parts.last?.end ?? 0)
                try gatherEvidence(files, link)
                continue
            }
            guard index == 0 || link.header.firstCommit.previous == lastCommit else {
                throw .corrupt(path: link.path, offset: 32)
            }
            try read(files, link)
        }
    }

    private mutating func read(
        _ files: any FileLayer, _ link: SegmentChain.Link
    ) throws(BackendError) {
        let segment = try SegmentReader(
            files: files, path: link.path, number: link.number, store: chain.store,
            limit: link.limit)
        let reader = CommitReader(segment)
        while let item = try reader.next() {
            switch item {
            case .tables(let list): note(list)
            case .session(let record): session = record
            case .commit(let commit): try note(commit)
            }
        }
        syncedCommit = max(syncedCommit, reader.syncedCommit)
        lastCommit = max(lastCommit, reader.lastCommit)
        appendedBytes += reader.goodEnd
        parts.append(
            Part(
                number: link.number, path: link.path, firstCommit: link.header.firstCommit,
                lastCommit: reader.lastCommit, end: reader.goodEnd))
        if !reader.isAtLimit {
            hole = Hole(path: link.path, offset: reader.offset)
            beyond = try segment.evidence(from: reader.offset)
        }
    }

    private mutating func gatherEvidence(
        _ files: any FileLayer, _ link: SegmentChain.Link
    ) throws(BackendError) {
        let segment = try SegmentReader(
            files: files, path: link.path, number: link.number, store: chain.store,
            limit: link.limit)
        let more = try segment.evidence(from: UInt64(SegmentHeader.size))
        beyond.syncedCommit = max(beyond.syncedCommit, more.syncedCommit, link.header.syncedCommit)
        beyond.writtenCommit = max(beyond.writtenCommit, more.writtenCommit)
    }

    private mutating func note(_ list: [TableState]) {
        // The head of a segment may describe commits that stand further down in it.
        for state in list where tables[state.definition.number] == nil {
            tables[state.definition.number] = state
            highestTable = max(highestTable, state.definition.number)
        }
    }

    private mutating func note(_ commit: CommitReader.Commit) throws(BackendError) {
        guard commit.number > chain.snapshotCommit else { return }
        // Operations on one table mostly follow each other: counted aside, noted at once.
        var tally = Tally(table: 0)
        try commit.forEachOperation { operation throws(BackendError) in
            switch operation {
            case .putRow(let table, let row, let stored):
                if table != tally.table { note(&tally, commit.number, next: table) }
                tally.add(stored.count + DecimalKey.longest, row)
            case .putKey(let table, let key, let stored):
                if table != tally.table { note(&tally, commit.number, next: table) }
                tally.add(key.count + stored.count, 0)
                if table == .catalog, key.elementsEqual(CatalogKey.store.utf8) {
                    storeEntry = Array(Checksum.value(of: stored))
                }
            case .deleteRow(let table, _), .deleteKey(let table, _):
                if table != tally.table { note(&tally, commit.number, next: table) }
                tally.isUsed = true
            case .define(let definition):
                note(&tally, commit.number, next: definition.number)
                define(definition, commit.number)
            case .drop(let table):
                note(&tally, commit.number, next: table)
                tables[table] = nil
                puts[table] = nil
            case .note, .unknown: break
            }
        }
        note(&tally, commit.number, next: 0)
    }

    private struct Tally {
        var table: TableNumber
        var isUsed = false
        var puts: UInt64 = 0
        var bytes: UInt64 = 0
        var highestRow: RowID = 0

        mutating func add(_ size: Int, _ row: RowID) {
            isUsed = true
            puts += 1
            bytes += UInt64(size)
            highestRow = max(highestRow, row)
        }
    }

    private mutating func note(
        _ tally: inout Tally, _ commitNumber: CommitNumber, next: TableNumber
    ) {
        defer { tally = Tally(table: next) }
        guard tally.isUsed, var state = tables[tally.table] else { return }
        state.lastCommit = commitNumber
        state.highestRow = max(state.highestRow, tally.highestRow)
        tables[tally.table] = state
        let before = puts[tally.table] ?? (0, 0)
        puts[tally.table] = (before.count + tally.puts, before.bytes + tally.bytes)
    }

    private mutating func define(_ definition: TableDefinition, _ commitNumber: CommitNumber) {
        var state = tables[definition.number] ?? TableState(definition: definition)
        state.definition = definition
        state.lastCommit = commitNumber
        tables[definition.number] = state
        highestTable = max(highestTable, definition.number)
    }

    /// Takes note of what was learned elsewhere to be durable.
    mutating func know(synced commitNumber: CommitNumber) {
        syncedCommit = max(syncedCommit, commitNumber)
    }
}
