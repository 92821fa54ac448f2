import CabinetBackend

/// As of which commit a participant of a store's commits knows what the catalog says.
///
/// What the catalog says as of one commit never changes. So what is known holds for a commit of the store
/// exactly if the store's basis is the commit that it is known as of, whatever others do meanwhile:
///
/// - It is read from one reader, which is at one commit before and after: ``read(in:_:)``.
/// - The store's own commit takes it along if it is the very next one: ``noteCommit(_:)``. If another
///   came between, that may have changed entries which the own one neither wrote nor required.
/// - A commit that knows the catalog as of its basis requires that the entries it relies on are unchanged
///   since, or, of a store that was alone, that no commit has come since.
///
/// An engine that keeps no commits apart has each commit of another store at once: there the commit must be
/// the last one.
struct CatalogLook {
    /// The highest number if nothing is known.
    private var commit = CommitNumber.max
    /// How often others may commit while the catalog is read, where they can.
    private static let attempts = 1_000

    @inline(__always)
    func isCurrent(in store: Store) throws -> Bool {
        if commit != store.basis {
            return GuardedStep.catalogOfBasis.isLeftOut && commit != .max
        }
        return try store.isIsolated || store.backend.lastCommit() == commit
    }

    /// Has `body` read what the catalog says, from one reader, and all as of one commit. It may be called
    /// several times.
    mutating func read<Read>(
        in store: Store, _ body: (any BackendReader) throws -> Read
    ) throws -> Read {
        commit = .max
        for _ in 0..<Self.attempts {
            // A store that is alone reads what the backend has, to which one that is just being opened
            // may commit. A frozen reader stays at its commit.
            let reader = store.reader
            let number = try reader.lastCommit()
            SchedulePoint.catalog.pass()
            let read = try body(reader)
            SchedulePoint.catalog.pass()
            guard try reader.lastCommit() == number else { continue }
            commit = number
            return read
        }
        throw BackendError.conflict([])
    }

    mutating func forget() { if !GuardedStep.catalogOfBasis.isLeftOut { commit = .max } }

    /// The store has made the commit `number`, and the participant knows what that has changed.
    mutating func noteCommit(_ number: CommitNumber) {
        // A commit without changes has the number of the last one.
        guard commit != .max, commit != number else { return }
        commit = commit.next == number ? number : .max
    }
}
