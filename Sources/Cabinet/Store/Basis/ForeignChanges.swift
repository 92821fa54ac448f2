import CabinetBackend

/// The rows that commits of others have put or deleted, by table, and the named buffers.
struct ForeignChanges {
    struct Rows {
        /// The rows, in the order in which they were changed first.
        var all: [RowID] = []
        /// Where their records lie in the only commit, as long as no row comes twice.
        fileprivate var records: [Range<Int>] = []
        private var changed = RowSet()
        private var deleted = RowSet()

        fileprivate mutating func note(_ row: RowID, _ record: Range<Int>, isDeleted: Bool) {
            let isNew = changed.insert(row)
            if records.count == all.count, isNew { records.append(record) } else { records = [] }
            if isNew { all.append(row) }
            if isDeleted { deleted.insert(row) } else { deleted.remove(row) }
        }

        func contains(_ row: RowID) -> Bool { changed.contains(row) }
        func hasDeleted(_ row: RowID) -> Bool { deleted.contains(row) }
    }

    private(set) var tables: [TableNumber: Rows] = [:]
    /// The names of buffers that were set or removed, in UTF-8.
    private(set) var names: Set<[UInt8]> = []
    /// The numbers of those who have made the commits, as far as that was said.
    private(set) var authors: Set<UInt32> = []
    /// Whether one of them has a step of undo that was taken back or made again; of large ones that is not
    /// known yet.
    private var knownMovesSteps = false
    /// Commits whose operations are read piece by piece.
    private var large: [CommittedChanges] = []
    private(set) var isEmpty = true
    /// Whether the engine does not know any more what they changed: it may be any row.
    private(set) var isUnknown = false
    /// Whether rows or named buffers may have changed, and not entries of other tables alone.
    var mayChangeObjects: Bool { isUnknown || !tables.isEmpty || !names.isEmpty }
    /// What the store's own commit among these has written to rows that others have changed, too.
    private var ownRecords: [TableNumber: [RowID: [UInt8]]] = [:]
    /// The rows of the table noted last: mostly the next operation is of it, too.
    private var latest = Rows()
    private var latestTable: TableNumber?
    /// The operations of the only commit; `nil` if there are several.
    private(set) var operations: [UInt8]?
    /// Whether one of them says something else of the table of referrers.
    private(set) var changesReferrers = false
    private static let referrers = DerivedEntries.key(ofClass: nil)
    private var commits = 0

    static var unknown: ForeignChanges {
        var changes = ForeignChanges()
        (changes.isEmpty, changes.isUnknown) = (false, true)
        return changes
    }

    private init() {}

    /// What the commits after `basis` up to `last` have changed, without `own`.
    init(
        after basis: CommitNumber, upTo last: CommitNumber, except own: CommitNumber?,
        of backend: any Backend
    ) throws(BackendError) {
        if last <= basis || last == basis.next && last == own { return }
        isEmpty = false
        guard backend.features.contains(.changes) else {
            isUnknown = true
            return
        }
        var ownCommit: CommittedChanges?
        do throws(BackendError) {
            let cursor = try backend.changes(after: basis)
            while let commit = try cursor.next(), commit.number <= last {
                if commit.number == own { ownCommit = commit } else { try note(commit) }
                if commit.number == last { break }
            }
        } catch {
            guard case .changesGone = error else { throw error }
            isUnknown = true
        }
        turn(to: nil)
        if let ownCommit, !tables.isEmpty { try keepRecords(of: ownCommit) }
    }

    /// Whether a step of undo was taken back or made again in one of them.
    var movesSteps: Bool {
        get throws(BackendError) {
            if knownMovesSteps { return true }
            for commit in large {
                if try commit.notes.contains(where: { CommitStep($0)?.isMove == true }) {
                    return true
                }
            }
            return false
        }
    }

    /// What the store's own commit has written to a row that others have changed, too.
    func ownRecord(of row: RowID, in table: TableNumber) -> [UInt8]? { ownRecords[table]?[row] }

    /// Where the record that others have put to the row lies in ``operations``, if at hand.
    func record(at index: Int, of rows: Rows) -> Range<Int>? {
        guard operations != nil, ownRecords.isEmpty, index < rows.records.count,
            !rows.records[index].isEmpty
        else { return nil }
        return rows.records[index]
    }

    private mutating func keepRecords(of own: CommittedChanges) throws(BackendError) {
        try own.forEachOperation { operation in
            guard case .putRow(let table, let row, let stored) = operation,
                tables[table]?.contains(row) == true
            else { return }
            ownRecords[table, default: [:]][row] = [UInt8](
                stored.dropLast(Operation.checksumSize))
        }
    }

    private mutating func note(_ commit: CommittedChanges) throws(BackendError) {
        if commit.author != 0 { authors.insert(commit.author) }
        if let operations = commit.operations {
            operations.withUnsafeBytes { bytes in
                var reader = OperationReader(bytes)
                while let operation = reader.next() { note(operation, at: bytes.baseAddress) }
            }
        } else {
            // Too large to be at hand as a whole.
            large.append(commit)
            try commit.forEachOperation { note($0, at: nil) }
        }
        operations = commits == 0 ? commit.operations : nil
        commits += 1
    }

    /// - Parameter start: where the operations of the commit begin, if they are all at hand.
    @inline(__always)
    private mutating func note(_ operation: Operation, at start: UnsafeRawPointer?) {
        switch operation {
        case .putRow(let table, let row, let stored):
            var record = 0..<0
            if let start, let first = stored.baseAddress {
                record = first - start..<first - start + stored.count - Operation.checksumSize
            }
            note(row, in: table, record, isDeleted: false)
        case .deleteRow(let table, let row):
            note(row, in: table, 0..<0, isDeleted: true)
        case .putKey(.namedBuffers, let key, _), .deleteKey(.namedBuffers, let key):
            names.insert([UInt8](key))
        case .putKey(.catalog, let key, _):
            if key.elementsEqual(Self.referrers) { changesReferrers = true }
        case .note(NoteTag.step.rawValue, let bytes):
            if let step = CommitStep(
                .init(tag: NoteTag.step.rawValue, bytes: [UInt8](bytes))), step.isMove
            {
                knownMovesSteps = true
            }
        case .putKey, .deleteKey, .define, .drop, .note, .unknown: break
        }
    }

    @inline(__always)
    private mutating func note(
        _ row: RowID, in table: TableNumber, _ record: Range<Int>, isDeleted: Bool
    ) {
        if table != latestTable { turn(to: table) }
        latest.note(row, record, isDeleted: isDeleted)
    }

    @inline(never)
    private mutating func turn(to table: TableNumber?) {
        if let latestTable { tables[latestTable] = latest }
        latestTable = table
        latest = table.flatMap { tables.removeValue(forKey: $0) } ?? Rows()
    }
}
