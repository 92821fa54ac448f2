import CabinetBackend

/// A walk over the entries of a snapshot.
final class SnapshotCursor: EntrySource {
    private let blocks: BlockReader

    /// Says that the block of the last entry holds what it cannot.
    var damage: BackendError { blocks.damage }

    private var extents: ArraySlice<SnapshotExtent>
    private var current: SnapshotExtent?
    /// Where the next block of `current` begins.
    private var offset: UInt64 = 0
    // Unchecked, because nothing calls back into a cursor.
    @exclusivity(unchecked) private var count: UInt64 = 0
    @exclusivity(unchecked) private var order = EntryOrder()

    init(_ snapshot: SnapshotReader, tables: Set<TableNumber>?) throws(BackendError) {
        blocks = try BlockReader(
            files: snapshot.files, file: snapshot.file, fileSum: snapshot.fileSum,
            allowsDeletes: false)
        extents = snapshot.extents(of: tables)[...]
    }

    func next() throws(BackendError) -> TableEntry? {
        while true {
            if let entry = try blocks.next() {
                guard order.accept(entry) else { throw blocks.damage }
                count += 1
                return entry
            }
            guard try readBlock() else { return nil }
        }
    }

    /// Reads the next block of the walk. `false`: there is none.
    private func readBlock() throws(BackendError) -> Bool {
        if current.map({ offset == $0.end }) ?? true {
            guard try startNextExtent() else { return false }
        }
        guard let current else { return false }
        let start = offset
        offset = try blocks.read(at: start, before: current.end)
        guard blocks.header?.group == current.table.group else {
            throw .corrupt(path: blocks.file.path, offset: start)
        }
        return true
    }

    private func startNextExtent() throws(BackendError) -> Bool {
        if let current, count != current.table.count {
            throw .corrupt(path: blocks.file.path, offset: current.table.firstBlock)
        }
        current = extents.popFirst()
        offset = current?.table.firstBlock ?? 0
        count = 0
        return current != nil
    }
}
