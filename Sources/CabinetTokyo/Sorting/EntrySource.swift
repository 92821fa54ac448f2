import CabinetBackend

/// Entries, sorted and each row or key at most once, taken one at a time.
///
/// Not `Sendable`: it belongs to one walk.
protocol EntrySource: AnyObject {
    /// The next entry; `nil` at the end. Its bytes live until the next call.
    func next() throws(BackendError) -> TableEntry?
}
