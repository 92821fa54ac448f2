import CabinetBackend

/// Meets the objects of a class as the keys of an index say what they are, in the order of the keys, and then
/// the pending ones. No record is read.
///
/// It throws ``RowCursor/NotInEntry`` where keys do not say enough.
final class EntrySource: MatchSource {
    let memory: SeekMemory
    let reader: any BackendReader
    /// The key of the entry that the cursor stands at, without its row; `nil` at a pending object.
    @exclusivity(unchecked) private(set) var key: UnsafeRawBufferPointer?
    /// What is being walked over.
    private(set) var range = KeyRange.everything
    /// How many ranges come after it.
    var rangesLeft: Int { ranges.count }
    private let table: TableNumber
    private let pendingRows: Set<RowID>
    private let entries: EntryReader
    /// Those that come next, in reverse order.
    private var ranges: [KeyRange]
    private var walk: (any EntryCursor)?
    /// How many entries a step has.
    private var size: Int
    private let shortestStep: Int

    /// - Parameter shortestStep: how many entries are read at first, and behind ``seek(to:)``.
    init(
        _ store: Store, _ storedClass: StoredClass, _ filter: Filter, _ scan: EntryScan,
        shortestStep: Int = longestStep
    ) throws(BackendError) {
        scan.index.uses += 1
        let pending = store.pending(of: storedClass)
        reader = try store.readerForWalk()
        (table, ranges, pendingRows) = (scan.table, scan.ranges.reversed(), pending.rows)
        (size, self.shortestStep) = (shortestStep, shortestStep)
        entries = EntryReader(scan.columns)
        memory = store.takeSeekMemory()
        super.init(
            store, storedClass, filter, isExact: scan.isExact, ofEntries: true,
            last: pending.objects)
    }

    static let longestStep = 1 << 15

    override func advance() throws -> Bool {
        let run = memory.entries
        while true {
            while let (key, value) = run.next() {
                guard let row = IndexValue.row(of: key, value),
                    pendingRows.isEmpty || !pendingRows.contains(row)
                else { continue }
                guard let parts = IndexValue.parts(of: key, value) else {
                    throw RowCursor.NotInEntry()
                }
                try entries.read(parts, row, cursor)
                self.key = parts
                return true
            }
            if let walk, try walk.next(run, limit: size) {
                size = min(size * 2, Self.longestStep)
                continue
            }
            guard let next = ranges.popLast() else {
                key = nil
                return false
            }
            range = next
            walk = try reader.entries(in: table, range: range, descending: false)
        }
    }

    /// How many entries lie in a range.
    func count(of range: KeyRange) throws(BackendError) -> Int {
        try reader.count(of: range, in: table)
    }

    /// Passes over the entries of the current range before a key.
    func seek(to key: [UInt8]) throws {
        memory.entries.removeAll()
        try walk?.seek(key)
        size = shortestStep
    }

    override func end() { store.giveBack(memory) }
}

extension IndexValue {
    /// The key of an entry without its row; `nil` if it lacks an end.
    @inline(__always)
    static func parts(
        of key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        let parts =
            value.isEmpty
            ? UnsafeRawBufferPointer(rebasing: key.dropLast(OrderedKey.rowSize)) : key
        return parts.count <= OrderedKey.longestWhole ? parts : nil
    }
}
