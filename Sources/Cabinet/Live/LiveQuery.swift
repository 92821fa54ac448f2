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

    init(_ store: Store, watching classes: [StoredClass], includesPending: Bool) {
        self.store = store
        self.includesPending = includesPending
        watched = classes
        queries = store.liveQueries
        queries.add(self)
    }

    deinit { queries.remove(ObjectIdentifier(self), watched, includesPending: includesPending) }

    // MARK: What comes of commits

    /// Commits have changed something of the classes that it watches, or, without any, something pending
    /// has changed, which counts. The store reads as of the last of them, or of a later one. A throw is
    /// its ``failure``, until a later call succeeds.
    func take(_ news: LiveNews) throws {}

    /// The objects that were pending or are, and whether each has changed. Only if pending changes
    /// count.
    func note(pending: [UInt64: Bool]) {}

    /// The store was closed.
    func end() {
        hasEnded = true
        for entry in readers { entry.reader?.end() }
        tellObservers()
    }

    fileprivate final func follow(_ news: LiveNews) {
        guard includesPending else { return trying { try take(news) } }
        // What is pending may just be merged with what others have saved.
        waiting.summaries += news.summaries
        noteEdit()
    }

    /// Something pending may have changed: the next look takes it up.
    fileprivate final func noteEdit() {
        guard !isOutdated, !hasEnded else { return }
        isOutdated = true
        for entry in readers { entry.reader?.wakeUp() }
        tellObservers()
    }

    /// Takes up what waits, if pending changes count.
    final func bringUpToDate() {
        guard isOutdated, !hasEnded else { return }
        isOutdated = false
        guard failure == nil || !waiting.summaries.isEmpty else { return }
        let news = waiting
        waiting = LiveNews()
        trying { try take(news) }
    }

    private final func trying(_ body: () throws -> Void) {
        do { try body() } catch {
            failure = error
            for entry in readers { entry.reader?.fail(error) }
            tellObservers()
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
        return summaries.reduce(into: []) { $0.formUnion($1.isOwn ? .save : .otherStores) }
    }

    /// Who has made the commits, as far as that was said.
    var authors: Set<String> { summaries.reduce(into: []) { $0.formUnion($1.authors) } }
}

/// The live queries of one store: hands each what commits have changed of its classes.
final class LiveQueries: ChangeWatcher {
    private struct Entry { weak var query: LiveQuery? }

    private unowned let store: Store
    /// By the number of a class that they watch.
    private var byClass: [UInt8: [ObjectIdentifier: Entry]] = [:]
    private var withPending = 0
    private var pending = PendingRows()
    private var news = LiveNews()
    #if DEBUG
        /// Whether each is compared with a fetch after each commit.
        var areVerified = false
    #endif

    fileprivate init(_ store: Store) { self.store = store }

    fileprivate func add(_ query: LiveQuery) {
        let known = byClass.count
        if known == 0, !query.watched.isEmpty { store.beginWatching(self) }
        for storedClass in query.watched {
            byClass[storedClass.number, default: [:]][ObjectIdentifier(query)] = Entry(query: query)
        }
        if byClass.count > known { store.noteFollowed() }
        if query.includesPending {
            withPending += 1
            store.noteWhoHearsEdits()
        }
    }

    fileprivate func remove(
        _ query: ObjectIdentifier, _ classes: [StoredClass], includesPending: Bool
    ) {
        let known = byClass.count
        for storedClass in classes {
            byClass[storedClass.number]?[query] = nil
            if byClass[storedClass.number]?.isEmpty == true { byClass[storedClass.number] = nil }
        }
        if byClass.isEmpty, known > 0 {
            store.endWatching(self)
        } else if byClass.count < known {
            store.noteFollowed()
        }
        if includesPending {
            withPending -= 1
            store.noteWhoHearsEdits()
        }
    }

    /// Those that watch one of the classes of these numbers.
    private func queries(of numbers: some Sequence<UInt8>) -> [LiveQuery] {
        var found: [ObjectIdentifier: LiveQuery] = [:]
        for number in numbers {
            for (key, entry) in byClass[number] ?? [:] { found[key] = entry.query }
        }
        return Array(found.values)
    }

    func watches(_ storedClass: StoredClass) -> Bool { byClass[storedClass.number] != nil }

    var hearsEdits: Bool { withPending > 0 }

    func note(_ summary: ChangeSummary) { news.summaries.append(summary) }

    func didNoteAll() {
        let news = news
        guard !news.summaries.isEmpty else { return }
        self.news = LiveNews()
        let numbers = Set(news.summaries.flatMap(\.classNumbers))
        let told = news.isUnknown ? queries(of: byClass.keys) : queries(of: numbers)
        // A closure of a condition must not save or move the basis.
        store.busyCalls += 1
        for query in told { query.follow(news) }
        store.busyCalls -= 1
        #if DEBUG
            if areVerified { verify() }
        #endif
    }

    func noteEdit() {
        for query in queries(of: byClass.keys) where query.includesPending { query.noteEdit() }
    }

    /// Tells all that count pending changes what has changed of these.
    func lookAtPending() {
        store.reconcileEdits()
        let changed = pending.look(in: store)
        if changed.isEmpty { return }
        for query in queries(of: byClass.keys) where query.includesPending {
            query.note(pending: changed)
        }
    }

    func storeDidClose() { for query in queries(of: byClass.keys) { query.end() } }

    #if DEBUG
        private func verify() {
            for query in queries(of: byClass.keys) where !query.includesPending {
                do {
                    if let difference = try query.findDifference() { fatalError(difference) }
                } catch {
                    // A later call of the query says what cannot be read.
                }
            }
        }
    #endif
}

extension Store {
    var liveQueries: LiveQueries { annex(LiveQueries.self) { LiveQueries($0) } }

    #if DEBUG
        /// Whether the store compares each live query that counts no pending changes with a fetch after every
        /// commit, and stops the
        /// program with both where they differ. Only in debug builds; `false` at first.
        public var verifiesLiveQueries: Bool {
            get { annexIfMade(LiveQueries.self)?.areVerified ?? false }
            set { liveQueries.areVerified = newValue }
        }
    #endif
}
