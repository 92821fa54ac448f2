import CabinetBackend

/// Compares what an index holds with the keys of its records, as of one commit.
///
/// First by sums of hashes in 4,096 parts; then the keys of those parts are compared where sums differ, of as
/// many parts as there is room for: about 65,536 keys.
final class IndexCheck: StepwiseCheck {
    private static let collectedLimit = 65_536

    private let index: CheckedIndex
    private let reader: any BackendReader
    private var sums = PartSums()
    /// Keys of records that the index must have, in parts that are compared.
    private var expected: [[UInt8]: RowID] = [:]
    private var stray: [RowID] = []
    /// Rows whose records cannot be read, which is another finding.
    private var unreadable = RowSet()
    private var records: any RecordCursor
    private var entries: (any EntryCursor)?
    private let recordRun = RecordRun()
    private let entryRun = EntryRun()

    init(_ index: CheckedIndex, _ reader: any BackendReader) throws {
        self.index = index
        self.reader = reader
        records = try reader.records(in: index.records)
    }

    func step() throws -> Bool {
        if let entries {
            if try entries.next(entryRun) {
                while let (key, value) = entryRun.next() {
                    note(key, IndexValue.row(of: key, value) ?? .none, isOfRecord: false)
                }
                return true
            }
            guard !sums.isComparing, sums.differ else { return false }
            sums.beginComparing(upTo: Self.collectedLimit)
            self.entries = nil
            records = try reader.records(in: index.records)
        }
        if try records.next(recordRun) {
            while let (row, record) = recordRun.next() { take(record, at: row) }
        } else {
            entries = try reader.entries(in: index.table, range: .everything, descending: false)
        }
        return true
    }

    private func take(_ record: UnsafeRawBufferPointer, at row: RowID) {
        do {
            try index.forEachKey(record, row) { note($0, row, isOfRecord: true) }
        } catch {
            unreadable.insert(row)
        }
    }

    @inline(__always)
    private func note(_ key: UnsafeRawBufferPointer, _ row: RowID, isOfRecord: Bool) {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        hasher.combine(row)
        let hash = UInt64(truncatingIfNeeded: hasher.finalize())
        guard sums.enter(hash, isOfRecord: isOfRecord), !unreadable.contains(row) else { return }
        if isOfRecord {
            expected[[UInt8](key)] = row
        } else if expected[[UInt8](key)] == row {
            expected[[UInt8](key)] = nil
        } else {
            stray.append(row)
        }
    }

    var findings: [GraphFinding] {
        func finding(_ kind: GraphFinding.Kind, _ row: RowID) -> GraphFinding {
            GraphFinding(kind, className: index.className, row: row, field: index.name)
        }
        return expected.values.sorted().map { finding(.missingIndexEntry, $0) }
            + stray.sorted().map { finding(.strayIndexEntry, $0) }
    }
}
