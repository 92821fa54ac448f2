import CabinetBackend

/// The changes of one step in their order, with the data needed to take them back.
final class ChangeLog {
    /// One change of one object. The object is found by its row: the instance that anyone still
    /// holds, else a new one.
    struct Entry {
        enum Kind { case inserted, updated, deleted }

        let kind: Kind
        // The store owns its classes and its steps.
        unowned(unsafe) let storedClass: StoredClass
        let row: RowID
        /// What the object was to its store before.
        fileprivate(set) var priorState: ObjectState
        /// The content before an update or a delete; `nil` if it was not known or is in place. That
        /// of an update is without lists, but for classes that write themselves, and refreshed
        /// objects.
        let image: ContentImage?
        /// What an update made of one list.
        fileprivate(set) var list: ListEdit?
        /// The number of that edit while it goes on; 0 afterwards.
        fileprivate var edit: UInt32 = 0
        /// Keeps an object that the store never saved, and would forget.
        let object: StoredObject?

        /// A change that is not one of a list alone.
        init(
            kind: Kind, storedClass: StoredClass, row: RowID, priorState: ObjectState,
            image: ContentImage?, object: StoredObject?
        ) {
            (self.kind, self.storedClass, self.row) = (kind, storedClass, row)
            (self.priorState, self.image, self.object) = (priorState, image, object)
            list = nil
        }

        /// A change of one list.
        @inline(__always)
        fileprivate init(
            _ list: consuming ListEdit, _ edit: UInt32, storedClass: StoredClass, row: RowID,
            priorState: ObjectState
        ) {
            kind = .updated
            self.storedClass = storedClass
            self.row = row
            self.priorState = priorState
            image = nil
            self.list = list
            self.edit = edit
            object = nil
        }

        /// What stands for the object's class and row.
        var key: UInt64 { ChangeLog.key(storedClass, row) }

        /// How much memory the entry takes, in bytes.
        fileprivate var size: Int { Self.leastSize + (image?.size ?? 0) + (list?.size ?? 0) }
        fileprivate static var leastSize: Int { 96 }

        /// Whether taking back the entry gives the object its lists back, too.
        fileprivate var isWhole: Bool { list == nil && image?.isWhole != false }
    }

    /// The objects that a long log has changed, so that no search of its entries is needed.
    private final class Covered {
        /// Objects whose content without lists at the beginning of the step is known.
        @exclusivity(unchecked) var values: Set<UInt64> = []
        /// Objects of which it is known with lists.
        @exclusivity(unchecked) var whole: Set<UInt64> = []
    }

    @exclusivity(unchecked) private(set) var entries: [Entry] = []
    /// How much memory the log takes, in bytes.
    @exclusivity(unchecked) private(set) var size = 0
    /// Whether a recorder was set when the log began, so that every delete has its image.
    let isUndoable: Bool
    /// Whether the step holds changes that go on with the read of an object, which is never taken
    /// back but with the whole step.
    @exclusivity(unchecked) var holdsRead = false
    /// Whether there are entries of edits that changed nothing.
    @exclusivity(unchecked) private var hasEmptyEdits = false
    /// Made once there are more entries than a look through all of them is worth.
    @exclusivity(unchecked) private var covered: Covered?
    private static let fewEntries = 8

    /// What others had changed when the log began: see ``ForeignEdits``.
    let serial: UInt32

    init(isUndoable: Bool, serial: UInt32 = 0) {
        self.isUndoable = isUndoable
        self.serial = serial
    }

    var isEmpty: Bool { entries.isEmpty }

    // MARK: What is known

    /// Whether the object's content at the beginning of the step is known already, but for lists.
    func covers(_ object: StoredObject, of storedClass: StoredClass) -> Bool {
        !entries.isEmpty && covers(storedClass, object.rowID)
    }

    /// Whether what stood in the object's lists at the beginning of the step is known already.
    func coversLists(of object: StoredObject, _ storedClass: StoredClass) -> Bool {
        !entries.isEmpty && coversLists(storedClass, object.rowID)
    }

    /// Whether the content of any object that `other` has changed is known as it was at the
    /// beginning of this step.
    func covers(anyOf other: ChangeLog) -> Bool {
        other.entries.contains { covers($0.storedClass, $0.row) }
    }

    private func covers(_ storedClass: StoredClass, _ row: RowID) -> Bool {
        if let covered {
            let key = Self.key(storedClass, row)
            return covered.values.contains(key) || covered.whole.contains(key)
        }
        return hasEntry(of: storedClass, row) { $0.pointee.list == nil }
    }

    private func coversLists(_ storedClass: StoredClass, _ row: RowID) -> Bool {
        if let covered { return covered.whole.contains(Self.key(storedClass, row)) }
        return hasEntry(of: storedClass, row) { $0.pointee.isWhole }
    }

    /// Whether `condition` is true of an entry of the object. No entry is copied.
    @inline(__always)
    private func hasEntry(
        of storedClass: StoredClass, _ row: RowID, _ condition: (UnsafePointer<Entry>) -> Bool
    ) -> Bool {
        entries.withUnsafeBufferPointer { entries in
            guard let first = entries.baseAddress else { return false }
            for index in 0..<entries.count {
                let entry = first + index
                if entry.pointee.row == row, entry.pointee.storedClass === storedClass,
                    condition(entry)
                {
                    return true
                }
            }
            return false
        }
    }

    /// What stands for the object at `row`.
    static func key(_ storedClass: StoredClass, _ row: RowID) -> UInt64 {
        UInt64(storedClass.number) << 32 | UInt64(row.rawValue)
    }

    /// Calls `body` with where each entry lies, the last first: no entry is copied.
    @inline(__always)
    func forEachReversed(_ body: (UnsafePointer<Entry>) throws -> Void) rethrows {
        // Whatever becomes of the log meanwhile.
        let entries = entries
        try entries.withUnsafeBufferPointer { entries in
            guard let first = entries.baseAddress else { return }
            var index = entries.count
            while index > 0 {
                index &-= 1
                try body(first + index)
            }
        }
    }

    // MARK: Recording

    /// Makes room for `count` more changes.
    func reserveBytes(for count: Int) { entries.reserveCapacity(entries.count + count) }

    func append(_ entry: consuming Entry) {
        // Most steps have two.
        if entries.isEmpty { entries.reserveCapacity(2) }
        size += entry.size
        entries.append(entry)
        if entries.count > Self.fewEntries { noteCovered() }
    }

    /// Appends what was made of one list. `edit` is the number of an edit that goes on.
    @inline(__always)
    func append(
        _ list: consuming ListEdit, edit: UInt32 = 0, of storedClass: StoredClass, _ row: RowID,
        priorState: ObjectState
    ) {
        if entries.isEmpty { entries.reserveCapacity(2) }
        size += Entry.leastSize + list.size
        entries.append(
            Entry(list, edit, storedClass: storedClass, row: row, priorState: priorState))
        if entries.count > Self.fewEntries { noteCovered() }
    }

    /// The last entry is noted; the first time, all are.
    private func noteCovered() {
        if let covered { return Self.note(entries[entries.count - 1], in: covered) }
        let covered = Covered()
        self.covered = covered
        for entry in entries { Self.note(entry, in: covered) }
    }

    private static func note(_ entry: Entry, in covered: Covered) {
        if entry.isWhole {
            covered.whole.insert(entry.key)
        } else if entry.list == nil {
            covered.values.insert(entry.key)
        }
    }

    /// The first entry of the object, from `index` on, was made when it was in `state`.
    func setPriorState(
        _ state: ObjectState, of object: StoredObject, _ storedClass: StoredClass, from index: Int
    ) {
        let row = object.rowID
        for index in entries.indices.dropFirst(index)
        where entries[index].row == row && entries[index].storedClass === storedClass {
            entries[index].priorState = state
            return
        }
    }

    /// Appends the changes of a step within this one.
    func append(contentsOf inner: ChangeLog) {
        if inner.holdsRead { holdsRead = true }
        for entry in inner.entries {
            if entry.kind == .updated {
                if coversLists(entry.storedClass, entry.row) { continue }
                let isOfValues = entry.list == nil && !entry.isWhole
                if isOfValues, covers(entry.storedClass, entry.row) { continue }
            }
            append(entry)
        }
    }

    // MARK: Edits of lists

    /// The edit with `number`, which was appended as the entry at `index` when it began, has made
    /// of its list what `edit` says.
    func end(_ number: UInt32, at index: Int, as edit: ListEdit) {
        guard let index = self.index(of: number, near: index) else { return }
        size += edit.size
        entries[index].list = edit
        entries[index].edit = 0
    }

    /// The edit with `number`, likewise, has changed nothing.
    func remove(_ number: UInt32, at index: Int) {
        guard let index = self.index(of: number, near: index) else { return }
        if index == entries.count - 1 {
            size -= entries[index].size
            entries.removeLast()
        } else if let relation = entries[index].list?.relation {
            entries[index].list = .nothing(relation)
            entries[index].edit = 0
            hasEmptyEdits = true
        }
    }

    /// Where the edit with `number` stands: at `index`, unless other entries were taken out or the
    /// log became part of another.
    private func index(of number: UInt32, near index: Int) -> Int? {
        if index < entries.count, entries[index].edit == number { return index }
        return entries.indices.last { entries[$0].edit == number }
    }

    /// Takes out the entries of edits that changed nothing.
    func removeEmptyEdits() {
        guard hasEmptyEdits else { return }
        hasEmptyEdits = false
        entries.removeAll { $0.list?.isNothing == true }
        size = entries.reduce(0) { $0 + $1.size }
    }
}
