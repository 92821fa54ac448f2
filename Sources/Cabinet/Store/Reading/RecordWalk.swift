import CabinetBackend
import Dispatch

/// A walk over the records of a table. From the third run on, another thread fetches and checks the
/// next run while the current one is used: it takes longer to begin than to fetch the second.
///
/// The caller never waits for a read-ahead thread that has not started: it fetches the run itself.
/// The read-ahead thread never takes the writer's turn: that could deadlock with its own caller.
///
/// `Sendable`: `run` is the caller's alone, and `cursor`, `ahead` and `outcome` are touched with
/// the lock held once a second thread knows the walk.
final class RecordWalk: @unchecked Sendable {
    private(set) var run = RecordRun()

    private var isSecond = false
    private let lock = Lock()
    private var cursor: (any RecordCursor)?
    private var ahead: RecordRun?
    /// The result of fetching `ahead`; `nil` until it is fetched.
    private var outcome: Outcome?

    /// Not a `Result`, whose first use takes a tenth of a millisecond.
    private enum Outcome {
        case fetched(Bool)
        case failed(BackendError)

        func get() throws(BackendError) -> Bool {
            switch self {
            case .fetched(let isThere): return isThere
            case .failed(let error): throw error
            }
        }
    }

    private static let queue = DispatchQueue(
        label: "Cabinet.walks", qos: .userInitiated, attributes: .concurrent)

    init(_ cursor: any RecordCursor) { self.cursor = cursor }

    /// Moves to the next run. `false` at the end.
    func next() throws(BackendError) -> Bool {
        guard ahead != nil else {
            guard let cursor, try cursor.next(run) else { return false }
            if run.isFull, isSecond {
                ahead = RecordRun()
                fetchLater()
            }
            isSecond = true
            return true
        }
        let outcome = lock.withLock { take() }
        guard try outcome.get() else { return false }
        fetchLater()
        return true
    }

    /// Ends the walk: no thread uses the backend for it any more when this returns.
    func end() { lock.withLock { cursor = nil } }

    private func fetchLater() {
        Self.queue.async { self.lock.withLock { self.lookAhead() } }
    }

    private func lookAhead() {
        guard outcome == nil, let cursor, let ahead else { return }
        do throws(BackendError) {
            if let isThere = try cursor.nextAhead(ahead) { outcome = .fetched(isThere) }
        } catch {
            outcome = .failed(error)
        }
    }

    private func take() -> Outcome {
        guard let cursor, let fetched = ahead else { return .fetched(false) }
        let outcome = outcome ?? Self.outcome(of: cursor, fetched)
        (run, ahead, self.outcome) = (fetched, run, nil)
        return outcome
    }

    private static func outcome(of cursor: any RecordCursor, _ run: RecordRun) -> Outcome {
        do throws(BackendError) {
            return .fetched(try cursor.next(run))
        } catch {
            return .failed(error)
        }
    }
}
