import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

struct TornFrameTests {
    /// A kill in the midst of writing a frame left a whole header and a part of the body. On the
    /// same boot that was taken for damage: the header itself counted as proof that its commit had
    /// been written, and the store would not open any more.
    @Test(arguments: [Durability.full, .process])
    func aFrameTornByAKillIsNoDamageWhereverItIsTorn(_ durability: Durability) throws {
        let directory = ScratchDirectory()
        let files = { WeakFiles.WithoutBootCheck(RebootedFiles()) }
        let (before, after, ledger) = try images(in: directory, durability, files())
        let log = "Journal/log-0000000000000001"
        let old = try #require(before.files[log])
        let new = try #require(after.files[log])
        let start = try #require(old.lastByte) + 1
        let end = try #require(new.lastByte) + 1
        #expect(end - start > 200)
        for length in stride(from: 0, to: end - start, by: RunSetting.share) {
            var torn = new
            torn.truncate(to: start + length)
            torn.extend(to: new.size)
            var image = before
            image.files[log] = torn
            directory.clear()
            try image.write(below: directory.path)
            let store = try StoreUnderTest.open(
                directory.path, durability: durability, files: files())
            let found = try store.backend.readLedger(seed: 1, filling: 40)
            #expect(found.difference(from: ledger) == nil, "torn after \(length) bytes")
        }
    }

    /// The files of a store, not closed, after three saves and after one more; and what the three
    /// have saved.
    private func images(
        in directory: ScratchDirectory, _ durability: Durability, _ files: any FileLayer
    ) throws -> (before: DiskImage, after: DiskImage, ledger: Ledger) {
        let store = try StoreUnderTest.open(directory.path, durability: durability, files: files)
        var ledger = Ledger(seed: 1, filling: 40)
        var before = DiskImage()
        for save in 1...4 {
            let rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
            let changes = ledger.nextSave(rows: rows)
            if save == 4 { before = try DiskImage(readingFrom: directory.path) }
            _ = try store.backend.commit(changes)
            if save < 4 { ledger.apply(changes) }
        }
        return (before, try DiskImage(readingFrom: directory.path), ledger)
    }
}

extension SparseFile {
    /// Where the last byte stands that is not zero.
    fileprivate var lastByte: Int? { bytes.lastIndex { $0 != 0 } }
}
