import CabinetBackend

/// The changes of one step in their order, with what it takes to take them back.
final class ChangeLog {
    /// One change of one object. The object is found by its row: the instance that anyone still
    /// holds, else a new one.
    struct Entry {
        enum Kind { case inserted, updated, deleted }

        let kind: Kind
        let home: StoredClass
        let row: RowID
        /// What the object was to its store before.
        let priorState: ObjectState
        /// The content before an update or a delete; `nil` if it was not known or is in place.
        let image: ContentImage?
        /// Keeps an object that the store never saved, and would forget.
        let object: StoredObject?

        /// What stands for the object's class and row.
        var key: UInt64 { ChangeLog.key(home, row) }
    }

    private(set) var entries: [Entry] = []
    /// How much memory the log takes, in bytes.
    private(set) var size = 0
    /// Whether somebody recorded from the beginning, so that every delete has its image.
    let isUndoable: Bool
    /// Whether the step holds changes that go on with the read of an object, which is never taken
    /// back but with the whole step.
    var holdsRead = false
    private var covered: Set<UInt64> = []

    init(isUndoable: Bool) { self.isUndoable = isUndoable }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether the object's content at the beginning of the step is known already.
    func covers(_ object: StoredObject, of home: StoredClass) -> Bool {
        covered.contains(Self.key(home, object.rowID))
    }

    /// Whether the content of any object that `other` has changed is known as it was at the
    /// beginning of this step.
    func covers(anyOf other: ChangeLog) -> Bool {
        other.entries.contains { covered.contains($0.key) }
    }

    func append(_ entry: Entry) {
        covered.insert(entry.key)
        entries.append(entry)
        size += 64 + (entry.image?.size ?? 0)
    }

    /// Appends the changes of a step within this one.
    func append(contentsOf inner: ChangeLog) {
        if inner.holdsRead { holdsRead = true }
        for entry in inner.entries {
            let isKnown = covered.contains(entry.key)
            if entry.kind == .updated, isKnown { continue }
            append(entry)
        }
    }

    private static func key(_ home: StoredClass, _ row: RowID) -> UInt64 {
        UInt64(home.number) << 32 | UInt64(row)
    }
}
