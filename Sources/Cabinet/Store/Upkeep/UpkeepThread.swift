import CLibrary
import CabinetBackend
import Foundation
import Synchronization

/// The thread over a backend that builds what the parts of its stores keep, and brings into form what saves
/// leave for later, for as long as there is something to do.
///
/// It has a store of its own, in which the closures of indexes see copies of objects, and works under a claim
/// (``claimName``), so that of several processes over one store one works at a time. Where it goes on in a later
/// run stands in the tables themselves: what a derived table lacks in its entry of the catalog, with the commit
/// from which on changes are kept for it; rows to be entered into a text index, and blocks of referrers, in
/// their tables.
///
/// `Sendable`, because a lock guards its state.
final class UpkeepThread: Sendable {
    /// What one store wants to have done.
    final class Request: Sendable {
        let classes: [StoredObject.Type]
        let parts: [any StorePart]
        let versioning: Versioning
        let log: LogSink
        let progress = UpkeepProgress()
        /// Whether there is more to do since its work has begun.
        let isRepeated = Atomic(false)
        private let group = DispatchGroup()
        private let outcome = Guarded<Result<Void, any Error>?>(nil)

        init(_ store: Store) {
            classes = store.classes.map(\.type)
            parts = store.parts
            versioning = store.codec.versioning
            log = store.log
            group.enter()
        }

        func end(_ outcome: Result<Void, any Error>) {
            self.outcome.withLock { $0 = outcome }
            group.leave()
        }

        /// Waits for the end.
        func wait() throws {
            Schedule.waiting { group.wait() }
            try outcome.withLock { $0 }?.get()
        }

        func whenEnded(_ body: @escaping @Sendable () -> Void) {
            group.notify(queue: .global(), execute: body)
        }
    }

    private struct State: Sendable {
        /// The first one is being worked for.
        var requests: [Request] = []
        var isRunning = false
        var hasEnded = false
        var refused: Set<String> = []
        var chunkLimit: Int?
    }

    /// The work that it claims of the backend.
    static let claimName = "upkeep"

    private let state = Guarded(State())
    private let thread = WorkThread("upkeep")

    /// How many keys one commit has at most; `nil`: as many as each part takes. For tests that have few.
    func limitChunks(to limit: Int?) { state.withLock { $0.chunkLimit = limit } }

    /// How far the present work is; `nil` while there is none.
    var progress: Progress? { state.withLock { $0.requests.first?.progress.main } }

    /// What could not be built, by names of the parts: to look at all records once more at each opening of a store
    /// would help nothing.
    var refused: Set<String> { state.withLock { $0.refused } }

    /// Has the work of the store's parts done, after what is asked for already.
    ///
    /// - Parameter repeats: whether what is asked for already may have passed what there is to do.
    @discardableResult
    func begin(
        for store: Store, isAwaited: Bool = false, repeats: Bool = false,
        _ progress: Progress? = nil
    ) -> Request {
        let request = Request(store)
        request.progress.show(in: progress)
        let (result, made) = state.withLock { state -> (Request, Thread?) in
            let classes = request.classes.map(ObjectIdentifier.init)
            if !isAwaited,
                let same = state.requests.first(where: {
                    $0.classes.map(ObjectIdentifier.init) == classes
                })
            {
                if repeats { same.isRepeated.store(true, ordering: .relaxed) }
                return (same, nil)
            }
            // What is under way may do what is asked for.
            state.requests.first?.progress.show(in: progress)
            state.requests.append(request)
            if state.isRunning { return (request, nil) }
            state.isRunning = true
            return (request, thread.make(over: store.backend) { [self] in workForAll($0) })
        }
        made?.start()
        return result
    }

    private func workForAll(_ held: WorkThread.Held) {
        while let request = state.withLock({ $0.requests.first }) {
            var outcome = Result { try work(for: request, held) }
            if case .failure(let error) = outcome {
                if !(error is CancellationError) {
                    request.log(.warning, "Indexes could not be built: \(error)")
                } else if state.withLock({ $0.hasEnded }) {
                    outcome = .failure(BackendError.closed)
                }
            }
            let isLast = state.withLock { state -> Bool? in
                if request.isRepeated.exchange(false, ordering: .relaxed) { return nil }
                state.requests.removeFirst()
                if state.requests.isEmpty { state.isRunning = false }
                return state.requests.isEmpty
            }
            guard let isLast else { continue }
            if isLast { held.letGo() }
            request.end(outcome)
            if isLast { break }
        }
    }

    private func work(for request: Request, _ held: WorkThread.Held) throws {
        guard let backend = held.backend, !request.progress.isCancelled else {
            throw CancellationError()
        }
        let claim = try waitForClaim(of: backend, request)
        defer { claim.end() }
        let store = try Store(
            backend: backend, reader: nil, classes: request.classes, migrations: [],
            versioning: request.versioning, log: request.log, parts: request.parts,
            label: "upkeep", isWorker: true)
        defer { try? store.abandon() }
        let task = UpkeepTask(
            progress: request.progress, chunkLimit: state.withLock { $0.chunkLimit })
        defer { state.withLock { $0.refused.formUnion(task.refused.keys) } }
        for part in request.parts { task.progress.begin(try part.unitsOfWork(in: store)) }
        // What fails keeps nothing else from being done; what is cancelled ends all.
        var failure: (any Error)?
        for part in request.parts {
            do { try part.work(in: store, task) } catch let error as CancellationError {
                throw error
            } catch {
                failure = failure ?? error
            }
        }
        task.progress.end()
        if let failure { throw failure }
    }

    /// The right to do the work. Another process that has it may know other classes and tables, so what it
    /// leaves is to be done here.
    private func waitForClaim(
        of backend: any Backend, _ request: Request
    ) throws -> WorkClaim {
        while true {
            if let claim = try backend.claimWork(Self.claimName) { return claim }
            if request.progress.isCancelled { throw CancellationError() }
            if !SchedulePoint.sleep.pass() { usleep(10_000) }
        }
    }

    /// Ends the work, and returns once the thread has ended.
    func end() {
        state.withLock {
            $0.hasEnded = true
            for request in $0.requests { request.progress.main.cancel() }
        }
        thread.waitForEnd()
    }
}

/// One round of work over all parts of a store.
final class UpkeepTask {
    let progress: UpkeepProgress
    /// How many keys one commit has at most; `nil`: as many as the part takes.
    let chunkLimit: Int?
    /// What could not be built and why, by names of the parts.
    var refused: [String: any Error] = [:]

    init(progress: UpkeepProgress = UpkeepProgress(), chunkLimit: Int? = nil) {
        (self.progress, self.chunkLimit) = (progress, chunkLimit)
    }

    /// - Throws: `CancellationError`.
    func checkCancelled() throws { if progress.isCancelled { throw CancellationError() } }
}
