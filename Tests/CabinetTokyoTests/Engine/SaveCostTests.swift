import CabinetBackend
import Testing

@testable import CabinetTokyo

/// What a save asks of the file system, counted: whatever the machine and however busy it is, a
/// call more for each save is a save that has become slower.
struct SaveCostTests {
    let directory = TemporaryDirectory(inMemory: true)

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
        let counts = try operations(files) {
            for save in 0..<100 { _ = try backend.put("save \(save)", at: 2, in: 2) }
        }
        #expect(counts == (durability == .full ? [.write: 100, .sync: 100] : [.write: 100]))
    }

    /// Only what is not in a new table must be read back after the commit.
    @Test func aLargeSaveIsWrittenOnceAndReadOnce() throws {
        let files = FaultyFiles()
        let backend = try makeStore(.full, files)
        let text = String(repeating: "text", count: 2500)
        let counts = try operations(files) {
            let batch = backend.makeBatch()
            batch.expect(600, in: 3)
            try batch.define(TableDefinition(number: 3, kind: .record, name: "Other"))
            for row in 2..<602 as Range<RowID> { try batch.put(text, at: row, in: 3) }
            #expect(batch.stagedChunks == 5)
            try backend.commit(batch)
        }
        #expect(counts[.write] == 6)
        #expect(counts[.read] == 5)
        #expect(counts[.sync] == 1)
        #expect(counts.values.reduce(0, +) <= 40, "\(counts)")
    }
}
