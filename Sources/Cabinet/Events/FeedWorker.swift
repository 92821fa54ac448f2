import CabinetBackend
import Foundation

/// What is done about commits, behind a position of its own in the catalog. Of the worker's thread.
protocol FeedRun: AnyObject {
    /// Works until there are no more commits.
    /// - Returns: in how many seconds it wants to be called again, and not before; `nil` at the next commit.
    func work(until hasEnded: () -> Bool) -> Double?

    /// Whether it has not failed, but waits for something that the store's program is still to do. Default: `false`.
    var isWaiting: Bool { get }
}

extension FeedRun {
    var isWaiting: Bool { false }
}

/// What makes such a run.
protocol FeedJob: Sendable {
    /// Unique among all jobs.
    var name: String { get }
    /// The work that it claims of the backend, so that of several processes over one store one does it at a
    /// time.
    var claim: String { get }
    /// How many seconds commits may wait for it, so that a save need not wake the thread for each. Default: 0.
    var patience: Double { get }

    func makeRun(over backend: any Backend) -> any FeedRun
}

extension FeedJob {
    var patience: Double { 0 }
}

/// The thread over a backend that follows commits: it calls the triggers after saves, and keeps history.
///
/// `Sendable`, because a lock guards its state.
final class FeedWorker: HubWorker {
    private struct State: Sendable {
        /// Those that the thread has not taken up yet.
        var jobs: [any FeedJob] = []
        var names: Set<String> = []
        var isRunning = false
        var hasEnded = false
        var isAwake = false
        /// While the thread waits: up to which commit all jobs were called, and whether none is to be called again.
        var rest: (commit: CommitNumber, isDone: Bool)?
    }

    private let state = Guarded(State())
    private let wakes = DispatchSemaphore(value: 0)
    private let thread = WorkThread("feed")

    /// Has jobs done, unless they are already.
    func begin(_ jobs: [any FeedJob], over backend: any Backend) {
        let made = state.withLock { state -> Thread? in
            for job in jobs where state.names.insert(job.name).inserted { state.jobs.append(job) }
            guard !state.isRunning, !state.hasEnded, !state.jobs.isEmpty else { return nil }
            state.isRunning = true
            return thread.make(over: backend) { [self] in run($0) }
        }
        if let made { made.start() } else { wakeUp() }
    }

    func end() {
        state.withLock { ($0.hasEnded, $0.isAwake) = (true, true) }
        wakes.signal()
        thread.waitForEnd()
    }

    /// Waits until all jobs have done what there is to do about the commits up to one, until `end` at most.
    /// - Returns: whether they have. `false` also if one has failed, and is to be called again later.
    func settle(upTo commit: CommitNumber, until end: ContinuousClock.Instant) -> Bool {
        repeat {
            let rest = state.withLock { $0.jobs.isEmpty ? $0.rest : nil }
            // The thread may not have heard of the commit yet.
            if let rest, rest.commit >= commit { return rest.isDone }
            Thread.sleep(forTimeInterval: 0.001)
        } while ContinuousClock.now < end
        return false
    }

    private var hasEnded: Bool { state.withLock { $0.hasEnded } }

    private func wakeUp() {
        let isFirst = state.withLock { state in
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if isFirst { wakes.signal() }
    }

    /// Returns at the next commit, and what patience adds, at the end, or after so many seconds.
    private func wait(
        _ seconds: Double?, patience: Double, rest: (commit: CommitNumber, isDone: Bool)?
    ) {
        state.withLock { $0.rest = rest }
        if let seconds {
            _ = wakes.wait(timeout: .now() + seconds)
        } else {
            wakes.wait()
        }
        if patience > 0, !hasEnded { _ = wakes.wait(timeout: .now() + patience) }
        state.withLock { ($0.isAwake, $0.rest) = (false, nil) }
    }

    private func run(_ held: WorkThread.Held) {
        guard let backend = held.backend else { return }
        let subscription = backend.onCommit { [weak self] _ in self?.wakeUp() }
        work(over: backend)
        subscription.cancel()
    }

    private func work(over backend: any Backend) {
        var claims: [String: WorkClaim] = [:]
        var runs: [(claim: String, run: any FeedRun, due: ContinuousClock.Instant)] = []
        var patience = Double.infinity
        while !hasEnded {
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                return state.jobs
            }
            runs += jobs.map { ($0.claim, $0.makeRun(over: backend), .now) }
            patience = jobs.reduce(patience) { min($0, $1.patience) }
            // An engine with other writers announces what this process commits.
            var pause: Double? = backend.hasOtherWriters ? 1 : nil
            let last = try? backend.lastCommit()
            var (isDone, isWaiting) = (true, false)
            for index in runs.indices {
                let (claim, run, due) = runs[index]
                if claims[claim] == nil, let made = try? backend.claimWork(claim) {
                    claims[claim] = made
                }
                // Another process that has it may end at any time.
                var next = claims[claim] == nil ? 1 : ContinuousClock.now.seconds(until: due)
                if next == nil {
                    next = run.work(until: { self.hasEnded })
                    runs[index].due = .now + .seconds(next ?? 0)
                }
                if let next { (pause, isDone) = (min(pause ?? next, next), false) }
                isWaiting = isWaiting || run.isWaiting
            }
            if !hasEnded {
                // One that is to be called again at once has not failed: it has not ended.
                wait(
                    pause, patience: runs.isEmpty ? 0 : patience,
                    rest: pause == 0 || isWaiting ? nil : last.map { ($0, isDone) })
            }
        }
        for claim in claims.values { claim.end() }
    }
}

extension ContinuousClock.Instant {
    /// `nil` if `other` has come.
    fileprivate func seconds(until other: Self) -> Double? {
        self < other ? duration(to: other) / .seconds(1) : nil
    }
}
