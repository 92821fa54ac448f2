import CabinetBackend
import CabinetMemory
import Testing
import TrustSupport

struct LedgerTests {
    /// The memory engine has no file to lose: what it holds after each save is what must be there.
    @Test func aStoreHoldsWhatTheModelSays() throws {
        let store = MemoryBackend()
        var ledger = Ledger(seed: 7, filling: 100)
        for _ in 1...40 {
            let rows = try store.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
            let changes = ledger.nextSave(rows: rows)
            _ = try store.commit(changes)
            ledger.apply(changes)
            let found = try store.readLedger(seed: 7, filling: 100)
            #expect(found.difference(from: ledger) == nil)
            #expect(found.digest == ledger.digest)
            #expect(found.disagreement == nil)
        }
        #expect(ledger.contents.count > 40)
    }

    @Test func aMissingValueIsSeenEveryWay() throws {
        var ledger = Ledger(seed: 7, filling: 100)
        ledger.apply(ledger.nextSave(rows: 2...2))
        let lost = try #require(ledger.contents.keys.first { $0.table == Ledger.entries })
        let less = Ledger(
            seed: 7, filling: 100, contents: ledger.contents.filter { $0.key != lost },
            tables: ledger.tables)
        #expect(less.digest != ledger.digest)
        #expect(less.difference(from: ledger) != nil)
        #expect(less.disagreement != nil)
    }

    @Test func aSaveFollowsFromTheSeedAlone() {
        let one = Ledger(seed: 7, filling: 100)
        let other = Ledger(seed: 7, filling: 100)
        #expect(
            one.applying(one.nextSave(rows: 2...4)).digest
                == other.applying(other.nextSave(rows: 2...4)).digest)
        let third = Ledger(seed: 8, filling: 100)
        #expect(
            one.applying(one.nextSave(rows: 2...4)).digest
                != third.applying(third.nextSave(rows: 2...4)).digest)
    }
}
