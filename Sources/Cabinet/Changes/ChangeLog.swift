import CabinetBackend

/// The changes of one step in their order, with what it takes to take them back.
final class ChangeLog {
    /// One change of one object. The object is found by its row: the instance that anyone still
    /// holds, else a new one.
    struct Entry {
        enum Kind { case inserted, updated, deleted }

        let kind: Kind
        // The store owns its classes and its steps.
        unowned(unsafe) let home: StoredClass
        let row: RowID
        /// What the object was to its store before.
        let priorState: ObjectState
        /// The content before an update or a delete; `nil` if it was not known or is in place. That
        /// of an update is without lists, but for classes that write themselves, and refreshed
        /// objects.
        let image: ContentImage?
        /// What an update made of one list.
        var list: ListEdit?
        /// Keeps an object that the store never saved, and would forget.
        let object: StoredObject?

        /// What stands for the object's class and row.
        var key: UInt64 { ChangeLog.key(home, row) }

        /// How much memory the entry takes, in bytes.
        fileprivate var size: Int { 64 + (image?.size ?? 0) + (list?.size ?? 0) }

        /// Whether taking back the entry gives the object its lists back, too.
        fileprivate var isWhole: Bool { list == nil && image?.isWhole != false }
    }

    @exclusivity(unchecked) private(set) var entries: [Entry] = []
    /// How much memory the log takes, in bytes.
    @exclusivity(unchecked) private(set) var size = 0
    /// Whether somebody recorded from the beginning, so that every delete has its image.
    let isUndoable: Bool
    /// Whether the step holds changes that go on with the read of an object, which is never taken
    /// back but with the whole step.
    var holdsRead = false
    /// Objects whose content without lists at the beginning of the step is known. As the next one,
    /// it is filled once there are more entries than a look through all of them is worth.
    @exclusivity(unchecked) private var covered: Set<UInt64> = []
    /// Objects of which it is known with lists.
    @exclusivity(unchecked) private var coveredWhole: Set<UInt64> = []
    private static let fewEntries = 8
    /// Edits of lists that changed nothing, of which there still are entries.
    @exclusivity(unchecked) private var emptyEdits: Set<ObjectIdentifier> = []

    init(isUndoable: Bool) { self.isUndoable = isUndoable }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether the object's content at the beginning of the step is known already, but for lists.
    func covers(_ object: StoredObject, of home: StoredClass) -> Bool {
        !entries.isEmpty && covers(Self.key(home, object.rowID))
    }

    /// Whether what stood in the object's lists at the beginning of the step is known already.
    func coversLists(of object: StoredObject, _ home: StoredClass) -> Bool {
        !entries.isEmpty && coversLists(Self.key(home, object.rowID))
    }

    /// Whether the content of any object that `other` has changed is known as it was at the
    /// beginning of this step.
    func covers(anyOf other: ChangeLog) -> Bool {
        other.entries.contains { covers($0.key) }
    }

    private func covers(_ key: UInt64) -> Bool {
        if entries.count > Self.fewEntries {
            return covered.contains(key) || coveredWhole.contains(key)
        }
        return entries.indices.contains {
            entries[$0].key == key && (entries[$0].list == nil)
        }
    }

    private func coversLists(_ key: UInt64) -> Bool {
        if entries.count > Self.fewEntries { return coveredWhole.contains(key) }
        return entries.indices.contains { entries[$0].key == key && entries[$0].isWhole }
    }

    func append(_ entry: Entry) {
        // Most steps have two.
        if entries.isEmpty { entries.reserveCapacity(2) }
        entries.append(entry)
        size += entry.size
        if entries.count <= Self.fewEntries { return }
        if entries.count == Self.fewEntries + 1 {
            for entry in entries { noteCovered(entry) }
        } else {
            noteCovered(entry)
        }
    }

    private func noteCovered(_ entry: Entry) {
        if entry.isWhole {
            coveredWhole.insert(entry.key)
        } else if entry.list == nil {
            covered.insert(entry.key)
        }
    }

    /// The edit of a list, which was appended when it began, has made of it what `change` says.
    func end(_ edit: ListEdit, with change: ListChange, in context: ObjectContext) {
        size -= edit.size
        edit.end(with: change, in: context)
        size += edit.size
    }

    /// The edit of a list, which was appended when it began, has changed nothing.
    func remove(_ edit: ListEdit) {
        if let last = entries.last, last.list === edit {
            size -= last.size
            entries.removeLast()
        } else {
            emptyEdits.insert(ObjectIdentifier(edit))
        }
    }

    /// Takes out the entries of edits that changed nothing.
    func removeEmptyEdits() {
        if emptyEdits.isEmpty { return }
        size = 0
        entries.removeAll { $0.list.map { emptyEdits.contains(ObjectIdentifier($0)) } ?? false }
        for entry in entries { size += entry.size }
        emptyEdits = []
    }

    /// Appends the changes of a step within this one.
    func append(contentsOf inner: ChangeLog) {
        if inner.holdsRead { holdsRead = true }
        for entry in inner.entries {
            if entry.kind == .updated {
                if coversLists(entry.key) { continue }
                let isOfValues = entry.list == nil && !entry.isWhole
                if isOfValues, covers(entry.key) { continue }
            }
            append(entry)
        }
    }

    private static func key(_ home: StoredClass, _ row: RowID) -> UInt64 {
        UInt64(home.number) << 32 | UInt64(row)
    }
}
