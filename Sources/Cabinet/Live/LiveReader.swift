import CabinetBackend

/// What one reader of a live list's changes has had of it, and what is to come.
final class LiveReader {
    /// The list as the reader knows it.
    private var seen = ListVersion()
    /// The only change since; `nil` if there are several, which are taken as one.
    private var edits: ListEdits?
    /// Objects whose content is another since.
    private var changed: Set<UInt64> = []
    private var hasNews = true
    private var isReset = true
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

    /// The list has become another one, by these edits; `nil`: it is not known what has changed.
    func note(_ edits: ListEdits?, changed: Set<UInt64>, _ news: (LiveCause, Set<String>)) {
        if let edits, !isReset {
            self.edits = hasNews ? nil : edits
            self.changed.formUnion(changed)
        } else {
            isReset = true
        }
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
        }
        if isReset {
            return Taken(
                isReset: true, edits: ListEdits([]), cause: cause, authors: authors.sorted())
        }
        let edits = edits ?? seen.edits(to: version, changed: changed, index: rows.index)
        if edits.isEmpty, !rows.mayRegroup { return nil }
        return Taken(isReset: false, edits: edits, cause: cause, authors: authors.sorted())
    }
}
