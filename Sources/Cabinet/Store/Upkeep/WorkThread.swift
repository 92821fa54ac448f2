import CLibrary
import CabinetBackend
import Foundation

/// A thread over a backend that ends with the work that there is, or when its owner waits for it: upkeep, triggers.
///
/// `Sendable`, because a lock guards its state.
final class WorkThread: Sendable {
    /// The backend, until the work ends: the store or container that waits for the end may free it then.
    ///
    /// `@unchecked Sendable`, because the thread alone touches it.
    final class Held: @unchecked Sendable {
        private(set) var backend: (any Backend)?

        fileprivate init(_ backend: any Backend) { self.backend = backend }

        func letGo() { backend = nil }
    }

    private struct State: Sendable {
        var thread: ObjectIdentifier?
        /// The process that has the thread: a child process has not.
        var process: pid_t = 0
    }

    private let name: String
    private let state = Guarded(State())
    private let running = DispatchGroup()

    /// - Parameter work: what a debugger shows of the thread.
    init(_ work: String) { name = "Cabinet.\(work)" }

    /// Makes the thread, which the caller then starts: from here on ``waitForEnd()`` waits for it.
    func make(
        over backend: any Backend, _ body: @escaping @Sendable (Held) -> Void
    ) -> Thread {
        let held = Held(backend)
        let start = Schedule.expectThread()
        running.enter()
        let thread = Thread { [self] in
            start.run {
                body(held)
                held.letGo()
            }
            running.leave()
        }
        thread.name = name
        thread.stackSize = 1 << 20
        thread.qualityOfService = .utility
        state.withLock { $0 = State(thread: ObjectIdentifier(thread), process: getpid()) }
        return thread
    }

    /// Returns once the thread has ended. At once in the thread itself, which may close the last store, and in a
    /// child process.
    func waitForEnd() {
        let (process, thread) = state.withLock { ($0.process, $0.thread) }
        guard process == getpid(), thread != ObjectIdentifier(Thread.current) else { return }
        Schedule.waiting { running.wait() }
    }
}
