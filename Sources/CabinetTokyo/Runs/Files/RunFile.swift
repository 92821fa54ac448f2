import CabinetBackend

/// What was written as a run.
struct RunFile: Hashable {
    var path: String
    var span: CommitSpan
    /// In bytes.
    var size: UInt64
    var entries: UInt64
    var deletes: UInt64
    var weight: Int64
}
