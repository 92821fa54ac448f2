import CabinetBackend

/// Sorted entries, deletes among them, in a temporary file: blocks as in a snapshot, one behind
/// the other from the file's front, never deflated and never synced.
///
/// Only the process that wrote a run reads it; at the next opening it is garbage.
struct SortedRun {
    let path: String
    private let fileSum: UInt32
    private let end: UInt64

    /// Writes what `source` gives.
    /// - Throws: with the file, or a part of it, left to be removed.
    init(
        _ source: any EntrySource, files: any FileLayer, path: String, number: UInt32,
        blockLimit: Int, keep: (TableEntry) throws(BackendError) -> Bool
    ) throws(BackendError) {
        let file = try files.open(path, for: .replacing)
        var blocks = try BlockWriter(
            files: files, file: file, offset: 0, fileSum: number, limit: blockLimit,
            deflates: false)
        while let entry = try source.next() {
            if try keep(entry) { try blocks.append(entry) }
        }
        try blocks.flush()
        self.path = path
        fileSum = number
        end = blocks.offset
    }

    /// A walk over the entries.
    func cursor(_ files: any FileLayer) throws(BackendError) -> any EntrySource {
        let file = try files.open(path, for: .reading)
        let blocks = try BlockReader(
            files: files, file: file, fileSum: fileSum, allowsDeletes: true)
        return Cursor(blocks, end: end)
    }

    private final class Cursor: EntrySource {
        private let blocks: BlockReader
        private let end: UInt64
        private var offset: UInt64 = 0

        init(_ blocks: BlockReader, end: UInt64) {
            self.blocks = blocks
            self.end = end
        }

        func next() throws(BackendError) -> TableEntry? {
            while true {
                if let entry = try blocks.next() { return entry }
                guard offset < end else { return nil }
                offset = try blocks.read(at: offset, before: end)
            }
        }
    }
}
