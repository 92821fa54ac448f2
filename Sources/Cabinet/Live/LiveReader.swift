import CabinetBackend

/// What one reader of a live list's changes has had of it, and what is to come.
final class LiveReader {
    /// The list as the reader knows it.
    private var seen = ListVersion()
    /// The only change since; `nil` if there are several, which are taken as one.
    private var edits: ListEdits?
    /// Objects whose content is another since, perhaps repeatedly, and at how many that is looked at.
    private var changed: [UInt64] = []
    private var mostChanged = 1024
    private var hasNews = true
    private(set) var hasTakenNone = true
    private var isReset = true
    /// Whether the reader gets a change that has no edits.
    private var tellsNone = false
    private var cause: LiveCause = []
    private var authors: Set<String> = []
    private(set) var failure: (any Error)?
    private let wake: AsyncStream<Void>.Continuation
    /// A signal for all that came since the last look.
    let wakes: AsyncStream<Void>

    init() {
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { wake.finish() }

    /// Whether it has had all that the list has become.
    var isUpToDate: Bool { !hasNews }

    /// The list has become another one.
    /// - Parameters:
    ///   - edits: what leads to it; `nil`: that is found out when the change is taken.
    ///   - changed: the objects whose content is another.
    func note(_ edits: ListEdits?, changed: NumberSet, _ news: (LiveCause, Set<String>)) {
        self.edits = hasNews ? nil : edits
        if !isReset { add(changed) }
        begin(news)
    }

    /// The reader knows an earlier version of the list, which `edits` lead from.
    func resume(_ edits: ListEdits, to version: ListVersion) {
        (seen, self.edits, isReset, tellsNone) = (version, edits, false, true)
        begin((.resumption, []))
    }

    /// It is not known what has changed.
    func note(reset news: (LiveCause, Set<String>)) {
        isReset = true
        begin(news)
    }

    private func add(_ numbers: NumberSet) {
        changed += numbers.all
        guard changed.count > mostChanged else { return }
        changed = NumberSet(changed).all
        mostChanged = max(1024, changed.count * 2)
    }

    private func begin(_ news: (LiveCause, Set<String>)) {
        hasNews = true
        cause.formUnion(news.0)
        authors.formUnion(news.1)
        wake.yield()
    }

    /// Whether there is anything that was not taken; the reader of a value takes it by this alone.
    func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// Something may have changed: the next look finds out.
    func wakeUp() { wake.yield() }

    func fail(_ error: any Error) {
        failure = error
        wake.yield()
    }

    func end() { wake.finish() }

    /// What leads from what the reader knows to what the rows are; `nil` for nothing.
    func take<Object>(_ rows: LiveRows<Object>) -> LiveChange<Object>? {
        takeEdits(rows).map { edits in
            LiveChange(
                objects: rows.list, isReset: edits.isReset, deletions: edits.edits.deletions,
                insertions: edits.edits.insertions,
                moves: edits.edits.moves.map { .init(from: $0.from, to: $0.to) },
                updates: edits.edits.updates, commit: rows.commit, cause: edits.cause,
                authors: edits.authors)
        }
    }

    /// What was taken at once.
    struct Taken {
        let isReset: Bool
        let edits: ListEdits
        let cause: LiveCause
        let authors: [String]
    }

    func takeEdits<Object>(_ rows: LiveRows<Object>) -> Taken? {
        guard hasNews else { return nil }
        let version = rows.version
        defer {
            (seen, edits, changed) = (version, nil, [])
            (hasNews, isReset, cause, authors) = (false, false, [], [])
            (tellsNone, hasTakenNone) = (false, false)
        }
        if isReset {
            return Taken(
                isReset: true, edits: ListEdits(), cause: cause, authors: authors.sorted())
        }
        let edits =
            edits ?? seen.edits(to: version, changed: NumberSet(changed), index: rows.index)
        if edits.isEmpty, !rows.mayRegroup, !tellsNone { return nil }
        return Taken(isReset: false, edits: edits, cause: cause, authors: authors.sorted())
    }
}
