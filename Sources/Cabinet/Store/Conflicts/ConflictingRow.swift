import CabinetBackend

/// What a pending object was before its changes, where another store has changed it since.
struct ConflictingRow {
    /// The record that the pending changes are based on; `nil` if it is not known.
    let base: ArraySlice<UInt8>?
    var isDeleted: Bool
}

extension Store {
    /// Whether others have deleted an object that has changed here: queries leave it out until the
    /// conflict is resolved.
    func isGoneElsewhere(_ object: StoredObject, _ storedClass: StoredClass) -> Bool {
        if conflicting.isEmpty || object.state.contains(.inserted) { return false }
        return conflicting[ChangeLog.key(storedClass, object.rowID)]?.isDeleted == true
    }
}
