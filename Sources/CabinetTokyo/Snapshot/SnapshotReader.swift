import CChecksum
import CabinetBackend

/// A snapshot on disk, read from the front in memory of about one block.
///
/// Opening reads header and footer only; blocks are checked when they are read. Damage is always
/// ``BackendError/corrupt(path:offset:)``. `Sendable`, because nothing in it changes: any number
/// of walks may go on at once.
package final class SnapshotReader: Sendable {
    /// The last commit that is in the snapshot.
    package let commitNumber: CommitNumber
    /// The store that the snapshot is of.
    package let storeID: UInt64
    /// The highest table number that was ever used, by dropped tables too.
    package let highestTable: TableNumber
    /// The tables, in the order of their numbers.
    package let tables: [SnapshotTable]

    let files: any FileLayer
    let file: OpenFile
    let fileSum: UInt32
    /// Where the blocks end.
    let footerOffset: UInt64

    /// Opens the snapshot at `path`. One of another store than `expectedStoreID` counts as
    /// damaged; `nil` takes any.
    /// - Throws: ``BackendError/newerFormat(path:found:known:)`` and
    ///   ``BackendError/olderFormat(path:found:oldest:)`` too.
    package init(
        files: any FileLayer, path: String, expectedStoreID: UInt64?
    ) throws(BackendError) {
        let file = try files.open(path, for: .reading)
        let size = try files.size(of: file)
        guard size >= UInt64(SnapshotHeader.size) else { throw .corrupt(path: path, offset: 0) }
        let head = try files.readBytes(SnapshotHeader.size, from: file, at: 0)
        let (header, sum) = try SnapshotHeader.decode(
            head, path: path, expectedStoreID: expectedStoreID)
        try files.checkSealing(header.isSealed, of: path)
        guard size >= UInt64(SnapshotHeader.size + SnapshotFooter.endSize) else {
            throw .corrupt(path: path, offset: 0)
        }
        let endOffset = size - UInt64(SnapshotFooter.endSize)
        let end = try files.readBytes(SnapshotFooter.endSize, from: file, at: endOffset)
        guard let place = SnapshotFooter.locate(end, fileSize: size, fileSum: sum) else {
            throw .corrupt(path: path, offset: endOffset)
        }
        let footer = try files.readBytes(place.length, from: file, at: place.offset)
        guard cabinet_crc32c(0, footer, footer.count) == place.sum,
            let content = files.sealer.map({ $0.opened(footer, boundTo: head) }) ?? footer,
            let tables = SnapshotFooter.decode(content, at: place.offset)
        else { throw .corrupt(path: path, offset: place.offset) }
        self.files = files
        self.file = file
        self.tables = tables
        fileSum = sum
        footerOffset = place.offset
        commitNumber = header.commitNumber
        storeID = header.store
        highestTable = max(header.highestTable, tables.last?.number ?? 0)
    }

    /// Calls `body` with every put in the tables asked for (`nil`: in all), sorted by table and
    /// within it by row or by the key's bytes. Blocks of other tables are not read. The bytes of
    /// an operation live until `body` returns.
    package func forEachOperation(
        in tables: Set<TableNumber>?, _ body: (Operation) throws(BackendError) -> Void
    ) throws(BackendError) {
        let cursor = try SnapshotCursor(self, tables: tables)
        while let entry = try cursor.next() { try body(entry.operation) }
    }

    /// The stretches of blocks of the tables asked for.
    func extents(of wanted: Set<TableNumber>?) -> [SnapshotExtent] {
        let filled = tables.filter { $0.count > 0 }
        var extents: [SnapshotExtent] = []
        for (index, table) in filled.enumerated() {
            guard wanted?.contains(table.number) ?? true else { continue }
            let end = index + 1 < filled.count ? filled[index + 1].firstBlock : footerOffset
            extents.append(SnapshotExtent(table: table, end: end))
        }
        return extents
    }
}

/// The blocks of one table: from its first up to `end`.
struct SnapshotExtent {
    var table: SnapshotTable
    var end: UInt64
}
