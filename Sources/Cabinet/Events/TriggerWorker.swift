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
        var isRunning = false
        var hasEnded = false
        var isAwake = false
    }

    /// The work that it claims of the backend.
    static let claimName = "triggers"

    private let state = Guarded(State())
    private let wakes = DispatchSemaphore(value: 0)
    private let thread = WorkThread("triggers")

    /// Has triggers called, unless they are already.
    func begin(_ jobs: [Job], over backend: any Backend) {
        let made = state.withLock { state -> Thread? in
            for job in jobs where state.names.insert(job.trigger.name).inserted {
                state.jobs.append(job)
            }
            guard !state.isRunning, !state.hasEnded, !state.jobs.isEmpty else { return nil }
            state.isRunning = true
            return thread.make(over: backend) { [self] in run($0) }
        }
        if let made { made.start() } else { wakeUp() }
    }

    func end() {
        state.withLock { $0.hasEnded = true }
        wakeUp()
        thread.waitForEnd()
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

    private func run(_ held: WorkThread.Held) {
        guard let backend = held.backend else { return }
        let subscription = backend.onCommit { [weak self] _ in self?.wakeUp() }
        work(over: backend)
        subscription.cancel()
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
