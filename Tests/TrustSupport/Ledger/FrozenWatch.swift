import CabinetBackend

/// Readers that were frozen at some saves of a ledger, each with a copy of the ledger at that save,
/// which they must still show whatever has happened since.
package struct FrozenWatch {
    private var held: [(reader: any BackendReader, ledger: Ledger)] = []
    private var random: SeededRandom
    /// How many times a reader was held against its copy.
    package private(set) var comparisons = 0

    /// No readers. `seed` decides when they are taken and freed.
    package init(seed: UInt64) { random = SeededRandom(seed: seed, part: 23) }

    /// What a store is opened with: all that is kept goes to a file.
    package static let limits = SnapshotLimits(memory: 0)

    /// Takes a reader now and then, compares one, and frees one. `ledger` is what `backend` holds.
    /// - Throws: what reading throws; ``LedgerFailure`` if a reader shows something else.
    package mutating func look(at backend: any Backend, _ ledger: Ledger) throws {
        if held.count < 3, random.once(in: 2) {
            held.append((try backend.snapshot(), ledger))
        }
        guard !held.isEmpty else { return }
        let index = random.below(held.count)
        let isLast = random.once(in: 4)
        let (reader, copy) = held[index]
        if isLast { held.remove(at: index) }
        let found = try reader.readLedger(seed: copy.seed, filling: copy.filling)
        comparisons += 1
        if let difference = found.difference(from: copy) {
            throw LedgerFailure("a reader frozen after save \(copy.saves): \(difference)")
        }
    }

    /// Frees all readers, whose store is closed or gone.
    package mutating func removeAll() { held = [] }
}
