import CSystem
import CabinetBackend

/// The sessions of a store that read, and the one that writes.
///
/// `Sendable`: the sessions that are not in use are touched under a lock alone, those in use by the thread
/// that has taken them alone, and the writing one by the thread that has the turn.
package final class SessionPool: Sendable {
    private let host: any SQLHost
    private let process = cabinet_process_number()
    private let lock = Lock()
    private nonisolated(unsafe) var idle: [Session] = []
    private nonisolated(unsafe) var isClosed = false
    private let turn = Lock()
    private nonisolated(unsafe) var writing: Session?

    /// So many sessions are kept for reading.
    private static let keptCount = 4

    init(_ host: any SQLHost) { self.host = host }

    /// - Throws: ``BackendError/closed``, or ``BackendError/forked(path:)`` in a process that was forked.
    package func checkOpen() throws(BackendError) {
        guard cabinet_process_mark() == process else { throw .forked(path: host.location) }
        if lock.withLock({ isClosed }) { throw .closed }
    }

    /// Calls `body` in a transaction that changes nothing, beside any others.
    func read<Result>(
        _ body: (Session) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        let session = try take()
        do throws(BackendError) {
            let result = try session.transaction(.reading) { () throws(BackendError) in
                try body(session)
            }
            giveBack(session)
            return result
        } catch {
            giveBack(session)
            throw error
        }
    }

    /// Calls `body` with the session that writes, in no transaction yet. One thread at a time.
    func write<Result>(
        _ body: (Session) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try turn.withLock { () throws(BackendError) in
            try checkOpen()
            return try body(writer())
        }
    }

    /// The session that writes; of the thread that has the turn.
    private func writer() throws(BackendError) -> Session {
        if let writing { return writing }
        let session = try Session(host)
        writing = session
        return session
    }

    private func take() throws(BackendError) -> Session {
        try checkOpen()
        if let session = lock.withLock({ idle.popLast() }) { return session }
        return try Session(host)
    }

    private func giveBack(_ session: Session) {
        let isKept = lock.withLock {
            guard !isClosed, idle.count < Self.keptCount else { return false }
            idle.append(session)
            return true
        }
        if !isKept { session.close() }
    }

    /// Waits for the thread that writes. Those that read go on to the end of their transactions.
    /// - Parameter farewell: the last that is done; it gets what gives the writing session.
    /// - Returns: `false`: it was closed before, or this process was forked from the one that uses it.
    func close(
        _ farewell: (() throws(BackendError) -> Session) -> Void = { _ in }
    ) -> Bool {
        guard cabinet_process_mark() == process else {
            lock.withLock { isClosed = true }
            return false
        }
        return turn.withLock {
            if lock.withLock({ isClosed }) { return false }
            farewell { () throws(BackendError) in try writer() }
            writing?.close()
            writing = nil
            let sessions = lock.withLock {
                defer { idle = [] }
                isClosed = true
                return idle
            }
            for session in sessions { session.close() }
            return true
        }
    }
}
