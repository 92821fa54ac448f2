import CabinetBackend

/// What an object with pending changes was when these were based on it, where another store has
/// changed or deleted its record since.
struct ContestedRow {
    /// The record that the pending changes are based on; `nil` if it is not known.
    let base: ArraySlice<UInt8>?
    /// Whether the record is there no more.
    var isDeleted: Bool
}
