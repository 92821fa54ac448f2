import CabinetBackend

/// What commits have changed of an arrangement, as a view of its groups applies that.
///
/// ``groupDeletions``, ``deletions`` and the `from` of ``moves`` count in the arrangement before the
/// changes, all others in ``groups``. Objects that go or come with their group are not named one by
/// one.
public struct ArrangementChange<Key> {
    /// The groups as of ``commit``.
    public let groups: [ArrangedGroup<Key>]
    /// Whether the arrangement is to be taken as a whole: it is not known what has changed. Then there
    /// are no indices.
    public let isReset: Bool
    /// The groups that have gone, in ascending order.
    public let groupDeletions: [Int]
    /// The groups that have come, in ascending order.
    public let groupInsertions: [Int]
    /// Where objects have left groups that are still there.
    public let deletions: [SectionPlace]
    /// Where objects have entered groups that were there before.
    public let insertions: [SectionPlace]
    /// Objects that have moved, within a group or between two that were there before and still are.
    public let moves: [(from: SectionPlace, to: SectionPlace)]
    /// Objects whose records were written, that were there before, in groups that were.
    public let updates: [SectionPlace]
    /// The commit as of which the groups are.
    public let commit: CommitNumber

    init(_ edits: SectionEdits?, to groups: [ArrangedGroup<Key>], at commit: CommitNumber) {
        (self.groups, self.commit, isReset) = (groups, commit, edits == nil)
        (groupDeletions, groupInsertions) =
            (edits?.sectionDeletions ?? [], edits?.sectionInsertions ?? [])
        (deletions, insertions) = (edits?.deletions ?? [], edits?.insertions ?? [])
        (moves, updates) = (edits?.moves ?? [], edits?.updates ?? [])
    }
}

extension ArrangementChange: Sendable where Key: Sendable {}

extension ArrangedObjects {
    /// The position of the store's ``Store/basis``: what ``changes(since:)`` goes on from, also in a later run.
    /// - Throws: ``BackendError/unsupported(_:)`` without ``BackendFeatures/lines``.
    public func position() throws -> ChangePosition {
        try store.checkOpen()
        _ = store.reader
        return try store.backend.position(of: store.basis)
    }

    /// What commits have changed of the arrangement after a position, up to the store's ``Store/basis``.
    /// Pending changes do not count.
    ///
    /// ```swift
    /// let shown = try byArtist.position()
    /// …
    /// let change = try byArtist.changes(since: shown)
    /// ```
    ///
    /// It is found in the entries of the arrangement that the commits have put and deleted. Where that is not
    /// possible, ``ArrangementChange/isReset`` says so: the engine does not keep those commits any more
    /// (``Backend/keepChanges(after:for:limit:)`` has it keep them) or keeps none, the position is of
    /// another store or lies behind the basis, or meanwhile an index of one of the classes was registered, built, or
    /// left behind by a program that does not know it, or more than 262,144 objects have changed.
    ///
    /// Cost: those commits are read; some look-ups for each object that they have changed, and two for
    /// each group.
    /// - Parameter position: what ``position()`` gave, or ``StoreCommit/position``.
    /// - Throws: ``StoreError/incompleteIndexes(_:)`` while the arrangement is not complete; otherwise
    ///   as ``groups()``.
    public func changes(since position: ChangePosition) throws -> ArrangementChange<Key> {
        try withKeys(includingPending: false) { keys in
            let groups = try keys.groups(Key.self)
            let touched = try store.touchedKeys(of: keys.parts, after: position.commit) {
                () throws(BackendError) in try store.backend.changes(after: position)
            }
            let difference = try touched.map { try ArrangementDifference($0, keys, in: store) }
            let edits = try difference.flatMap { try sections($0, keys, groups) }
            return ArrangementChange(edits, to: groups, at: store.basis)
        }
    }

    private func sections(
        _ difference: ArrangementDifference, _ keys: ArrangedKeys, _ groups: [ArrangedGroup<Key>]
    ) throws -> SectionEdits? {
        let present = groups.reduce(0) { $0 + $1.count }
        let former = present - difference.after.count + difference.before.count
        guard difference.leads(from: former, to: present) else { return nil }
        let before = try keys.groups(
            groups, without: difference.entering.map(\.key), with: difference.leaving.map(\.key))
        return SectionEdits(difference.edits(), from: before.ranges(), to: groups.ranges()) {
            before[$0].compare(to: groups[$1])
        }
    }
}

extension Store {
    /// What commits after one, up to the store's basis, have changed in complete indexes; `nil` if that is
    /// not known.
    /// - Parameter changes: begins a walk over these commits.
    func touchedKeys(
        of parts: [ClassIndex], after commit: CommitNumber,
        by changes: () throws(BackendError) -> any ChangeCursor
    ) throws(BackendError) -> TouchedKeys? {
        guard backend.features.contains(.changes), commit <= basis else { return nil }
        var touched = TouchedKeys(parts)
        do throws(BackendError) {
            let cursor = try changes()
            var reached = commit
            while reached < basis {
                guard let next = try cursor.next() else { return nil }
                reached = next.number
                if reached <= basis { try touched.take(next) }
                if !touched.isKnown { return nil }
            }
        } catch {
            switch error {
            case .changesGone, .unsupported: return nil
            default: throw error
            }
        }
        return touched
    }
}
