import CabinetBackend

/// What follows from objects of a store, and is brought up to date after each commit that may change
/// it.
///
/// Its store knows it weakly: one that nothing holds leaves nothing behind. Not `Sendable`: its
/// store's.
class LiveQuery {
    final let store: Store
    private final let queries: LiveQueries
    /// The classes that it follows from.
    final let watched: [StoredClass]
    /// Whether pending changes count.
    final let includesPending: Bool
    private final var members: [LiveMember] = []

    /// - Parameter interests: for each class which changes concern it; `nil` for all. If pending changes
    ///   count, all do.
    init(
        _ store: Store, watching classes: [StoredClass], interests: [LiveInterest]? = nil,
        includesPending: Bool
    ) {
        self.store = store
        self.includesPending = includesPending
        watched = classes
        queries = store.liveQueries
        let interests = includesPending ? nil : interests
        members = classes.enumerated().map { index, storedClass in
            LiveMember(self, storedClass, interests?[index] ?? LiveInterest())
        }
        queries.add(self, members)
    }

    deinit { queries.remove(ObjectIdentifier(self), members, includesPending: includesPending) }

    // MARK: What comes of commits

    /// Commits have changed something of the classes that it watches, or, without any, something pending
    /// has changed, which counts. The store reads as of the last of them, or of a later one. A throw is
    /// its ``failure``, until a later call succeeds.
    func take(_ news: LiveNews) throws {}

    /// The objects that were pending or are, and whether each has changed. Only if pending changes
    /// count.
    func note(pending: [UInt64: Bool]) {}

    /// Is found anew, whatever commits have changed.
    func renew() throws {
        bringUpToDate()
        if hasEnded { throw StoreError.closed }
    }

    /// The store was closed.
    func end() {
        hasEnded = true
        for entry in readers { entry.reader?.end() }
        tellObservers()
    }

    final func follow(_ news: LiveNews) {
        guard includesPending else { return trying { try take(news) } }
        // What is pending may just be merged with what others have saved.
        waiting.summaries += news.summaries
        noteEdit()
    }

    /// Something pending may have changed: the next look takes it up.
    final func noteEdit() {
        guard !isOutdated, !hasEnded else { return }
        isOutdated = true
        for entry in readers { entry.reader?.wakeUp() }
        tellObservers()
    }

    /// Takes up what waits, if pending changes count.
    final func bringUpToDate() {
        // A store tells of the first change of a step alone.
        guard isOutdated || (includesPending && store.isChangeAnnounced), !hasEnded else { return }
        isOutdated = false
        queries.noteUpToDate(self)
        let news = waiting
        waiting = LiveNews()
        trying { try take(news) }
    }

    /// The store could not catch up with the commits of others: what it gives is of before them. Readers go on
    /// once it can.
    final func noteBehind(_ error: any Error) {
        failure = error
        queries.noteFailure(of: self)
        tellObservers()
    }

    private final func trying(_ body: () throws -> Void) {
        do { try body() } catch {
            noteBehind(error)
            for entry in readers { entry.reader?.fail(error) }
        }
    }

    // MARK: Readers and observers

    /// Why it could not be brought up to date.
    final var failure: (any Error)?
    private(set) final var hasEnded = false
    private final var isOutdated = false
    /// What commits have changed since it was brought up to date.
    private final var waiting = LiveNews()
    /// Called when it has become another one.
    final var tell: (() -> Void)?
    private struct Reader { weak var reader: LiveReader? }
    private final var readers: [Reader] = []

    final func add(_ reader: LiveReader) {
        readers.removeAll { $0.reader == nil }
        readers.append(Reader(reader: reader))
    }

    final func tellReaders(_ body: (LiveReader) -> Void) {
        for entry in readers { if let reader = entry.reader { body(reader) } }
        tellObservers()
    }

    /// Whether some reader has had all that it has become.
    final var hasReaderUpToDate: Bool { readers.contains { $0.reader?.isUpToDate == true } }

    private final func tellObservers() { tell?() }

    /// What differs from what the store gives now; `nil` for nothing.
    func findDifference() throws -> String? { nil }
}

/// Why a live query has become another one, and who saved that.
typealias LiveReason = (cause: LiveCause, authors: Set<String>)

/// What commits have changed, as a store hands it to its live queries.
struct LiveNews {
    var summaries: [ChangeSummary] = []

    var isUnknown: Bool { summaries.contains(where: \.isUnknown) }

    func countOfChanges(_ storedClass: StoredClass) -> Int {
        summaries.reduce(0) { $0 + ($1[storedClass]?.all.count ?? 0) }
    }

    /// Calls `body` with each change of objects of a class; of one object there may be several.
    func forEachChange(_ storedClass: StoredClass, _ body: (ChangeSummary.Change) -> Void) {
        for summary in summaries { summary[storedClass]?.all.forEach(body) }
    }

    var cause: LiveCause {
        if summaries.isEmpty { return .edit }
        return summaries.reduce(into: []) {
            $0.formUnion($1.isOwn ? .save : .otherStores)
            if $1.movesSteps { $0.formUnion(.undo) }
        }
    }

    /// Who has made the commits, as far as that was said.
    var authors: Set<String> { summaries.reduce(into: []) { $0.formUnion($1.authors) } }
}
