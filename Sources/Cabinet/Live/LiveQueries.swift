import CabinetBackend

/// The live queries of one store: tells each of the commits that may concern it.
final class LiveQueries: ChangeWatcher {
    private struct Entry { weak var query: LiveQuery? }

    private unowned let store: Store
    /// By the number of a class that they watch.
    private var byClass = [ClassInterests?](repeating: nil, count: 256)
    private var classCount = 0
    /// Those that count pending changes.
    private var withPending: [ObjectIdentifier: Entry] = [:]
    /// Those of them that have not heard of an edit since they were brought up to date.
    private var upToDate: [ObjectIdentifier: Entry] = [:]
    /// Those that could not be brought up to date: the next commit of a class that is watched makes them try again.
    private var failing: [ObjectIdentifier: Entry] = [:]
    private var pending = PendingRows()
    private var news = LiveNews()
    #if DEBUG
        /// Whether each is compared with a fetch after each commit.
        var areVerified = false
    #endif

    fileprivate init(_ store: Store) { self.store = store }

    func add(_ query: LiveQuery, _ members: [LiveMember]) {
        let known = classCount
        if known == 0, !members.isEmpty { store.beginWatching(self) }
        for member in members { interests(of: member.storedClass).add(member) }
        if classCount > known { store.noteFollowed() }
        if query.includesPending {
            withPending[ObjectIdentifier(query)] = Entry(query: query)
            noteUpToDate(query)
            store.noteWhoHearsEdits()
        }
    }

    func remove(_ query: ObjectIdentifier, _ members: [LiveMember], includesPending: Bool) {
        let known = classCount
        for member in members {
            let number = Int(member.storedClass.number)
            byClass[number]?.remove(member)
            guard byClass[number]?.count == 0 else { continue }
            byClass[number] = nil
            classCount -= 1
        }
        if classCount == 0, known > 0 {
            store.endWatching(self)
        } else if classCount < known {
            store.noteFollowed()
        }
        failing[query] = nil
        if includesPending {
            withPending[query] = nil
            upToDate[query] = nil
            store.noteWhoHearsEdits()
        }
    }

    private func interests(of storedClass: StoredClass) -> ClassInterests {
        if let known = byClass[Int(storedClass.number)] { return known }
        let made = ClassInterests(store, storedClass)
        byClass[Int(storedClass.number)] = made
        classCount += 1
        return made
    }

    func noteUpToDate(_ query: LiveQuery) {
        upToDate[ObjectIdentifier(query)] = Entry(query: query)
    }

    func noteFailure(of query: LiveQuery) {
        failing[ObjectIdentifier(query)] = Entry(query: query)
    }

    private var all: [LiveQuery] {
        var found: [ObjectIdentifier: LiveQuery] = [:]
        for case let interests? in byClass {
            interests.withEach { found[ObjectIdentifier($0)] = $0 }
        }
        return Array(found.values)
    }

    // MARK: Commits

    func watches(_ storedClass: StoredClass) -> Bool { byClass[Int(storedClass.number)] != nil }

    func comparesRecords(of storedClass: StoredClass) -> Bool {
        byClass[Int(storedClass.number)]?.comparesRecords == true
    }

    func note(
        from former: UnsafeRawBufferPointer?, to record: UnsafeRawBufferPointer?,
        of storedClass: StoredClass, _ fields: FieldSet
    ) {
        byClass[Int(storedClass.number)]?.note(from: former, to: record, fields)
    }

    func note(_ summary: ChangeSummary) { news.summaries.append(summary) }

    func didNoteAll() {
        let news = news
        guard !news.summaries.isEmpty else { return }
        self.news = LiveNews()
        follow(news, news.isUnknown ? all : queries(concernedBy: news))
        #if DEBUG
            if areVerified { verify() }
        #endif
    }

    private func follow(_ news: LiveNews, _ told: [LiveQuery]) {
        // A closure of a condition must not save or move the basis.
        store.busyCalls += 1
        defer { store.busyCalls -= 1 }
        for query in told { query.follow(news) }
    }

    func note(failureToRefresh error: (any Error)?) {
        if let error {
            for query in all { query.noteBehind(error) }
        } else {
            let told = failing.values.compactMap(\.query)
            failing = [:]
            follow(LiveNews(), told)
        }
    }

    private func queries(concernedBy news: LiveNews) -> [LiveQuery] {
        var changed: [UInt8: FieldSet] = [:]
        for summary in news.summaries {
            for (number, fields) in summary.fieldsByClass {
                changed[number, default: FieldSet()].formUnion(fields)
            }
        }
        var found: [ObjectIdentifier: LiveQuery] = [:]
        for (number, fields) in changed {
            byClass[Int(number)]?.tell(fields) { found[ObjectIdentifier($0)] = $0 }
        }
        for (key, entry) in failing { found[key] = entry.query }
        failing = [:]
        return Array(found.values)
    }

    // MARK: What is pending

    var hearsEdits: Bool { !withPending.isEmpty }

    func noteEdit() {
        let told = upToDate
        upToDate = [:]
        for entry in told.values { entry.query?.noteEdit() }
    }

    /// Tells all that count pending changes what has changed of these.
    func lookAtPending() {
        store.reconcileEdits()
        let changed = pending.look(in: store)
        if changed.isEmpty { return }
        for entry in withPending.values { entry.query?.note(pending: changed) }
    }

    func storeDidClose() { for query in all { query.end() } }

    #if DEBUG
        private func verify() {
            for query in all where !query.includesPending {
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
