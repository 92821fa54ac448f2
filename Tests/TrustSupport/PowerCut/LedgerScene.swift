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
        /// The store is closed in order and opened again.
        case reopen
        case failingSave(FailingSave)
    }

    /// A save that was begun: what the store holds after it, and the highest row used.
    package struct Attempt {
        package let ledger: Ledger
        package let highestRow: RowID
    }

    package let seed: UInt64
    package let filling: Int
    package let durability: Durability
    /// Every save that was begun, in order, those that failed or were lost included. The first
    /// is the empty store.
    package private(set) var attempts: [Attempt]

    private let films: FilmedFiles
    private let faults: FaultyFiles
    private let root: String
    private let earlierNotes: [String]
    private var expected: ExpectedSaves
    /// The attempt that made the store what it is.
    private var current = 0
    private var watch: FrozenWatch

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
        attempts =
            earlier?.scene.attempts
            ?? [Attempt(ledger: Ledger(seed: seed, filling: filling), highestRow: 0)]
        watch = FrozenWatch(seed: seed)
        expected = ExpectedSaves(earlier?.notes ?? [], durability: durability)
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
                note(.synced(saves: ledger.saves))
            case .compact: try store.compact()
            case .reopen:
                try close(store)
                store = try open()
            case .failingSave(let failure):
                faults.replacePlan(failure.plan)
                do {
                    try save(in: store)
                } catch is BackendError {
                    if !failure.lasts { note(.failed(save: ledger.saves + 1)) }
                }
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

    private var ledger: Ledger { attempts[current].ledger }

    private func note(_ note: LedgerNote) {
        expected.take(note)
        films.note(note.text)
    }

    private func open() throws -> StoreUnderTest {
        let store = try StoreUnderTest.open(
            root, durability: durability, files: faults, snapshots: FrozenWatch.limits)
        let found = try store.backend.readLedger(seed: seed, filling: filling)
        let candidates = expected.attempts(found.saves)
        guard
            let match = candidates.last(where: {
                found.difference(from: attempts[$0].ledger) == nil
            })
        else { throw LedgerFailure("the scene itself does not find what it saved") }
        current = match
        note(.opened(saves: found.saves, attempt: match))
        try films.look()
        return store
    }

    private func close(_ store: StoreUnderTest) throws {
        watch.removeAll()
        try store.backend.close()
        note(.synced(saves: ledger.saves))
    }

    private func save(in store: StoreUnderTest) throws {
        try watch.look(at: store.backend, ledger)
        let rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
        guard rows.lowerBound > attempts[current].highestRow else {
            throw LedgerFailure("row \(rows.lowerBound) was used before")
        }
        let changes = ledger.nextSave(rows: rows)
        let attempt = attempts.count
        attempts.append(Attempt(ledger: ledger.applying(changes), highestRow: rows.upperBound))
        note(.began(save: ledger.saves + 1, attempt: attempt))
        _ = try store.backend.commit(changes)
        current = attempt
        note(.acknowledged(save: ledger.saves))
        try films.look()
    }
}
