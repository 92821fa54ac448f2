import CabinetBackend

/// What has changed of a live list in sections since the change before, as a view of it applies that.
///
/// ``sectionDeletions``, ``deletions`` and the `from` of ``moves`` count in the list before the change,
/// all others in ``sections``. Objects that go or come with their section are not named one by one. Not
/// `Sendable`, as the objects are not.
public struct LiveSectionChange<Key, Object: StoredObject> {
    /// Where an object stands. `Sendable`: a value.
    public struct Place: Hashable, Sendable {
        /// The index of the section.
        public let section: Int
        /// The index within the section.
        public let index: Int
    }

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
        compareSections(before, compare)
        let (gone, come) = (Set(sectionDeletions), Set(sectionInsertions))
        // What stays in its place may belong to another section, as its value has changed.
        let steps = taken.edits.moves + taken.edits.kept
        let moved = Set(taken.edits.moves.map(\.to))
        var kept: Set<Int> = []
        for step in steps {
            let (from, to) = (
                Self.place(of: step.from, in: before), Self.place(of: step.to, in: sections)
            )
            switch (gone.contains(from.section), come.contains(to.section)) {
            case (true, true): break
            case (true, false): insertions.append(to)
            case (false, true): deletions.append(from)
            case (false, false):
                kept.insert(step.to)
                let isSame = compare(before[from.section].key, sections[to.section].key) == 0
                if !isSame || moved.contains(step.to) {
                    moves.append((from, to))
                }
            }
        }
        let stepped = Set(steps.map(\.to))
        for index in taken.edits.deletions {
            let place = Self.place(of: index, in: before)
            if !gone.contains(place.section) { deletions.append(place) }
        }
        for index in taken.edits.insertions {
            let place = Self.place(of: index, in: sections)
            if !come.contains(place.section) { insertions.append(place) }
        }
        for index in taken.edits.updates where kept.contains(index) || !stepped.contains(index) {
            updates.append(Self.place(of: index, in: sections))
        }
    }

    fileprivate var isEmpty: Bool {
        !isReset && sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty
            && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }

    private mutating func compareSections(
        _ before: [LiveSection<Key, Object>], _ compare: (Key, Key) -> Int
    ) {
        var (old, new) = (0, 0)
        while old < before.count || new < sections.count {
            let order =
                old == before.count
                ? 1 : new == sections.count ? -1 : compare(before[old].key, sections[new].key)
            if order < 0 { sectionDeletions.append(old) }
            if order > 0 { sectionInsertions.append(new) }
            if order <= 0 { old += 1 }
            if order >= 0 { new += 1 }
        }
    }

    private static func place(of index: Int, in sections: [LiveSection<Key, Object>]) -> Place {
        var (low, high) = (0, sections.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sections[middle].range.upperBound <= index {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return Place(section: low, index: index - sections[low].range.lowerBound)
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
