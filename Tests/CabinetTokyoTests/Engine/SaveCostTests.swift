import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

/// What a save asks of the file system, counted: whatever the machine and however busy it is, a
/// call more for each save is a save that has become slower.
struct SaveCostTests {
    let directory = ScratchDirectory()

    /// How often `body` asked for what.
    private func operations(
        _ files: FaultyFiles, _ body: () throws -> Void
    ) rethrows -> [FaultyFiles.Operation: Int] {
        let counts = Guarded<[FaultyFiles.Operation: Int]>([:])
        files.replacePlan { _, operation, _ in
            counts.withLock { $0[operation, default: 0] += 1 }
            return nil
        }
        defer { files.replacePlan(nil) }
        try body()
        return counts.withLock { $0 }
    }

    private func makeStore(
        _ durability: Durability, _ files: FaultyFiles
    ) throws -> TokyoBackend {
        let backend = try TokyoBackend(
            path: directory.file("store"), durability: durability, files: files)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.put("first", at: 2, in: 2)
        try backend.commit(batch)
        // The first save of a stretch of use opens what the others go on with.
        _ = try backend.put("second", at: 2, in: 2)
        return backend
    }

    @Test(arguments: [Durability.full, .process])
    func aSmallSaveIsOneWriteAndAtFullOneSync(_ durability: Durability) throws {
        let files = FaultyFiles()
        let backend = try makeStore(durability, files)
        var counts = try operations(files) {
            for save in 0..<100 { _ = try backend.put("save \(save)", at: 2, in: 2) }
        }
        // At `.process` a write may be a store to a part of the log that was mapped once.
        let windows = counts.removeValue(forKey: .window) ?? 0
        #expect(windows <= (durability == .full ? 0 : 1))
        // Lock file and log must still have their names.
        let wanted: [FaultyFiles.Operation: Int] =
            durability == .full ? [.write: 100, .sync: 100, .status: 200] : [.write: 100]
        #expect(counts == wanted)
    }

    /// Opening a store that was closed in order reads headers, whatever its log holds, and closing
    /// it unchanged writes nothing.
    @Test func openingAClosedStoreReadsLittleAndClosingItWritesNothing() throws {
        let files = FaultyFiles()
        let first = try makeStore(.full, files)
        try makeOther(in: first, 0)
        try first.close()
        let counts = try operations(files) {
            let store = try TokyoBackend(path: directory.file("store"), files: files)
            #expect(try store.text(at: 2, in: 2) == "second")
            try store.close()
        }
        // The marker and the log's head are read; the lock file says who holds it.
        #expect(counts[.read] == 2)
        #expect(counts[.write] == 1)
        #expect(counts[.truncate] == nil)
        #expect(counts[.sync] == nil)
        #expect(counts[.syncDirectory] == nil)
    }

    /// All but what the engine adds to the catalog goes to new tables from chunks, each of which is
    /// written once and read once.
    @Test func aLargeSaveIsWrittenOnceAndReadOnce() throws {
        let files = FaultyFiles()
        let backend = try makeStore(.full, files)
        let counts = try operations(files) { try makeOther(in: backend, 0) }
        #expect(counts[.write] == 7)
        #expect(counts[.read] == 6)
        #expect(counts[.sync] == 1)
        #expect(counts.values.reduce(0, +) <= 42, "\(counts)")
    }

    /// In a new store the catalog is a new table, too.
    @Test func theFirstSaveOfAStoreReadsNoChunkTwice() throws {
        let files = FaultyFiles()
        let backend = try TokyoBackend(path: directory.file("store"), files: files)
        let counts = try operations(files) { try makeOther(in: backend, 3) }
        #expect(counts[.read] == 6)
    }

    /// An old table's changes wait for the commit: the chunks that hold some are read again.
    @Test func onlyChunksWithChangesOfOldTablesAreReadAgain() throws {
        let files = FaultyFiles()
        let backend = try makeStore(.full, files)
        let counts = try operations(files) { try makeOther(in: backend, 0, changing: 2) }
        #expect(counts[.read] == 7)
        #expect(try backend.text(at: 2, in: 2) == "changed")
        #expect(try backend.count(of: 3) == 600)
    }

    /// Makes a table of 600 rows of 10,000 bytes, after `entries` others in the catalog.
    private func makeOther(
        in backend: TokyoBackend, _ entries: Int, changing old: RowID? = nil
    ) throws {
        let text = String(repeating: "text", count: 2500)
        let batch = backend.makeBatch()
        for entry in 0..<entries { try batch.put("", forKey: "entry \(entry)", in: .catalog) }
        batch.expect(600, in: 3)
        try batch.define(TableDefinition(number: 3, kind: .record, name: "Other"))
        for row in 2..<602 as Range<RowID> {
            try batch.put(text, at: row, in: 3)
            if row == 300, let old { try batch.put("changed", at: old, in: 2) }
        }
        #expect(batch.stagedChunks == 5)
        try backend.commit(batch)
    }
}
