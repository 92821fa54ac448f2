import CabinetBackend

extension SnapshotWriter {
    /// Adds all of a table's rows and keys at once, block by block as they are stored in another
    /// snapshot, without looking at them. Checksums are checked on the way.
    mutating func copy(
        _ extent: SnapshotExtent, of snapshot: SnapshotReader
    ) throws(BackendError) {
        let blocks = try BlockReader(
            files: snapshot.files, file: snapshot.file, fileSum: snapshot.fileSum,
            allowsDeletes: false)
        var offset = extent.table.firstBlock
        var count: UInt64 = 0
        try copyBlocks(of: extent.table)
        while offset < extent.end {
            let (header, bytes, end) = try blocks.readStored(at: offset, before: extent.end)
            guard header.group == extent.table.group else {
                throw .corrupt(path: snapshot.file.path, offset: offset)
            }
            try copy(header, bytes)
            count += UInt64(header.count)
            offset = end
        }
        guard count == extent.table.count else {
            throw .corrupt(path: snapshot.file.path, offset: extent.table.firstBlock)
        }
    }
}
