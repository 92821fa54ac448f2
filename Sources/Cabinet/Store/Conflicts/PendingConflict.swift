import CabinetBackend

extension Store {
    /// An object with pending changes that others have changed or deleted. Both sides' deletes are
    /// no conflict.
    struct PendingConflict {
        let object: StoredObject
        /// The store holds it.
        unowned(unsafe) let storedClass: StoredClass
        let isDeleted: Bool
        /// The record that pending changes are based on, in ``TakingUp/bases``; `nil`: unknown.
        var base: Range<Int>?
        /// The record that others have saved, in ``ForeignChanges/operations``, if at hand.
        var theirs: Range<Int>?

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
