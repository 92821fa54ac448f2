import CabinetBackend

/// Compares the view of one table with the log, beside saves: what a save has touched since
/// the log was frozen is left out.
final class TableCheck {
    private let check: StoreCheck
    private let frozen: FrozenLog
    private let truth: SnapshotReader
    private let table: SnapshotTable
    private var suspects: [(key: Key, finding: StoreFinding)] = []
    private var highestRow: RowID = 0

    /// A row or a key of the table.
    private enum Key: Hashable {
        case row(RowID)
        case bytes([UInt8])

        init(_ entry: TableEntry) {
            self = entry.hasKey ? .bytes(Array(entry.key)) : .row(entry.row)
        }
    }

    private var backend: TokyoBackend { check.backend }

    init(
        _ check: StoreCheck, _ frozen: FrozenLog, _ truth: SnapshotReader,
        _ table: SnapshotTable
    ) {
        self.check = check
        self.frozen = frozen
        self.truth = truth
        self.table = table
    }

    func run() throws {
        let cursor = try SnapshotCursor(truth, tables: [table.number])
        var count: UInt64 = 0
        while let entry = try cursor.next() {
            if !entry.hasKey { highestRow = max(highestRow, entry.row) }
            if let finding = try backend.lock.reading({ try compare(entry) }) {
                suspects.append((Key(entry), finding))
            }
            count += 1
            if count & 0xFFF == 0 {
                check.pace.advance(0x1000)
                try backend.checkPace(check.pace)
            }
        }
        check.report.records += count
        try judge()
        try checkCounter()
    }

    // MARK: Values

    /// What is wrong with the view's record; under the lock.
    private func compare(_ entry: TableEntry) throws -> StoreFinding? {
        try backend.checkOpen()
        guard let table = backend.table(table.number), let stored = entry.stored else { return nil }
        switch table.view {
        case .unavailable(let path, _):
            return finding(.unreadableView, path, nil, entry)
        case .ordered(let view):
            do {
                guard let found = try view.find(entry.key) else {
                    return finding(.missingRecord, view.base, nil, entry)
                }
                guard found.elementsEqual(Checksum.value(of: stored)) else {
                    return finding(.differentRecord, view.base, nil, entry)
                }
                return nil
            } catch {
                return finding(.damagedRecord, view.base, nil, entry)
            }
        case .hash(let file):
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
                guard let room = room.baseAddress else { return nil }
                let key =
                    entry.hasKey ? entry.key : Table.key(of: entry.row, table.keyForm, in: room)
                return table.values.withFileKey(of: key) { key in
                    switch file.image.find(key) {
                    case .nothing: return finding(.missingRecord, file.path, nil, entry)
                    case .damage(let offset):
                        return finding(.damagedRecord, file.path, offset, entry)
                    case .value(let found):
                        let offset = file.image.offset(of: found)
                        return judge(found, key, stored, file.path, offset, table, entry)
                    }
                }
            }
        }
    }

    private func judge(
        _ found: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer,
        _ stored: UnsafeRawBufferPointer, _ path: String, _ offset: UInt64?, _ table: Table,
        _ entry: TableEntry
    ) -> StoreFinding? {
        let isSame = table.values.withValue(of: found, key) {
            $0.elementsEqual(Checksum.value(of: stored))
        }
        guard let isSame else { return finding(.damagedRecord, path, offset, entry) }
        return isSame ? nil : finding(.differentRecord, path, offset, entry)
    }

    private func finding(
        _ kind: StoreFinding.Kind, _ path: String, _ offset: UInt64?, _ entry: TableEntry
    ) -> StoreFinding {
        StoreFinding(
            kind, path: path, offset: offset, table: table.number,
            row: entry.hasKey ? nil : entry.row, key: entry.hasKey ? Array(entry.key) : nil)
    }

    // MARK: What changed meanwhile

    /// Leaves out what was saved meanwhile, and compares the counts.
    private func judge() throws {
        let now = try countNow()
        guard let now else { return }
        guard
            let changes = now.commitNumber > frozen.commitNumber
                ? try changes(upTo: now.commitNumber) : [:]
        else { return }
        let real = suspects.filter { changes[$0.key] == nil }
        check.report.findings += real.map(\.finding)
        guard let count = now.count else { return }
        var expected = Int(clamping: table.count) + changes.values.count { $0 }
        if !changes.isEmpty {
            let cursor = try SnapshotCursor(truth, tables: [table.number])
            while let entry = try cursor.next() {
                if changes[Key(entry)] != nil { expected -= 1 }
            }
        }
        let missing = real.count { $0.finding.kind == .missingRecord }
        guard count != expected - missing, count != expected else { return }
        let path = backend.paths.view(of: table.state.definition)
        check.report.findings.append(
            StoreFinding(.wrongCount, path: path, table: table.number))
    }

    /// How many rows or keys there are, and as of which commit; `nil` if the table is gone.
    private func countNow() throws -> (count: Int?, commitNumber: CommitNumber)? {
        while true {
            let now = try backend.lock.reading {
                () -> (isResolved: Bool, count: Int?, commitNumber: CommitNumber)? in
                try backend.checkOpen()
                return backend.table(table.number).map {
                    ($0.isResolved, try? $0.count(), $0.lastCommit)
                }
            }
            guard let now else { return nil }
            if now.isResolved { return (now.count, now.commitNumber) }
            try backend.resolve(table.number)
        }
    }

    /// The rows and keys that later saves have touched, and whether they are there after them;
    /// `nil` if the table was dropped.
    private func changes(upTo commitNumber: CommitNumber) throws -> [Key: Bool]? {
        guard let later = try backend.freeze() else { return [:] }
        var changes: [Key: Bool] = [:]
        var isDropped = false
        for link in later.links {
            let source = try SegmentSource(link, store: later.store, files: later.files)
            while let next = try source.next() {
                guard case .operation(let operation, let number) = next,
                    number > frozen.commitNumber, number <= commitNumber
                else { continue }
                if case .drop(let dropped) = operation, dropped == table.number { isDropped = true }
                guard let entry = TableEntry(operation), entry.table == table.number else {
                    continue
                }
                changes[Key(entry)] = entry.stored != nil
            }
            try backend.checkPace(check.pace)
        }
        return isDropped ? nil : changes
    }

    // MARK: Rows to come

    private func checkCounter() throws {
        guard table.state.definition.kind == .record, highestRow > 0 else { return }
        let next = backend.counters.withLock { $0.nextRows[table.number] }
        let noted = try backend.lock.reading {
            try backend.checkOpen()
            return backend.table(table.number)?.highestRow
        }
        guard let noted else { return }
        guard noted < highestRow || next ?? 0 <= highestRow && next != .max else { return }
        let path = backend.paths.view(of: table.state.definition)
        check.report.findings.append(
            StoreFinding(.counterBehind, path: path, table: table.number, row: highestRow))
    }
}
