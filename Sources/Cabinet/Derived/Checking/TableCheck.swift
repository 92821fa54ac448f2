import CabinetBackend

/// Compares what a derived table holds with what follows from the records of its class, as of one commit and a
/// part at a time.
///
/// First by sums of hashes in 4,096 parts; then the hashes of parts whose sums differ are compared one by one,
/// of as many parts as there is room for. A kind has a subclass, which says what follows from a record, and what
/// an entry holds.
class TableCheck {
    final let table: DerivedTable
    final let reader: any BackendReader
    private let number: TableNumber
    /// How many hashes are compared one by one, about.
    private let comparedLimit: Int
    private let cursor: RowCursor
    private var sums = PartSums()
    /// What the table must have, of the parts that are compared.
    private var expected: [UInt64: RowID] = [:]
    /// The rows of what the table has, and should not.
    final private(set) var stray: [RowID] = []
    /// Rows whose records cannot be read, which is another finding.
    private var unreadable = RowSet()
    private var records: (any RecordCursor)?
    private var entries: (any EntryCursor)?
    private var range = 0
    private let recordRun = RecordRun()
    private let entryRun = EntryRun()

    /// - Throws: a ``BackendError``; in a kind also `DataBufferError`, for entries without which nothing of the
    ///   table can be read.
    init(
        _ table: DerivedTable, _ number: TableNumber, in store: Store,
        _ reader: any BackendReader, comparedLimit: Int = 65_536
    ) throws {
        (self.table, self.number, self.reader) = (table, number, reader)
        self.comparedLimit = comparedLimit
        cursor = RowCursor(store, store.fields(of: table.storedClass), ofRecords: true)
        records = try reader.records(in: table.storedClass.table)
    }

    // MARK: What a kind says

    /// The entries to look at, one range after the other.
    var ranges: [KeyRange] { [.everything] }

    /// Whether the table is to hold what follows from the record of a row.
    func holds(_ row: RowID) -> Bool { true }

    /// Notes what follows from the record that `cursor` stands at, by ``note(_:_:isOfRecord:)``.
    func takeRecord(_ cursor: RowCursor) throws {}

    /// Notes what an entry of a range holds.
    func takeEntry(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of range: Int) {}

    /// What is wrong, at the end.
    var findings: [CheckFinding] { [] }

    // MARK: What it does for each

    /// Notes a hash of something that follows from the record of a row, or that an entry holds of it.
    @inline(__always)
    final func note(_ hash: UInt64, _ row: RowID, isOfRecord: Bool) {
        guard sums.enter(hash, isOfRecord: isOfRecord), !unreadable.contains(row) else { return }
        if isOfRecord {
            expected[hash] = row
        } else if expected.removeValue(forKey: hash) == nil {
            stray.append(row)
        }
    }

    /// Whether hashes are compared one by one, in the second run.
    final var isComparing: Bool { sums.isComparing }
    /// Whether every record could be read.
    final var areRecordsKnown: Bool { unreadable.isEmpty }
    /// The rows of what the table lacks, in ascending order; one may come several times.
    final var missing: [RowID] { expected.values.inOrder() }

    final func finding(
        _ kind: CheckFinding.Kind, _ row: RowID? = nil, _ reason: String? = nil
    ) -> CheckFinding {
        CheckFinding(
            kind, className: table.storedClass.name, row: row, field: table.name, reason: reason)
    }

    /// Looks at about 256 KiB more. `false` at the end.
    final func step() throws -> Bool {
        if let records {
            if try records.next(recordRun) {
                while let (row, record) = recordRun.next() {
                    if holds(row) { take(record, at: row) }
                }
                return true
            }
            self.records = nil
            range = 0
        } else if let entries, try entries.next(entryRun) {
            while let (key, value) = entryRun.next() { takeEntry(key, value, of: range - 1) }
            return true
        }
        let ranges = ranges
        if range < ranges.count {
            entries = try reader.entries(in: number, range: ranges[range], descending: false)
            range += 1
            return true
        }
        guard !sums.isComparing, sums.differ else { return false }
        sums.beginComparing(upTo: comparedLimit)
        records = try reader.records(in: table.storedClass.table)
        return true
    }

    private func take(_ record: UnsafeRawBufferPointer, at row: RowID) {
        do {
            if try cursor.take(record, at: row) { try takeRecord(cursor) }
        } catch {
            unreadable.insert(row)
        }
    }
}
