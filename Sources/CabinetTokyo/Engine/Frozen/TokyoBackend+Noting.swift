import CabinetBackend

// What commits replace is noted for frozen readers before it is changed; all with the turn and the
// lock, and only while a reader is held. What they change is kept for readers of the feed, too.
extension TokyoBackend {
    /// Whether something is going to ask for the next commit, or walks over the feed: both take it from
    /// memory, without the writer's turn.
    @inline(__always)
    var feedIsRead: Bool {
        subscribers.areThere || feedReaders.load(ordering: .relaxed) > 0
    }

    /// Keeps what a commit changes in memory: other stores will take it up.
    func keepChanges(of batch: WriteBatch, _ commit: CommitNumber) {
        guard staged.isEmpty, !isFollower else { return recent.clear(upTo: commit) }
        if recent.newest.next != commit { recent.clear(upTo: commit.previous) }
        recent.append(
            commit, author: batch.author, time: commitLog.frameTime, [],
            Self.operations(of: batch))
    }

    /// Takes note of what a commit changes of tables as a whole.
    func noteTables(of ready: ReadyCommit, _ commit: CommitNumber) {
        let batch = ready.batch
        for table in ready.plan.new {
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
            if window.needsCount(of: table.number), let count = try? table.count() {
                window.note(count: count, of: table.number, commit: commit)
            }
            return
        }
        guard window.needsContent(of: table.number) else { return }
        // The files of runs may be removed while readers need them.
        do {
            try table.orderedView?.openRuns()
        } catch {
            rebuildToNote(table, commit)
        }
        guard case .ordered(let view) = table.view else { return }
        window.note(content: KeptLayers(view.snapshot), of: table.number, commit: commit)
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
            case .putKey(let table, let key, _): noter.note(key, in: table, isDelete: false)
            case .deleteKey(let table, let key): noter.note(key, in: table, isDelete: true)
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
    private let window: VersionWindow
    private let commit: CommitNumber
    /// The tables whose views were rebuilt.
    private(set) var damaged: Set<TableNumber> = []

    /// The table of the last operation; `nil`: there is none that readers know.
    private var table: Table?
    private var number = TableNumber.max
    /// No reader saw a higher row.
    private var highestSeen: RowID = .max
    /// Where a sealed value is until the window has it.
    private let opened: OpenedRecord?

    init(_ backend: TokyoBackend, _ commit: CommitNumber) {
        self.backend = backend
        window = backend.window
        self.commit = commit
        opened = backend.files.sealer == nil ? nil : OpenedRecord()
    }

    private mutating func select(_ number: TableNumber) {
        self.number = number
        table = backend.table(number)
        highestSeen = window.highestRow(of: number, at: window.newest, now: .max)
    }

    mutating func note(
        _ row: RowID, in number: TableNumber, isDelete: Bool, isSecond: Bool = false
    ) {
        if number != self.number { select(number) }
        guard let table else { return }
        // A row that was never there is known by its number.
        if row > table.highestRow, !isDelete { return }
        if row > highestSeen { return window.note(row: row, in: number, commit: commit) }
        do throws(BackendError) {
            try window.note(row: row, in: number, commit: commit) { () throws(BackendError) in
                try table.value(of: row, opened)
            }
        } catch {
            guard rebuilds(table, isSecond) else { return }
            note(row, in: number, isDelete: isDelete, isSecond: true)
        }
    }

    mutating func note(
        _ key: UnsafeRawBufferPointer, in number: TableNumber, isDelete: Bool,
        isSecond: Bool = false
    ) {
        if number != self.number { select(number) }
        guard let table else {
            // Of a table that the commit makes, a key has changed if it is there, or was deleted at once.
            if isDelete { window.note(key: key, in: number, commit: commit) }
            return
        }
        if table.kind == .ordered { return window.note(key: key, in: number, commit: commit) }
        do throws(BackendError) {
            try window.note(key: key, in: number, commit: commit) { () throws(BackendError) in
                try table.value(ofKey: key, opened)
            }
        } catch {
            guard rebuilds(table, isSecond) else { return }
            note(key, in: number, isDelete: isDelete, isSecond: true)
        }
    }

    /// Rebuilds a view that is damaged. `false`: what it held cannot be found out, and is lost to
    /// the readers.
    private mutating func rebuilds(_ table: Table, _ isSecond: Bool) -> Bool {
        damaged.insert(table.number)
        guard !isSecond else {
            window.giveUpAll()
            return false
        }
        backend.rebuildToNote(table, commit)
        return true
    }
}

extension Table {
    /// The value of a row, without checksum; `nil`: there is no such row.
    /// - Throws: ``BackendError/corrupt(path:offset:)``,
    ///   ``BackendError/viewUnavailable(path:cause:)``.
    fileprivate func value(
        of row: RowID, _ opened: OpenedRecord?
    ) throws(BackendError) -> UnsafeRawBufferPointer? {
        var room: (UInt64, UInt64) = (0, 0)
        return try withUnsafeMutableBytes(of: &room) { bytes throws(BackendError) in
            guard let room = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
                return nil
            }
            return try value(atKey: Self.key(of: row, keyForm, in: room), opened)
        }
    }

    /// The value of a key of a hash file, without checksum; `nil`: there is no such key.
    /// - Throws: as ``value(of:)``.
    fileprivate func value(
        ofKey key: UnsafeRawBufferPointer, _ opened: OpenedRecord?
    ) throws(BackendError) -> UnsafeRawBufferPointer? {
        let found = values.withFileKey(of: key) { key in
            Result { () throws(BackendError) in try value(atKey: key, opened) }
        }
        return try found.get()
    }

    /// The value of a key as it stands in the file.
    private func value(
        atKey key: UnsafeRawBufferPointer, _ opened: OpenedRecord?
    ) throws(BackendError) -> UnsafeRawBufferPointer? {
        let file = try hash()
        switch file.image.find(key) {
        case .nothing: return nil
        case .damage(let offset): throw .corrupt(path: file.path, offset: offset)
        case .value(let content):
            guard let value = values.value(of: content, key, opened) else {
                throw .corrupt(path: file.path, offset: file.image.offset(of: content))
            }
            return value
        }
    }
}
