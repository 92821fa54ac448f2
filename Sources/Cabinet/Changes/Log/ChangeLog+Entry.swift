import CabinetBackend

extension ChangeLog {
    /// One change of one object, which is found by its row: the instance that anything still holds,
    /// else a new one. Not copied by accident: a copy would count three references.
    struct Entry: ~Copyable {
        enum Kind { case inserted, updated, deleted }

        let kind: Kind
        // Owned by the store. `unowned(unsafe)` counts references each time it is read.
        let classReference: Unmanaged<StoredClass>
        let row: RowID
        /// What the object was to its store before.
        var priorState: ObjectState
        /// The content before an update or a delete; `nil` if it was not known or is in place. An
        /// update's is without lists, except for classes that write themselves and refreshed
        /// objects.
        let image: ContentImage?
        /// What an update made of one list, if it is a change of a list alone.
        var list: ListEdit
        /// The number of that edit while it goes on; 0 afterwards.
        var edit: UInt32 = 0
        /// Keeps an object that the store never saved, and would forget.
        let object: StoredObject?

        /// A change that is not one of a list alone.
        @inline(__always)
        init(
            kind: Kind, storedClass: StoredClass, row: RowID, priorState: ObjectState,
            image: __owned ContentImage?, object: StoredObject?
        ) {
            (self.kind, self.row) = (kind, row)
            classReference = .passUnretained(storedClass)
            (self.priorState, self.image, self.object) = (priorState, image, object)
            list = .none
        }

        @inline(__always)
        init(
            _ list: consuming ListEdit, _ edit: UInt32, of classReference: Unmanaged<StoredClass>,
            _ row: RowID, priorState: ObjectState
        ) {
            kind = .updated
            self.classReference = classReference
            self.row = row
            self.priorState = priorState
            image = nil
            self.list = list
            self.edit = edit
            object = nil
        }

        init(copying other: borrowing Entry) {
            kind = other.kind
            classReference = other.classReference
            row = other.row
            priorState = other.priorState
            image = other.image
            list = ListEdit(copying: other.list)
            edit = other.edit
            object = other.object
        }

        var storedClass: StoredClass { classReference.takeUnretainedValue() }

        var key: UInt64 { ChangeLog.key(storedClass, row) }

        /// How much memory the entry takes, in bytes.
        var size: Int { Self.leastSize + (image?.size ?? 0) + list.size }
        static var leastSize: Int { 96 }

        /// Whether taking back the entry gives the object its lists back, too.
        var isWhole: Bool { !list.isThere && image?.isWhole != false }
    }

    /// See ``Entry/key``.
    static func key(_ storedClass: StoredClass, _ row: RowID) -> UInt64 {
        UInt64(storedClass.number) << 32 | UInt64(row.rawValue)
    }

    /// Which objects the step has changed, and how, in the order of its entries.
    var changes: [(kind: Entry.Kind, storedClass: StoredClass, row: RowID)] {
        (0..<count).map { index in
            withEntry(at: index) { ($0.pointee.kind, $0.pointee.storedClass, $0.pointee.row) }
        }
    }
}
