import CabinetBackend

/// Keeps the indexes of a store's classes: every commit enters what it changes.
///
/// What stands in an index for a record follows from the record alone. So a commit compares the keys of
/// what it writes with those of the records that this replaces.
final class IndexKeeper: CommitParticipant {
    private unowned let store: Store
    /// By class number.
    private var byClass: [ClassIndexes?]
    private let keys = IndexKeys()
    private let formerKeys = IndexKeys()
    private var uniqueness = UniqueKeys()
    /// What ``ClassIndexes/entries`` are as of.
    private var lookedBasis: CommitNumber?
    private var lookedGeneration = -1
    /// Whether this store has committed since it looked.
    private var hasCommitted = false

    init(_ store: Store) {
        self.store = store
        byClass = Array(repeating: nil, count: 256)
    }

    // MARK: Indexes

    /// The indexes of `storedClass`, with what the catalog says as of the store's basis; `nil` if it has
    /// none.
    func indexes(of storedClass: StoredClass) throws -> ClassIndexes? {
        guard let found = byClass[Int(storedClass.number)] else { return nil }
        try look()
        return found
    }

    /// All classes with indexes.
    func allIndexes() throws -> [ClassIndexes] {
        try look()
        return byClass.compactMap { $0 }
    }

    /// What is kept of a class, whether it has indexes or not.
    func makeIndexes(of storedClass: StoredClass) -> ClassIndexes {
        let number = Int(storedClass.number)
        if let found = byClass[number] { return found }
        let made = ClassIndexes(storedClass, store)
        byClass[number] = made
        lookedBasis = nil
        return made
    }

    /// Reads what the catalog says as of the store's basis.
    private func look() throws {
        let generation = store.hub.generation
        if hasCommitted, generation == lookedGeneration {
            hasCommitted = false
            lookedBasis = store.basis
        }
        if lookedBasis == store.basis, lookedGeneration == generation { return }
        hasCommitted = false
        let tables = try store.reader.tables()
        for case let indexes? in byClass {
            indexes.note(
                try store.reader.indexEntries(ofClass: indexes.storedClass.number), tables)
        }
        (lookedBasis, lookedGeneration) = (store.basis, generation)
    }

    func forgetLooks() { lookedBasis = nil }

    // MARK: Taking part in commits

    func follows(_ storedClass: StoredClass) -> Bool { byClass[Int(storedClass.number)] != nil }

    func begin(_ commit: Commit) throws {
        for case let indexes? in byClass { indexes.isPrepared = false }
        uniqueness.removeAll()
    }

    func note(_ event: RecordEvent, in commit: Commit) throws {
        guard let indexes = byClass[Int(event.storedClass.number)] else { return }
        // The object itself follows.
        if event.isStandIn, commit.isSave { return }
        if !indexes.isPrepared { try prepare(indexes, for: commit) }
        let row = event.object.rowID
        if event.kind != .deleted { indexes.written.take(event.object) }
        if event.kind == .inserted {
            for index in indexes.all where index.takesPart {
                try enter(index, indexes.written, in: commit.batch)
            }
            return
        }
        try event.withSavedRecord(in: store) { record in
            guard let record, try indexes.replaced.take(record, at: row) else {
                guard event.kind == .updated else { return }
                for index in indexes.all where index.takesPart {
                    try enter(index, indexes.written, in: commit.batch)
                }
                return
            }
            for index in indexes.all where index.takesPart {
                if event.kind == .deleted {
                    try leave(index, indexes.replaced, in: commit.batch)
                } else {
                    try update(index, indexes, in: commit.batch)
                }
            }
        }
    }

    func join(_ commit: Commit) throws {
        try uniqueness.settle(in: commit, self)
    }

    func didEnd(committed: Bool) {
        uniqueness.removeAll()
        for case let indexes? in byClass {
            if committed, let entries = indexes.entriesOfCommit {
                indexes.entries = entries
                for index in indexes.all { index.entry = entries[index.name] }
            }
            indexes.entriesOfCommit = nil
        }
        guard committed, store.hub.generation == store.hubGeneration else {
            lookedBasis = nil
            return
        }
        lookedGeneration = store.hubGeneration
        hasCommitted = true
    }

    func forgetWhatIsSaved() { lookedBasis = nil }

    // MARK: Entering

    /// Finds out which indexes take part in the commit, and defines those of a class that has no records
    /// yet.
    private func prepare(_ indexes: ClassIndexes, for commit: Commit) throws {
        try look()
        indexes.isPrepared = true
        var entries = indexes.entries
        let storedClass = indexes.storedClass
        lazy var isEmpty = (try? store.reader.count(of: storedClass.table)) == 0
        for index in indexes.all {
            if let entry = index.entry, index.isAsDefined {
                index.takesPart = entry.state.takesPart
            } else if index.entry == nil, isEmpty {
                let entry = index.freshEntry(.complete)
                index.table = try define(entry, in: commit.batch)
                index.takesPart = true
                entries[index.name] = entry
            } else {
                index.takesPart = false
            }
        }
        for neglected in indexes.neglected { entries.leaveBehind(neglected, at: store.basis) }
        if entries != indexes.entries {
            indexes.entriesOfCommit = entries
            try entries.put(ofClass: storedClass.number, in: commit.batch)
        } else if store.isIsolated {
            try IndexEntries.key(ofClass: storedClass.number).withUnsafeBytesThrowing {
                key throws(BackendError) in
                commit.batch.require(.unchanged, key: key, in: .catalog)
            }
        }
    }

    /// Adds the table of an entry to a batch.
    func define(_ entry: IndexEntry, in batch: WriteBatch) throws(BackendError) -> TableNumber {
        let definition = try store.backend.claim(TableClaim(kind: .ordered, name: entry.table))
        try batch.define(definition)
        return definition.number
    }

    private func enter(_ index: ClassIndex, _ candidate: Candidate, in batch: WriteBatch) throws {
        guard let table = index.table else { return }
        if index.index.isMultiple {
            try keys.makeSeveral(of: index, candidate)
            for key in keys.several { try batch.put(key, in: table) }
            return
        }
        try keys.withKey(of: index, candidate) { key in
            guard let key else { return }
            try put(key, of: candidate.row, index, table, in: batch)
        }
    }

    private func leave(_ index: ClassIndex, _ candidate: Candidate, in batch: WriteBatch) throws {
        guard let table = index.table else { return }
        if index.index.isMultiple {
            try formerKeys.makeSeveral(of: index, candidate)
            for key in formerKeys.several { try batch.delete(key, in: table) }
            return
        }
        try formerKeys.withKey(of: index, candidate) { key in
            if let key { try batch.deleteKey(key.bytes, in: table) }
        }
    }

    private func update(
        _ index: ClassIndex, _ indexes: ClassIndexes, in batch: WriteBatch
    ) throws {
        guard let table = index.table else { return }
        if index.index.isMultiple {
            try formerKeys.makeSeveral(of: index, indexes.replaced)
            try keys.makeSeveral(of: index, indexes.written)
            return try change(from: formerKeys.several, to: keys.several, in: batch, table)
        }
        try formerKeys.withKey(of: index, indexes.replaced) { former in
            try keys.withKey(of: index, indexes.written) { key in
                if let former, let key, former.bytes.elementsEqual(key.bytes) { return }
                if let former { try batch.deleteKey(former.bytes, in: table) }
                if let key { try put(key, of: indexes.written.row, index, table, in: batch) }
            }
        }
    }

    @inline(__always)
    private func put(
        _ key: IndexKeys.Key, of row: RowID, _ index: ClassIndex, _ table: TableNumber,
        in batch: WriteBatch
    ) throws {
        if key.isAlone { return try uniqueness.put(key, of: row, index, table, in: batch, store) }
        try batch.put(UnsafeRawBufferPointer(start: nil, count: 0), for: key.bytes, in: table)
    }

    /// Deletes what is only in `former`, and puts what is only in `keys`. Both are in order.
    private func change(
        from former: [[UInt8]], to keys: [[UInt8]], in batch: WriteBatch, _ table: TableNumber
    ) throws {
        var rest = former[...]
        for key in keys {
            while let gone = rest.first, gone.lexicographicallyPrecedes(key) {
                _ = rest.popFirst()
                try batch.delete(gone, in: table)
            }
            if rest.first == key {
                _ = rest.popFirst()
            } else {
                try batch.put(key, in: table)
            }
        }
        for gone in rest { try batch.delete(gone, in: table) }
    }
}

extension IndexEntries {
    /// A save of a program that does not know the index changes records.
    mutating func leaveBehind(_ entry: IndexEntry, at basis: CommitNumber) {
        var entry = entry
        switch entry.state {
        case .complete: entry.since = basis
        // What it lacks is not known.
        case .building: entry.since = 0
        default: break
        }
        entry.state = .behind
        self[entry.name] = entry
    }
}

extension WriteBatch {
    fileprivate func put(_ key: [UInt8], in table: TableNumber) throws(BackendError) {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try put(UnsafeRawBufferPointer(start: nil, count: 0), for: key, in: table)
        }
    }

    fileprivate func delete(_ key: [UInt8], in table: TableNumber) throws(BackendError) {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try deleteKey(key, in: table)
        }
    }
}
