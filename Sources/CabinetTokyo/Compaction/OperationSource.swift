import CabinetBackend

/// Committed operations in the order in which they were made, taken one at a time: a closed
/// segment of the log, or whatever else a snapshot is to be made of.
///
/// Not `Sendable`: it belongs to the caller that takes from it.
package protocol OperationSource: AnyObject {
    /// What comes next; `nil` at the end. Nothing is given of a commit that is not whole. The
    /// bytes live until the next call.
    func next() throws(BackendError) -> CommittedOperation?
}

/// An entry of a log.
package enum CommittedOperation {
    /// An operation that is part of the commit `commitNumber`.
    case operation(Operation, commitNumber: CommitNumber)
    /// The tables as they were after the commit `commitNumber`, as a segment's head repeats them.
    case tables([TableState], commitNumber: CommitNumber)
}
