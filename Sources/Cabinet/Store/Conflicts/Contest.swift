import CabinetBackend

extension Store {
    /// An object with pending changes that others have changed or deleted; not both at once by this
    /// store and others.
    struct Contest {
        let object: StoredObject
        /// The store holds it.
        unowned(unsafe) let storedClass: StoredClass
        /// Whether others have deleted it.
        let isDeleted: Bool
        /// Where the record that the pending changes are based on lies in ``TakingUp/bases``;
        /// `nil`: it is not known.
        var base: Range<Int>?
        /// Where the record that others have saved lies in ``ForeignChanges/operations``, if it is
        /// at hand.
        var theirs: Range<Int>?

        /// What stands for the object's class and row.
        var key: UInt64 { ChangeLog.key(storedClass, object.rowID) }

        var kind: ObjectConflict.Kind {
            isDeleted
                ? .deletedElsewhere : object.state.contains(.deleted) ? .deletedHere : .changed
        }

        /// Whether both sides have a record, and what this side's is based on is known.
        var hasRecords: Bool {
            base != nil && kind == .changed && object.state.isDisjoint(with: [.fault, .unreadable])
        }
    }
}
