import CabinetBackend

/// Compares what an index holds with the keys of its records.
final class IndexCheck: TableCheck {
    private let index: ClassIndex
    private let keys = IndexKeys()

    init(
        _ index: ClassIndex, _ number: TableNumber, in store: Store, _ reader: any BackendReader
    ) throws {
        self.index = index
        try super.init(index, number, in: store, reader)
    }

    override func takeRecord(_ cursor: RowCursor) throws {
        let row = cursor.row
        try keys.forEachKey(of: index, cursor) {
            note(Self.hash(of: $0.bytes, row), row, isOfRecord: true)
        }
    }

    override func takeEntry(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of range: Int
    ) {
        let row = IndexValue.row(of: key, value) ?? .none
        note(Self.hash(of: key, row), row, isOfRecord: false)
    }

    @inline(__always)
    private static func hash(of key: UnsafeRawBufferPointer, _ row: RowID) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        hasher.combine(row)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    override var findings: [CheckFinding] {
        missing.map { finding(.missingIndexEntry, $0) }
            + stray.inOrder().map { finding(.strayIndexEntry, $0) }
    }
}
