import CabinetBackend
import Foundation

@testable import CabinetTokyo

/// Threads that commit at the same time, and what has become of that.
final class Committers: @unchecked Sendable {
    typealias Outcome = Result<CommitNumber, BackendError>

    private let backend: TokyoBackend
    private let lock = NSLock()
    private let group = DispatchGroup()
    private var outcomes: [Int: Outcome] = [:]

    private let acknowledged: @Sendable (Int) -> Void

    /// - Parameter acknowledged: called on its thread once a commit has returned.
    init(_ backend: TokyoBackend, acknowledged: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.backend = backend
        self.acknowledged = acknowledged
    }

    /// Makes a batch on a thread of its own and commits it there.
    func start(
        _ number: Int, _ fill: @escaping @Sendable (WriteBatch) throws -> Void
    ) {
        group.enter()
        Thread { [self] in
            let batch = backend.makeBatch()
            let outcome: Outcome
            do {
                try fill(batch)
                outcome = .success(try backend.commit(batch))
                acknowledged(number)
            } catch let error as BackendError {
                outcome = .failure(error)
            } catch {
                preconditionFailure("\(error)")
            }
            lock.withLock { outcomes[number] = outcome }
            group.leave()
        }.start()
    }

    /// Waits until so many threads wait for the turn with a batch.
    func awaitWaiters(_ count: Int) {
        while backend.turn.waitersWithBatches().count < count { usleep(200) }
    }

    /// What has become of each, once all have ended.
    func end() -> [Int: Outcome] {
        group.wait()
        return lock.withLock { outcomes }
    }
}
