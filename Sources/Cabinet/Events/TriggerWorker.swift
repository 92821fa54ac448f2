import CabinetBackend
import Foundation

/// The thread over a backend that calls the triggers after saves.
///
/// It works under a claim (``claimName``), so that of several processes over one store one works at a time.
/// `Sendable`, because a lock guards its state.
final class TriggerWorker: HubWorker {
    /// A trigger, and what the store is made of in which it works.
    struct Job: Sendable {
        let trigger: AfterTrigger
        /// The storage names of the classes whose objects it is called for.
        let classNames: Set<String>
        let classes: [StoredObject.Type]
        let parts: [any StorePart]
        let versioning: Versioning
        let log: LogSink
    }

    private struct State: Sendable {
        /// Those that the thread has not taken up yet.
        var jobs: [Job] = []
        var names: Set<String> = []
        var thread: ObjectIdentifier?
        var hasEnded = false
        var isAwake = false
        /// The process that has the thread: a child process has not.
        var process: pid_t = 0
    }

    /// The work that it claims of the backend.
    static let claimName = "triggers"

    private let state = Guarded(State())
    private let wakes = DispatchSemaphore(value: 0)
    private let threads = DispatchGroup()

    /// Has triggers called, unless they are already.
    func begin(_ jobs: [Job], over backend: any Backend) {
        let thread = state.withLock { state -> Thread? in
            for job in jobs where state.names.insert(job.trigger.name).inserted {
                state.jobs.append(job)
            }
            guard state.thread == nil, !state.hasEnded, !state.jobs.isEmpty else { return nil }
            let held = Held(backend)
            let thread = Thread { [self] in
                run(held)
                threads.leave()
            }
            thread.name = "Cabinet.triggers"
            thread.stackSize = 1 << 20
            thread.qualityOfService = .utility
            (state.thread, state.process) = (ObjectIdentifier(thread), getpid())
            threads.enter()
            return thread
        }
        if let thread { thread.start() } else { wakeUp() }
    }

    func end() {
        let (process, thread) = state.withLock { state in
            state.hasEnded = true
            return (state.process, state.thread)
        }
        wakeUp()
        // A trigger may close the last store, and a child process has no such thread.
        if getpid() == process, thread != ObjectIdentifier(Thread.current) { threads.wait() }
    }

    /// The backend, until the thread ends: the store or container that waits for the end may free it then.
    ///
    /// `@unchecked Sendable`, because the thread alone touches it.
    private final class Held: @unchecked Sendable {
        var backend: (any Backend)?

        init(_ backend: any Backend) { self.backend = backend }
    }

    private var hasEnded: Bool { state.withLock { $0.hasEnded } }

    private func wakeUp() {
        let isFirst = state.withLock { state in
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if isFirst { wakes.signal() }
    }

    /// Returns at the next commit, at the end, or after so many seconds.
    private func wait(_ seconds: Double?) {
        if let seconds {
            _ = wakes.wait(timeout: .now() + seconds)
        } else {
            wakes.wait()
        }
        state.withLock { $0.isAwake = false }
    }

    private func run(_ held: Held) {
        guard let backend = held.backend else { return }
        let subscription = backend.onCommit { [weak self] _ in self?.wakeUp() }
        work(over: backend)
        subscription.cancel()
        held.backend = nil
    }

    private func work(over backend: any Backend) {
        var claim: WorkClaim?
        var runs: [TriggerRun] = []
        while !hasEnded {
            if claim == nil { claim = try? backend.claimWork(Self.claimName) }
            // Another process that has it may end at any time.
            guard claim != nil else {
                wait(1)
                continue
            }
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                return state.jobs
            }
            runs += jobs.map { TriggerRun($0, over: backend) }
            // An engine with other writers announces what this process commits.
            var pause: Double? = backend.hasOtherWriters ? 1 : nil
            for run in runs {
                guard let next = run.work(until: { self.hasEnded }) else { continue }
                pause = min(pause ?? next, next)
            }
            if !hasEnded { wait(pause) }
        }
        claim?.end()
    }
}
