import CabinetBackend

/// The committed operations of one closed segment, taken one at a time.
final class SegmentSource: OperationSource {
    private let commits: CommitReader
    private var commitNumber: CommitNumber = 0
    /// Where the bodies begin that are still to be read of the current commit.
    private var bodies: ArraySlice<UInt64> = []
    private var operations: OperationReader?

    init(
        _ link: SegmentChain.Link, store: UInt64, files: any FileLayer
    ) throws(BackendError) {
        commits = CommitReader(
            try SegmentReader(
                files: files, path: link.path, number: link.number, store: store,
                limit: link.limit))
    }

    func next() throws(BackendError) -> CommittedOperation? {
        while true {
            if let operation = operations?.next() {
                return .operation(operation, commitNumber: commitNumber)
            }
            if operations?.isDamaged == true {
                throw .corrupt(path: commits.reader.path, offset: commits.offset)
            }
            operations = nil
            if let offset = bodies.popFirst() {
                guard let frame = try commits.reader.frame(at: offset) else {
                    throw .corrupt(path: commits.reader.path, offset: offset)
                }
                operations = OperationReader(frame.body)
                continue
            }
            switch try commits.next() {
            case .tables(let list): return .tables(list, commitNumber: commits.lastCommit)
            case .session: continue
            case .commit(let commit):
                commitNumber = commit.number
                bodies = (commit.chunks + [commit.header.offset])[...]
            case nil:
                guard commits.isAtLimit else {
                    throw .corrupt(path: commits.reader.path, offset: commits.offset)
                }
                return nil
            }
        }
    }
}
