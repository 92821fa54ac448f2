import Cabinet
import CabinetBackend
import CabinetMemory
import Testing
import TrustSupport

struct ObjectLedgerTests {
    private static func keeper(_ backend: MemoryBackend, seed: UInt64) throws -> ObjectKeeper {
        try ObjectKeeper(
            Store(backend: backend, classes: Bookshop.classes), seed: seed, filling: 100)
    }

    /// The memory engine has no file to lose: what it holds after each save is what must be there.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func objectsAreWhatTheModelSays(seed: UInt64) throws {
        let backend = MemoryBackend()
        let keeper = try Self.keeper(backend, seed: seed)
        for number in 1...60 {
            _ = try keeper.prepare(keeper.ledger.nextSave())
            try keeper.save()
            let found = try Self.keeper(backend, seed: seed).ledger
            #expect(found == keeper.ledger)
            #expect(found.digest == keeper.ledger.digest)
            #expect(found.saves == number)
        }
    }

    @Test func aLostRowOfAnyClassIsSeen() throws {
        for name in ["Shelf", "Book", "Till"] {
            let backend = MemoryBackend()
            let keeper = try Self.keeper(backend, seed: 4)
            for _ in 1...10 {
                _ = try keeper.prepare(keeper.ledger.nextSave())
                try keeper.save()
            }
            let table = try #require(try backend.tables().first { $0.name == name })
            let run = RecordRun()
            _ = try backend.records(in: table.number).next(run)
            let row = try #require(run.next()?.row)
            let batch = backend.makeBatch()
            try batch.deleteRow(row, in: table.number)
            _ = try backend.commit(batch)
            #expect(throws: LedgerFailure.self, "\(name)") {
                _ = try Self.keeper(backend, seed: 4)
            }
        }
    }

    @Test func aSaveFollowsFromTheSeedAlone() {
        let one = ObjectLedger(seed: 7, filling: 100)
        let next = one.applying(one.nextSave())
        #expect(next.digest == one.applying(one.nextSave()).digest)
        #expect(next.digest != one.digest)
        let other = ObjectLedger(seed: 8, filling: 100)
        #expect(next.digest != other.applying(other.nextSave()).digest)
    }
}
