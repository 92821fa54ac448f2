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
        /// The content before an update or a delete.
        let image: ContentImage?
        /// Keeps an object that the store never saved, and would forget.
        let object: StoredObject?
    }

    private(set) var entries: [Entry] = []
    private(set) var size = 0
    private var covered: Set<UInt64> = []

    var isEmpty: Bool { entries.isEmpty }

    /// Whether the object's content at the beginning of the step is known already.
    func covers(_ object: StoredObject, of home: StoredClass) -> Bool {
        covered.contains(Self.key(home, object.rowID))
    }

    func append(_ entry: Entry) {
        covered.insert(Self.key(entry.home, entry.row))
        entries.append(entry)
        size += 64 + (entry.image?.size ?? 0)
    }

    /// Appends the changes of a step within this one.
    func append(contentsOf inner: ChangeLog) {
        for entry in inner.entries {
            let isKnown = covered.contains(Self.key(entry.home, entry.row))
            if entry.kind == .updated, isKnown { continue }
            append(entry)
        }
    }

    private static func key(_ home: StoredClass, _ row: RowID) -> UInt64 {
        UInt64(home.number) << 32 | UInt64(row)
    }
}
