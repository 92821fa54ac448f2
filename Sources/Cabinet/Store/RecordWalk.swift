import CabinetBackend
import Dispatch

/// A walk over the records of a table. Where there are more than one run of them, another thread
/// fetches and checks the next run while the current one is used.
///
/// Nobody waits for a thread that does not come: whoever needs the next run first, fetches it.
///
/// `Sendable`, because what both threads use is used with the lock held: `run` is the caller's
/// alone, and `cursor`, `ahead` and `outcome` are never touched without the lock once a second
/// thread knows the walk.
final class RecordWalk: @unchecked Sendable {
    /// The records of the current run.
    private(set) var run = RecordRun()

    private let looksAhead: Bool
    private let lock = Lock()
    private var cursor: (any RecordCursor)?
    private var ahead: RecordRun?
    /// What fetching `ahead` came to; `nil` while nobody has.
    private var outcome: Result<Bool, BackendError>?

    private static let queue = DispatchQueue(
        label: "Cabinet.walks", qos: .userInitiated, attributes: .concurrent)

    /// - Parameter looksAhead: `false` where the caller may hold what the engine needs, so that it
    ///   must read by itself.
    init(_ cursor: any RecordCursor, looksAhead: Bool) {
        self.cursor = cursor
        self.looksAhead = looksAhead
    }

    /// Moves to the next run. `false` at the end.
    func next() throws(BackendError) -> Bool {
        guard ahead != nil else {
            guard let cursor, try cursor.next(run) else { return false }
            if looksAhead, run.isFull {
                ahead = RecordRun()
                fetchLater()
            }
            return true
        }
        let outcome = lock.withLock { take() }
        guard try outcome.get() else { return false }
        fetchLater()
        return true
    }

    /// Ends the walk. No thread uses the backend for it any more when this returns.
    func end() { lock.withLock { cursor = nil } }

    private func fetchLater() {
        Self.queue.async { self.lock.withLock { self.fetch() } }
    }

    private func fetch() {
        guard outcome == nil, let cursor, let ahead else { return }
        outcome = Result { () throws(BackendError) in try cursor.next(ahead) }
    }

    private func take() -> Result<Bool, BackendError> {
        fetch()
        guard let fetched = ahead, let outcome else { return .success(false) }
        (run, ahead, self.outcome) = (fetched, run, nil)
        return outcome
    }
}
