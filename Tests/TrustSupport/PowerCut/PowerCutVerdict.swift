import CabinetBackend
import CabinetTokyo

/// Holds what a store says after a power cut against what it promised before.
package struct PowerCutVerdict {
    /// Every save that was begun.
    package var attempts: [LedgerScene.Attempt]
    package var seed: UInt64
    package var filling: Int
    package var durability: Durability
    /// The files of a machine that was restarted, for the first time, the second, and so on.
    package var reboot: (Int) -> any FileLayer = { RebootedFiles(boot: $0) }

    package init(_ scene: LedgerScene) {
        attempts = scene.attempts
        seed = scene.seed
        filling = scene.filling
        durability = scene.durability
    }

    /// Opens the store at `root` on a restarted machine. Returns what is wrong: `nil` if it holds
    /// a whole prefix of the saves with all that it must.
    package func judge(_ root: String, _ notes: [String], goesOn: Bool) -> String? {
        let expected = ExpectedSaves(notes, durability: durability)
        do {
            let store = try StoreUnderTest.open(root, durability: durability, files: reboot(1))
            let found = try store.backend.readLedger(seed: seed, filling: filling)
            guard found.saves >= expected.least, found.saves <= expected.most else {
                return "\(found.saves) saves are there, not \(expected.least) to \(expected.most)"
            }
            let candidates = expected.attempts(found.saves)
            let differences = candidates.map { found.difference(from: attempts[$0].ledger) }
            guard let match = differences.firstIndex(of: nil) else {
                let difference = differences.last.flatMap { $0 } ?? "none was begun"
                return "of \(found.saves) saves: \(difference)"
            }
            if let disagreement = found.disagreement { return disagreement }
            if let other = try store.backend.disagreement(aboutNotesOf: found) { return other }
            return goesOn ? try goOn(store, from: attempts[candidates[match]], root) : nil
        } catch {
            return "\(error)"
        }
    }

    /// Saves once more, closes, opens and looks again.
    private func goOn(
        _ store: StoreUnderTest, from attempt: LedgerScene.Attempt, _ root: String
    ) throws -> String? {
        let ledger = attempt.ledger
        let rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
        guard rows.lowerBound > attempt.highestRow else {
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
