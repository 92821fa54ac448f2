import CabinetBackend

/// A walk over the commits of the feed. It keeps the number of the last one that it met.
final class SQLChangeCursor: ChangeCursor {
    private let core: SQLCore
    private var last: CommitNumber

    /// - Throws: ``BackendError/changesGone(oldest:)`` if some of the commits after the number are not kept.
    init(_ core: SQLCore, after number: CommitNumber) throws(BackendError) {
        self.core = core
        last = number
        try core.read(asOf: nil) { state throws(BackendError) in
            try Self.check(number, in: state)
        }
    }

    private static func check(_ number: CommitNumber, in state: StateAsOf) throws(BackendError) {
        let oldest = state.session.state.feedOldest
        guard number.number >= oldest, number.rawValue <= UInt64(state.commit) else {
            throw .changesGone(oldest: CommitNumber(number: oldest))
        }
    }

    func next() throws(BackendError) -> CommittedChanges? {
        let found = try core.read(asOf: nil) { state throws(BackendError) in
            try Self.check(last, in: state)
            return last.number < state.commit ? try changes(last.next, in: state.session) : nil
        }
        if let found { last = found.number }
        return found
    }

    private func changes(
        _ number: CommitNumber, in session: Session
    ) throws(BackendError) -> CommittedChanges {
        let statement = try session.statement(.commit)
        defer { statement.reset() }
        statement.bind(number.number)
        guard try statement.step() else { throw session.damaged("commit \(number)") }
        let time = UInt64(bitPattern: statement.number(0))
        let author = UInt32(truncatingIfNeeded: statement.number(1))
        guard statement.isNull(3) else {
            return CommittedChanges(
                number: number, time: time, author: author,
                operations: [UInt8](statement.bytes(3)))
        }
        return CommittedChanges(
            number: number, time: time, author: author, size: Int(statement.number(2)),
            pieces: CommitParts(core: core, number: number))
    }
}

/// The operations of a large commit, part by part.
private struct CommitParts: ChangePieces {
    let core: SQLCore
    let number: CommitNumber

    func forEachPiece(
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError) {
        var part: Int64 = 0
        while let bytes = try bytes(of: part) {
            // Outside of the transaction, as it may take its time.
            try bytes.withUnsafeBytesThrowing(body)
            part += 1
        }
    }

    private func bytes(of part: Int64) throws(BackendError) -> [UInt8]? {
        try core.pool.read { session throws(BackendError) in
            guard session.state.feedOldest < number.number else {
                throw .changesGone(oldest: CommitNumber(number: session.state.feedOldest))
            }
            let statement = try session.statement(.part)
            defer { statement.reset() }
            statement.bind(number.number, part)
            return try statement.step() ? [UInt8](statement.bytes(0)) : nil
        }
    }
}
