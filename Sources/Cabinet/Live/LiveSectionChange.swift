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

    init(
        _ taken: LiveReader.Taken, from before: [LiveSection<Key, Object>],
        to sections: [LiveSection<Key, Object>], at commit: CommitNumber,
        compare: (Key, Key) -> Int
    ) {
        (self.sections, isReset, self.commit) = (sections, taken.isReset, commit)
        (cause, authors) = (taken.cause, taken.authors)
        if taken.isReset { return }
        let edits = SectionEdits(
            taken.edits, from: before.map(\.range), to: sections.map(\.range)
        ) { compare(before[$0].key, sections[$1].key) }
        (sectionDeletions, sectionInsertions) = (edits.sectionDeletions, edits.sectionInsertions)
        (deletions, insertions) = (edits.deletions, edits.insertions)
        (moves, updates) = (edits.moves, edits.updates)
    }

    fileprivate var isEmpty: Bool {
        !isReset && sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty
            && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }
}

/// The changes of a live list in sections, as ``LiveChanges`` are those of a list without.
public struct LiveSectionChanges<Key, Object: StoredObject>: AsyncSequence {
    let rows: QueriedRows<Object>
    let compare: (Key, Key) -> Int

    /// A walk over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let changes: LiveSectionChanges
        private var walk: LiveWalk
        private var seen: [LiveSection<Key, Object>] = []

        fileprivate init(_ changes: LiveSectionChanges) {
            (self.changes, walk) = (changes, LiveWalk(changes.rows))
        }

        /// The next change; `nil` once the store is closed or the task is cancelled.
        /// - Throws: as ``LiveChanges/Iterator/next(isolation:)``.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> LiveSectionChange<Key, Object>? {
            let rows = changes.rows
            while let taken = try await walk.next(isolation: isolation, { $0.takeEdits(rows) }) {
                let before = seen
                seen = LiveSections<Key, Object>.sections(of: rows)
                let change = LiveSectionChange(
                    taken, from: before, to: seen, at: rows.commit, compare: changes.compare)
                if !change.isEmpty { return change }
            }
            return nil
        }

        /// As ``next(isolation:)``.
        public mutating func next() async throws -> LiveSectionChange<Key, Object>? {
            try await next(isolation: nil)
        }
    }

    /// A new walk, which begins with the list as it is.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}
