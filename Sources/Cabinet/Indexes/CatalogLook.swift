import CabinetBackend

/// As of when a participant knows what the catalog says: its store's own commits keep that up to date, those
/// of other stores do not.
struct CatalogLook {
    /// The basis of the store at the look; `nil` if nothing is known.
    private var basis: CommitNumber?
    /// The generation of the hub then, or behind the store's own commits since.
    private var generation = -1
    /// Whether the store has committed since.
    private var hasCommitted = false

    /// Whether what is known is as of the store's basis.
    @inline(__always)
    mutating func isCurrent(in store: Store) -> Bool {
        guard let known = basis, generation == store.hub.generation else { return false }
        guard hasCommitted else { return known == store.basis }
        // With each of its own commits the basis moves, and nothing else has moved it.
        hasCommitted = false
        basis = store.basis
        return true
    }

    /// The participant has read what the catalog says as of the store's basis.
    mutating func note(_ store: Store, generation: Int) {
        (basis, self.generation, hasCommitted) = (store.basis, generation, false)
    }

    /// What is known may be out of date.
    mutating func forget() { (basis, hasCommitted) = (nil, false) }

    /// The store has committed, and the participant knows what the commit has changed. What it did not know
    /// before, it does not know now.
    mutating func noteCommit(of store: Store) {
        guard basis != nil, store.hub.generation == store.hubGeneration else { return forget() }
        generation = store.hubGeneration
        hasCommitted = true
    }
}
