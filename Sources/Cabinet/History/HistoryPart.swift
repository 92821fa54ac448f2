import CabinetBackend

/// The history of a store's classes that keep it, as a part of the store: their commits say what they replace,
/// the feed keeps these commits, and a worker moves what they say into tables of history.
struct HistoryPart: StorePart {
    /// The name under which the feed keeps commits, and of the worker's claim.
    static let name = "history"
    /// How many bytes of commits the feed keeps while no worker moves them: 1 GiB.
    static let limit: UInt64 = 1 << 30

    func setUp(in store: Store) throws {
        let classes = store.classes.filter(\.type.keepsHistory)
        guard !classes.isEmpty, store.maySave else { return }
        let backend = store.backend
        guard store.isIsolated, backend.features.isSuperset(of: [.lines, .changes, .keptChanges])
        else { throw BackendError.unsupported("the history of a class") }
        FormerRecords.keep(ofClasses: classes, names: true, in: store)
        if store.slot.isWorker { return }
        let keeping = try Self.keepCommits(in: backend)
        if keeping == .lost { store.log(.error, Self.lossDescription) }
        // Else the first save would begin again, as another had committed before it.
        if keeping != .kept { try store.noteFirstBasis() }
        let job = HistoryJob(log: store.log, waiting: store.hub.worker { WaitingChanges() })
        store.hub.worker { FeedWorker() }.begin([job], over: backend)
    }

    static let lossDescription =
        "What commits have replaced is lost for history: the log had to keep too much."

    /// Begins to keep commits, unless all are there from where history goes on.
    @discardableResult
    static func keepCommits(in backend: any Backend) throws(BackendError) -> Keeping {
        try backend.keepOn(Self.name, limit: Self.limit)
    }
}
