import CabinetBackend

/// What is added to every store, mostly by later folders: derived tables, the upkeep of the table of
/// referrers, notes of queries that scan.
///
/// A store is handed its parts when it is made, by ``Store/allParts`` of the folder `Opening` or by another
/// store, and asks them in their order; it knows none of them by type. A part has no state: what it keeps for a store is an annex of that store
/// (``Store/annex(_:make:)``).
///
/// `Sendable`: the thread that does the work of a store gives its own store the same parts.
protocol StorePart: Sendable {
    /// Has what is kept of the store's classes take part in its commits. The classes are registered; no
    /// object was read yet.
    func setUp(in store: Store) throws

    /// Whether something is to be built or brought into form, besides what is named in `refused`.
    func hasWork(in store: Store, besides refused: Set<String>) throws -> Bool

    /// How many records are to be looked at for it.
    func unitsOfWork(in store: Store) throws -> Int

    /// Does it, in a store that has nothing else to do.
    /// - Throws: `CancellationError`; why something could not be built, once the rest is.
    func work(in store: Store, _ upkeep: UpkeepTask) throws

    /// What is kept and cannot be used yet, as it may lack records: as "class.name".
    func incomplete(in store: Store) throws -> [String]

    /// Compares what is kept with the records, each as of one commit.
    func findings(
        in store: Store, isolation: isolated (any Actor)?
    ) async throws -> [CheckFinding]

    /// Adds what it knows to a report on `store`.
    func add(to report: inout DebugReport, on store: Store)
}

extension StorePart {
    func setUp(in store: Store) throws {}
    func hasWork(in store: Store, besides refused: Set<String>) throws -> Bool { false }
    func unitsOfWork(in store: Store) throws -> Int { 0 }
    func work(in store: Store, _ upkeep: UpkeepTask) throws {}
    func incomplete(in store: Store) throws -> [String] { [] }
    func findings(
        in store: Store, isolation: isolated (any Actor)?
    ) async throws -> [CheckFinding] { [] }
    func add(to report: inout DebugReport, on store: Store) {}
}
