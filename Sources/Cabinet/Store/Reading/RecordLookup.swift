import CabinetBackend

/// Finds records of a class by rows, many with one call, in the order in which they are asked.
final class RecordLookup {
    private let storedClass: StoredClass
    private let run: RecordRun
    @exclusivity(unchecked) private var rows: [RowID] = []
    /// How many rows were asked for, and how many the engine has looked up.
    @exclusivity(unchecked) private var asked = 0
    @exclusivity(unchecked) private var looked = 0
    @exclusivity(unchecked) private var head: (row: RowID, value: UnsafeRawBufferPointer)?
    /// For a row that was not known beforehand.
    private lazy var single = DataBuffer()

    /// - Parameter run: what nothing else uses meanwhile.
    init(of storedClass: StoredClass, by run: RecordRun = RecordRun(capacity: 256)) {
        (self.storedClass, self.run) = (storedClass, run)
    }

    /// Begins with other rows: `rows`, and those that are appended.
    func begin(_ rows: [RowID] = []) {
        if rows.isEmpty { self.rows.removeAll(keepingCapacity: true) } else { self.rows = rows }
        (asked, looked, head) = (0, 0, nil)
    }

    func append(_ row: RowID) { rows.append(row) }

    /// Whether it takes more memory than a small save needs.
    var isLarge: Bool { run.capacity > 16 << 10 || rows.capacity > 64 }

    /// The record of the next row, until the next call; `nil`: there is none.
    func next(in reader: any BackendReader) throws(BackendError) -> UnsafeRawBufferPointer? {
        try next { rows, run throws(BackendError) in
            try reader.values(of: rows, in: storedClass.table, into: run)
        }
    }

    /// What a store has in a row, until the next call: cheaper in the order of the given rows.
    /// - Throws: a ``BackendError``, but not for a damaged record.
    func record(of row: RowID, in store: Store) throws(BackendError) -> SavedRecord {
        do throws(BackendError) {
            if leads(to: row) {
                let found = try next { rows, run throws(BackendError) in
                    try store.reading { reader throws(BackendError) in
                        try reader.values(of: rows, in: storedClass.table, into: run)
                    }
                }
                return found.map(SavedRecord.record) ?? .absent
            }
        } catch {
            // Which of them is damaged shows one by one.
            guard case .corrupt = error else { throw error }
            begin()
        }
        do throws(BackendError) {
            let isThere = try store.readRecord(row, of: storedClass, into: single)
            return isThere ? .record(UnsafeRawBufferPointer(single.memory)) : .absent
        } catch {
            guard case .corrupt = error else { throw error }
            return .damaged(error)
        }
    }

    /// Whether `row` is the next one; those that were to come before it are passed over.
    private func leads(to row: RowID) -> Bool {
        guard let place = rows[asked...].firstIndex(of: row) else { return false }
        while asked < place {
            if head?.row == rows[asked], asked < looked { head = run.next() }
            asked += 1
        }
        if looked < asked { (looked, head) = (asked, nil) }
        return true
    }

    private func next(
        _ read: (ArraySlice<RowID>, RecordRun) throws(BackendError) -> Int
    ) throws(BackendError) -> UnsafeRawBufferPointer? {
        let row = rows[asked]
        if asked == looked {
            looked += try read(rows[looked...], run)
            head = run.next()
        }
        asked += 1
        guard let found = head, found.row == row else { return nil }
        head = run.next()
        return found.value
    }
}

enum SavedRecord {
    case absent
    /// The bytes live until the next row is looked up.
    case record(UnsafeRawBufferPointer)
    case damaged(BackendError)

    var isAbsent: Bool { if case .absent = self { true } else { false } }
}

extension Store {
    /// Calls `body` with the record of each of `rows` that has one, in their order.
    func forEachRecord(
        at rows: [RowID], of storedClass: StoredClass,
        _ body: (RowID, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let lookup = RecordLookup(of: storedClass)
        lookup.begin(rows)
        for row in rows {
            switch try lookup.record(of: row, in: self) {
            case .absent: continue
            case .record(let record): try body(row, record)
            case .damaged(let error): throw error
            }
        }
    }
}
