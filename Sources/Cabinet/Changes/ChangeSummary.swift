import CabinetBackend

/// What commits have changed of the objects of the classes that something watches.
struct ChangeSummary {
    enum Kind { case inserted, changed, deleted }

    /// One object, once in a summary.
    struct Change {
        let row: RowID
        let kind: Kind
        /// What became another value; whole for an inserted or deleted object, or a record of an
        /// earlier layout.
        let fields: FieldSet
    }

    struct Changes {
        private(set) var all: [Change] = []
        /// What has changed of any of them.
        private(set) var fields = FieldSet()

        fileprivate mutating func append(_ change: Change) {
            all.append(change)
            fields.formUnion(change.fields)
        }
    }

    private(set) var commit: CommitNumber = 0
    /// Whether the store itself has made it; otherwise others have, perhaps in several commits.
    var isOwn = false
    /// Whether steps of undo were taken back or made again in it.
    var movesSteps = false
    /// Who has made the commits, as far as that was said.
    var authors: Set<String> = []
    /// Whether any object may have changed: it is not known which.
    private(set) var isUnknown = false
    /// The classes of which something has changed, by number, and what.
    private var classes: [UInt8] = []
    private var changes: [Changes] = []

    static func unknown(at commit: CommitNumber) -> ChangeSummary {
        var summary = ChangeSummary()
        (summary.commit, summary.isUnknown) = (commit, true)
        return summary
    }

    var isEmpty: Bool { classes.isEmpty && !isUnknown }

    /// `nil` if nothing of the class has changed, so far as is known.
    subscript(storedClass: StoredClass) -> Changes? {
        classes.firstIndex(of: storedClass.number).map { changes[$0] }
    }

    /// The numbers of the classes of which something has changed, and which fields of any object.
    var fieldsByClass: some Sequence<(UInt8, FieldSet)> {
        zip(classes, changes.lazy.map(\.fields))
    }

    /// An object that was written without a change is left out.
    mutating func note(
        _ kind: Kind, _ row: RowID, of storedClass: StoredClass, _ fields: FieldSet = .whole
    ) {
        guard !fields.isEmpty else { return }
        // Few classes are watched, and most changes are of one.
        let index: Int
        if classes.last == storedClass.number {
            index = classes.count - 1
        } else if let known = classes.firstIndex(of: storedClass.number) {
            index = known
        } else {
            index = classes.count
            classes.append(storedClass.number)
            changes.append(Changes())
        }
        changes[index].append(Change(row: row, kind: kind, fields: fields))
    }

    mutating func end(at commit: CommitNumber) { self.commit = commit }
}

/// Hears of changes of objects once they are committed, or taken up from another store.
protocol ChangeWatcher: AnyObject {
    /// Whether it watches a class: asked at the beginning, and when others have registered.
    func watches(_ storedClass: StoredClass) -> Bool

    /// Whether it asks to see both records of what changes of a class.
    func comparesRecords(of storedClass: StoredClass) -> Bool

    /// A commit that is being made, or taken up, makes `record` of `former`; `nil` for none, or one that is
    /// not known. It may be given up. Called only if it has asked for it.
    func note(
        from former: UnsafeRawBufferPointer?, to record: UnsafeRawBufferPointer?,
        of storedClass: StoredClass, _ fields: FieldSet)

    /// The store reads as of ``ChangeSummary/commit`` or a later commit. It may be read, and not saved.
    func note(_ summary: ChangeSummary)

    /// All that the store has taken up was noted.
    func didNoteAll()

    /// The store, which refreshes by itself, could not catch up with the commits of others; `nil`: it can
    /// again.
    func note(failureToRefresh error: (any Error)?)

    /// Whether it asks to hear of pending changes.
    var hearsEdits: Bool { get }

    /// Something pending may have changed.
    func noteEdit()

    /// The store was closed.
    func storeDidClose()
}

extension ChangeWatcher {
    func comparesRecords(of storedClass: StoredClass) -> Bool { false }
    func note(
        from former: UnsafeRawBufferPointer?, to record: UnsafeRawBufferPointer?,
        of storedClass: StoredClass, _ fields: FieldSet
    ) {}
    func didNoteAll() {}
    func note(failureToRefresh error: (any Error)?) {}
    var hearsEdits: Bool { false }
    func noteEdit() {}
    func storeDidClose() {}
}
