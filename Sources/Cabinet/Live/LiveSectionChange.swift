import CabinetBackend

/// What has changed of a live list in sections since the change before, as a view of it applies that.
///
/// ``sectionDeletions``, ``deletions`` and the `from` of ``moves`` count in the list before the change,
/// all others in ``sections``. Objects that go or come with their section are not named one by one. Not
/// `Sendable`, as the objects are not.
public struct LiveSectionChange<Key, Object: StoredObject> {
    /// Where an object stands.
    public typealias Place = SectionPlace

    /// The sections as of this change, and not newer ones.
    public let sections: [LiveSection<Key, Object>]
    /// Whether the list is to be taken as a whole, as ``LiveChange/isReset`` says.
    public let isReset: Bool
    /// The sections that have gone, in ascending order.
    public private(set) var sectionDeletions: [Int] = []
    /// The sections that have come, in ascending order.
    public private(set) var sectionInsertions: [Int] = []
    /// Where objects have left sections that are still there.
    public private(set) var deletions: [Place] = []
    /// Where objects have entered sections that were there before.
    public private(set) var insertions: [Place] = []
    /// Objects that have moved, within a section or between two that were there before and still are.
    public private(set) var moves: [(from: Place, to: Place)] = []
    /// Objects with other content that were there before, in sections that were.
    public private(set) var updates: [Place] = []
    /// As of a ``LiveChange``.
    public let commit: CommitNumber
    /// As of a ``LiveChange``.
    public let cause: LiveCause
    /// As of a ``LiveChange``.
    public let authors: [String]

    private let store: Store

    init(
        _ taken: LiveReader.Taken, from before: [SectionSource<Key, Object>.Section],
        to sections: [LiveSection<Key, Object>], of source: SectionSource<Key, Object>
    ) {
        (self.sections, isReset, store) = (sections, taken.isReset, source.rows.store)
        commit = source.rows.commit
        (cause, authors) = (taken.cause, taken.authors)
        if taken.isReset { return }
        let edits = SectionEdits(
            taken.edits, from: before.map(\.range), to: sections.map(\.range)
        ) { source.compare(before[$0].key, sections[$1].key) }
        (sectionDeletions, sectionInsertions) = (edits.sectionDeletions, edits.sectionInsertions)
        (deletions, insertions) = (edits.deletions, edits.insertions)
        (moves, updates) = (edits.moves, edits.updates)
    }

    /// As ``LiveChange/position()``.
    /// - Throws: as that does.
    public func position() throws -> ChangePosition {
        try store.checkOpen()
        return try store.backend.position(of: commit)
    }

    fileprivate var isEmpty: Bool {
        !isReset && sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty
            && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }
}

/// The changes of a live list in sections, as ``LiveChanges`` are those of a list without.
public struct LiveSectionChanges<Key, Object: StoredObject>: AsyncSequence {
    let source: SectionSource<Key, Object>
    /// What the reader knows; `nil` for nothing.
    var start: ChangePosition?

    /// A walk over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: SectionSource<Key, Object>
        private var start: ChangePosition?
        private var walk: LiveWalk
        private var seen: [SectionSource<Key, Object>.Section] = []

        fileprivate init(_ source: SectionSource<Key, Object>, _ start: ChangePosition?) {
            (self.source, self.start, walk) = (source, start, LiveWalk(source.rows))
        }

        /// The next change; `nil` once the store is closed or the task is cancelled.
        /// - Throws: as ``LiveChanges/Iterator/next(isolation:)``.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> LiveSectionChange<Key, Object>? {
            let (source, position) = (source, start)
            start = nil
            var before = seen
            while true {
                let taken = try await walk.next(isolation: isolation) { reader in
                    if let position, reader.hasTakenNone,
                        let known = try source.findSince(position)
                    {
                        reader.resume(known.edits, to: source.rows.version)
                        before = known.former
                    }
                    return reader.takeEdits(source.rows)
                }
                guard let taken else { return nil }
                seen = source.find()
                let change = LiveSectionChange(
                    taken, from: before, to: source.sections(seen), of: source)
                if !change.isEmpty || taken.cause == .resumption { return change }
                before = seen
            }
        }

        /// As ``next(isolation:)``, in the caller's isolation domain.
        public nonisolated(nonsending) mutating func next() async throws -> LiveSectionChange<
            Key, Object
        >? {
            try await next(isolation: #isolation)
        }
    }

    /// A new walk, which begins with the list as it is, or with what has changed since a position.
    public func makeAsyncIterator() -> Iterator { Iterator(source, start) }
}
