import CabinetBackend
import CabinetTokyo

/// A run of a ledger whose every operation on files is kept.
package final class LedgerScene {
    /// What the scene is made of.
    package enum Step: Hashable, Sendable {
        /// So many saves.
        case save(Int)
        case sync
        case compact
        /// The store is closed in order and opened anew.
        case reopen
        /// A save of which the operation with that number on files fails, and the next one.
        case failingSave(operation: Int, code: Int32)
    }

    package let seed: UInt64
    package let filling: Int
    package let durability: Durability
    /// What the store holds after each number of saves.
    package private(set) var ledgers: [Ledger]
    /// What saves would have made of it that were begun and then failed, by their numbers.
    package private(set) var forgotten: [Int: [Ledger]]

    private let films: FilmedFiles
    private let faults: FaultyFiles
    private let root: String
    private let earlierNotes: [String]
    /// The highest row that was used, after each number of saves.
    package private(set) var highestRows: [RowID]

    /// A scene in the directory `root`.
    ///
    /// - Parameters:
    ///   - earlier: the scene whose store is there already, and its notes up to then.
    ///   - weakening: what stands between the engine and what is kept; nothing, if the engine is
    ///     to be shown as it is.
    package init(
        root: String, seed: UInt64, filling: Int, durability: Durability,
        continuing earlier: (scene: LedgerScene, notes: [String])? = nil,
        weakening: (any FileLayer) -> any FileLayer = { $0 }
    ) {
        self.root = root
        self.seed = seed
        self.filling = filling
        self.durability = durability
        forgotten = earlier?.scene.forgotten ?? [:]
        ledgers = earlier?.scene.ledgers ?? [Ledger(seed: seed, filling: filling)]
        highestRows = earlier?.scene.highestRows ?? [0]
        films = FilmedFiles(root: root)
        faults = FaultyFiles(wrapping: weakening(films))
        earlierNotes = earlier?.notes ?? []
    }

    /// Plays the steps. What was kept until then is in ``recording(from:)``, after a throw too.
    package func play(_ steps: [Step]) throws {
        var store = try open()
        for step in steps {
            switch step {
            case .save(let count): for _ in 0..<count { try save(in: store) }
            case .sync:
                try store.backend.sync()
                films.note("synced \(ledgers.count - 1)")
            case .compact: try store.compact()
            case .reopen:
                try close(store)
                store = try open()
            case .failingSave(let operation, let code):
                faults.replacePlan { index, _, _ in index == operation ? .error(code) : nil }
                do { try save(in: store) } catch is BackendError { forgetLast() }
                faults.replacePlan(nil)
            }
        }
        try close(store)
    }

    /// What was done to files until now, in a directory that held `initial`.
    package func recording(from initial: DiskImage = DiskImage()) -> Recording {
        var result = films.recording(from: initial)
        result.initialNotes = earlierNotes
        return result
    }

    private func open() throws -> StoreUnderTest {
        let store = try StoreUnderTest.open(root, durability: durability, files: faults)
        let found = try store.backend.readLedger(seed: seed, filling: filling)
        guard found.saves < ledgers.count,
            found.difference(from: ledgers[found.saves]) == nil
        else { throw LedgerFailure("the scene itself does not find what it saved") }
        while ledgers.count > found.saves + 1 { forgetLast() }
        // Whoever has seen a save may rely on it.
        films.note("opened \(found.saves)")
        try films.look()
        return store
    }

    private func close(_ store: StoreUnderTest) throws {
        try store.backend.close()
        films.note("synced \(ledgers.count - 1)")
    }

    private func save(in store: StoreUnderTest) throws {
        guard let ledger = ledgers.last else { return }
        let rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
        guard rows.lowerBound > highestRows.last ?? 0 else {
            throw LedgerFailure("row \(rows.lowerBound) was used before")
        }
        let changes = ledger.nextSave(rows: rows)
        ledgers.append(ledger.applying(changes))
        highestRows.append(rows.upperBound)
        films.note("began \(ledgers.count - 1)")
        _ = try store.backend.commit(changes)
        films.note("acknowledged \(ledgers.count - 1)")
        try films.look()
    }

    private func forgetLast() {
        forgotten[ledgers.count - 1, default: []].append(ledgers.removeLast())
        highestRows.removeLast()
    }
}
