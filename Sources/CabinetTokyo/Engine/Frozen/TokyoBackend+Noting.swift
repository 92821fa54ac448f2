import CabinetBackend

// What commits replace is noted for frozen readers before it is changed; all with the turn and the
// lock, and only while a reader is held.
extension TokyoBackend {
    /// Takes note of what a commit changes of tables as a whole.
    func noteTables(of batch: WriteBatch, _ plan: ViewPlan, _ commit: CommitNumber) {
        for table in plan.new {
            window.note(definition: nil, of: table.number, commit: commit)
            window.note(count: 0, of: table.number, commit: commit)
            window.note(highestRow: 0, of: table.number, commit: commit)
        }
        for use in batch.usage {
            guard let table = table(use.table) else { continue }
            noteCount(of: table, commit)
            guard use.highestRow > table.highestRow else { continue }
            window.note(highestRow: table.highestRow, of: table.number, commit: commit)
        }
        guard batch.changesTables else { return }
        let changed = batch.definitions.map(\.number) + batch.drops
        for number in changed {
            guard let table = table(number) else { continue }
            window.note(definition: table.definition, of: number, commit: commit)
        }
    }

    /// Keeps how many rows a table has, and all that an ordered one holds.
    private func noteCount(of table: Table, _ commit: CommitNumber) {
        guard table.kind == .ordered else {
            if let count = try? table.count() {
                window.note(count: count, of: table.number, commit: commit)
            }
            return
        }
        guard case .ordered(let view) = table.view, window.needsContent(of: table.number) else {
            return
        }
        window.note(content: KeptLayers(view.snapshot), of: table.number, commit: commit)
    }

    /// Takes note of what a small commit replaces.
    func noteReplaced(
        by operations: UnsafeRawBufferPointer, of tables: SmallCommit, _ commit: CommitNumber
    ) {
        let records = tables.records
        noteCount(of: records, commit)
        tables.keys.forEachTable { noteCount(of: $0, commit) }
        // Another program may have put something else into the file.
        if let address = records.hashFile?.markAddress,
            ViewMark.applied(at: address) != records.lastCommit
        {
            rebuildToNote(records, commit)
        }
        _ = noteReplaced(by: operations, commit)
    }

    /// Takes note of what operations are going to replace. Returns the tables that were damaged,
    /// which show the commit before now.
    func noteReplaced(
        by operations: UnsafeRawBufferPointer, _ commit: CommitNumber
    ) -> Set<TableNumber> {
        var noter = ReplacementNoter(self, commit)
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            switch operation {
            case .putRow(let table, let row, _): noter.note(row, in: table, isDelete: false)
            case .deleteRow(let table, let row): noter.note(row, in: table, isDelete: true)
            case .putKey(let table, let key, _), .deleteKey(let table, let key):
                noter.note(key, in: table)
            case .define, .drop, .note, .unknown: continue
            }
        }
        return noter.damaged
    }

    /// Takes note of what a feed is going to bring to an ordered table, or has brought.
    func noteFed(_ run: Run, _ table: TableNumber, _ commit: CommitNumber) {
        if window.isKeeping { window.note(keys: run, in: table, commit: commit) }
    }

    /// Keeps all that a table holds that a commit drops. Its file is only read from now on.
    func noteDropped(_ table: Table, _ commit: CommitNumber) throws(BackendError) {
        noteCount(of: table, commit)
        guard case .hash(let file) = table.view else { return }
        try file.endWriting()
        window.note(content: table, of: table.number, commit: commit)
    }

    /// Rebuilds a view as of the commit before, which the log has already: what it held is in doubt,
    /// and the commit is to be applied. Where that fails, no reader could be told what was.
    func rebuildToNote(_ table: Table, _ commit: CommitNumber) {
        log(.warning, "Making \(paths.view(of: table.definition)) anew: it is damaged.")
        noteDamaged(table.number)
        do throws(BackendError) {
            try rebuild([table], upTo: commit.previous)
        } catch {
            log(.error, "Frozen readers were given up; what they read is lost: \(error)")
            window.giveUpAll()
        }
    }
}

/// Notes what operations replace, one after the other.
struct ReplacementNoter {
    private let backend: TokyoBackend
    private let commit: CommitNumber
    /// The tables whose views were rebuilt.
    private(set) var damaged: Set<TableNumber> = []

    /// The table of the last operation; `nil`: there is none that readers know.
    private var table: Table?
    private var number = TableNumber.max
    /// No reader saw a higher row.
    private var highestSeen: RowID = .max

    init(_ backend: TokyoBackend, _ commit: CommitNumber) {
        self.backend = backend
        self.commit = commit
    }

    private mutating func select(_ number: TableNumber) {
        guard number != self.number else { return }
        self.number = number
        table = backend.table(number)
        highestSeen = backend.window.highestRow(
            of: number, at: backend.window.newest, now: .max)
    }

    mutating func note(_ row: RowID, in number: TableNumber, isDelete: Bool) {
        select(number)
        guard let table, backend.window.isKeeping else { return }
        let window = backend.window
        // A row that was never there is known by its number.
        if row > table.highestRow, !isDelete { return }
        if row > highestSeen { return window.note(row: row, in: number, commit: commit) }
        guard window.noteChange(of: row, in: number, by: commit) else { return }
        for _ in 0..<2 {
            switch backend.valueToKeep(of: row, in: table) {
            case .done(let value):
                return window.keep(value, of: row, in: number, replacedBy: commit)
            case .damage: rebuild(table)
            }
        }
    }

    mutating func note(_ key: UnsafeRawBufferPointer, in number: TableNumber) {
        select(number)
        guard let table, backend.window.isKeeping else { return }
        let window = backend.window
        if table.kind == .ordered { return window.note(key: key, in: number, commit: commit) }
        guard window.noteChange(of: key, in: number, by: commit) else { return }
        for _ in 0..<2 {
            switch backend.valueToKeep(ofKey: key, in: table) {
            case .done(let value):
                return window.keep(value, of: key, in: number, replacedBy: commit)
            case .damage: rebuild(table)
            }
        }
    }

    private mutating func rebuild(_ table: Table) {
        guard damaged.insert(table.number).inserted else { return backend.window.giveUpAll() }
        backend.rebuildToNote(table, commit)
    }
}

extension TokyoBackend {
    /// The value of a row, without checksum; under the lock.
    fileprivate func valueToKeep(
        of row: RowID, in table: Table
    ) -> Reading<UnsafeRawBufferPointer?> {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            guard let room = room.baseAddress else { return .done(nil) }
            return valueToKeep(ofKey: Table.key(of: row, table.keyForm, in: room), in: table)
        }
    }

    /// The value of a key of a hash file, without checksum; under the lock.
    fileprivate func valueToKeep(
        ofKey key: UnsafeRawBufferPointer, in table: Table
    ) -> Reading<UnsafeRawBufferPointer?> {
        guard let file = table.hashFile else { return .damage(paths.view(of: table.definition), 0) }
        switch file.image.find(key) {
        case .nothing: return .done(nil)
        case .damage(let offset): return .damage(file.path, offset)
        case .value(let stored):
            guard table.checksums else { return .done(stored) }
            guard Checksum.isRight(key, stored) else {
                return .damage(file.path, file.image.offset(of: stored))
            }
            return .done(Checksum.value(of: stored))
        }
    }
}
