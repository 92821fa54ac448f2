import CabinetBackend
import CabinetTokyo

/// Holds what a store says after a power cut against what it promised before.
package struct PowerCutVerdict {
    /// What the store holds after each number of saves.
    package var ledgers: [Ledger]
    /// What it would hold after saves that failed. Their bytes may be whole on the disk all the same:
    /// a cut before the save could say that it failed leaves it in flight.
    package var failed: [Int: [Ledger]]
    /// The highest row used, likewise.
    package var highestRows: [RowID]
    package var seed: UInt64
    package var filling: Int
    package var durability: Durability
    /// The files of a machine that was started anew, for the first time, the second, and so on.
    package var reboot: (Int) -> any FileLayer = { RebootedFiles(boot: $0) }

    package init(_ scene: LedgerScene) {
        ledgers = scene.ledgers
        failed = scene.forgotten
        highestRows = scene.highestRows
        seed = scene.seed
        filling = scene.filling
        durability = scene.durability
    }

    /// The saves that must be there and those that may be, by the notes made up to the cut.
    package func limits(_ notes: [String]) -> ClosedRange<Int> {
        var least = 0
        var most = 0
        for note in notes {
            let words = note.split(separator: " ")
            guard words.count == 2, let number = Int(words[1]) else { continue }
            switch words[0] {
            case "began": most = max(most, number)
            case "synced": least = max(least, number)
            case "acknowledged", "opened": if durability == .full { least = max(least, number) }
            default: break
            }
        }
        return least...max(least, most)
    }

    /// Opens the store at `root` on a machine started anew. Returns what is wrong: `nil` if it
    /// holds a whole prefix of the saves with all that it must.
    package func judge(_ root: String, _ notes: [String], goesOn: Bool) -> String? {
        let limits = limits(notes)
        do {
            let store = try StoreUnderTest.open(root, durability: durability, files: reboot(1))
            let found = try store.backend.readLedger(seed: seed, filling: filling)
            guard limits.contains(found.saves) else {
                return "\(found.saves) saves are there, not \(limits)"
            }
            let made = found.saves < ledgers.count ? [ledgers[found.saves]] : []
            let differences = (made + failed[found.saves, default: []]).map(found.difference)
            if !differences.contains(nil) {
                let first = differences.first.flatMap { $0 } ?? "none was begun"
                return "of \(found.saves) saves: \(first)"
            }
            if let disagreement = found.disagreement { return disagreement }
            return goesOn ? try goOn(store, found, root) : nil
        } catch {
            return "\(error)"
        }
    }

    /// Saves once more, closes, opens and looks again.
    private func goOn(
        _ store: StoreUnderTest, _ ledger: Ledger, _ root: String
    ) throws -> String? {
        let rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
        guard rows.lowerBound > highestRows[min(ledger.saves, highestRows.count - 1)] else {
            return "row \(rows.lowerBound) was given out again"
        }
        let changes = ledger.nextSave(rows: rows)
        _ = try store.backend.commit(changes)
        try store.backend.close()
        let again = try StoreUnderTest.open(
            root, durability: durability, files: reboot(2))
        let found = try again.backend.readLedger(seed: seed, filling: filling)
        return found.difference(from: ledger.applying(changes)).map { "after going on: \($0)" }
    }
}
