import CabinetBackend

/// A commit that failed when it was to be made safe, and may show all the same, as after a crash. `Sendable`: a
/// value.
struct LeftCommit: Sendable {
    let number: Int64
    /// When it was made. Transactions that write come one after the other, so another commit of its number has
    /// another time.
    let time: Int64
}

/// What became of commits whose outcome was not known, or is not. `Sendable`, because a lock guards its state.
final class LeftCommits: Sendable {
    private struct State {
        var open: [UInt64: LeftCommit] = [:]
        /// `nil`: it cannot be found out.
        var outcomes: [UInt64: CommitOutcome?] = [:]
    }

    private let state = Guarded(State())

    /// Those that nothing is known of yet, by their tokens.
    var open: [UInt64: LeftCommit] { state.withLock { $0.open } }

    /// Returns the commit's token.
    func add(_ commit: LeftCommit) -> UInt64 {
        let token = UInt64.random(in: 1...UInt64.max)
        state.withLock { $0.open[token] = commit }
        return token
    }

    func settle(_ outcomes: [UInt64: CommitOutcome?]) {
        state.withLock { state in
            for token in outcomes.keys { state.open[token] = nil }
            state.outcomes.merge(outcomes) { _, new in new }
        }
    }

    /// - Throws: ``BackendError/unsupported(_:)`` for a token that was not given out.
    func outcome(of token: UInt64) throws(BackendError) -> CommitOutcome? {
        let found = state.withLock { $0.open[token] == nil ? $0.outcomes[token] : .some(nil) }
        guard let found else { throw .unsupported("the outcome of a commit that is not known") }
        return found
    }
}

extension SQLCore {
    /// Makes a commit of a batch by a session, and finds out what becomes of it if it cannot be made safe.
    func commit(
        _ batch: WriteBatch, _ chunks: [UnsafeRawBufferPointer]
    ) throws(BackendError) -> Int64 {
        try pool.write { session throws(BackendError) in
            try settleLeft(session)
            let purpose = TransactionPurpose.writing(isSafe: options.durability == .full)
            var time: Int64 = 0
            do throws(BackendError) {
                let number = try session.transaction(purpose) { () throws(BackendError) in
                    time = Int64(Clock.microseconds())
                    return try make(batch, chunks, at: time, session)
                }
                session.shown.note(number)
                // While no other thread can have made a later one.
                note(last: number)
                return number
            } catch {
                guard session.connection.mayShowLater else { throw error }
                let commit = LeftCommit(number: session.state.last, time: time)
                return try settle(commit, failedWith: error, session)
            }
        }
    }

    /// Finds out what becomes of a commit that has just failed.
    /// - Returns: its number, if it was made after all.
    /// - Throws: `error`, if it was not and never will be, or ``BackendError/outcomeUnknown(token:)``.
    private func settle(
        _ commit: LeftCommit, failedWith error: BackendError, _ session: Session
    ) throws(BackendError) -> Int64 {
        let token = left.add(commit)
        do throws(BackendError) { try settleLeft(session) } catch {
            throw .outcomeUnknown(token: token)
        }
        switch try left.outcome(of: token) {
        case .committed(let number): return number.number
        case .notCommitted: throw error
        case nil: throw .outcomeUnknown(token: token)
        }
    }

    /// Makes a safe transaction, after which commits that have failed are there or never will be, and looks.
    func settleLeft(_ session: Session) throws(BackendError) {
        let commits = left.open
        guard !commits.isEmpty else { return }
        var outcomes: [UInt64: CommitOutcome?] = [:]
        try session.transaction(.writing(isSafe: true)) { () throws(BackendError) in
            // A transaction that changes nothing would write nothing.
            try roster.register(holds.oldest, in: session)
            for (token, commit) in commits {
                outcomes.updateValue(try Self.outcome(of: commit, session), forKey: token)
            }
        }
        left.settle(outcomes)
        note(last: session.state.last)
    }

    /// `nil`: what is kept of the latest commits does not say.
    private static func outcome(
        of commit: LeftCommit, _ session: Session
    ) throws(BackendError) -> CommitOutcome? {
        guard commit.number <= session.state.last else { return .notCommitted }
        let made = try session.statement(.commit)
        made.bind(commit.number)
        // Of a commit that is too large for the feed, or of long ago, nothing is kept.
        guard let time = try made.firstNumber() else { return nil }
        return time == commit.time
            ? .committed(CommitNumber(number: commit.number)) : .notCommitted
    }

    func outcome(of token: UInt64) throws(BackendError) -> CommitOutcome {
        try pool.checkOpen()
        if left.open[token] != nil {
            do throws(BackendError) {
                try pool.write { session throws(BackendError) in try settleLeft(session) }
            } catch {
                throw .outcomeUnknown(token: token)
            }
            subscribers.deliver()
        }
        guard let outcome = try left.outcome(of: token) else { throw .outcomeUnknown(token: token) }
        return outcome
    }
}
