import CabinetBackend

/// What a pending object was before its changes, where another store has changed it since.
struct ConflictingRow {
    /// The record that the pending changes are based on; `nil` if it is not known.
    let base: ArraySlice<UInt8>?
    var isDeleted: Bool
}
