import CLibrary
import CabinetBackend
import Foundation
import Synchronization

/// The thread over a backend that builds indexes and brings into form what saves leave for later, for as
/// long as there is something to do.
///
/// It has a store of its own, in which the closures of indexes see copies of objects. `Sendable`, because
/// a lock guards its state.
final class IndexWork: HubAnnex {
    /// What one store wants to have built.
    final class Request: Sendable {
        let classes: [StoredObject.Type]
        let versioning: Versioning
        let log: LogSink
        let progress = IndexProgress()
        /// Whether there is more to do since its work has begun.
        let isRepeated = Atomic(false)
        private let group = DispatchGroup()
        private let outcome = Guarded<Result<Void, any Error>?>(nil)

        init(_ store: Store) {
            classes = store.classes.map(\.type)
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
        var refused: Set<String> = []
    }

    private let state = Guarded(State())
    private let thread = DispatchGroup()
    private let process = getpid()
    private let chunkLimit: Int

    /// - Parameter chunkLimit: how many keys one commit has at most.
    init(chunkLimit: Int = KeyChunk.countLimit) { self.chunkLimit = chunkLimit }

    /// How far the present work is; `nil` while there is none.
    var progress: Progress? { state.withLock { $0.requests.first?.progress.main } }

    /// Indexes that were found to be not unique: to look at all records once more at each opening of a
    /// store would help nothing.
    var refused: Set<String> { state.withLock { $0.refused } }

    /// Has the indexes of the store's classes built, after those that are asked for already.
    ///
    /// - Parameter repeats: whether what is asked for already may have passed what there is to do.
    @discardableResult
    func begin(
        for store: Store, isAwaited: Bool = false, repeats: Bool = false,
        _ progress: Progress? = nil
    ) -> Request {
        let request = Request(store)
        request.progress.show(in: progress)
        let (result, starts) = state.withLock { state in
            let classes = request.classes.map(ObjectIdentifier.init)
            if !isAwaited,
                let same = state.requests.first(where: {
                    $0.classes.map(ObjectIdentifier.init) == classes
                })
            {
                if repeats { same.isRepeated.store(true, ordering: .relaxed) }
                return (same, false)
            }
            // What is under way may do what is asked for.
            state.requests.first?.progress.show(in: progress)
            state.requests.append(request)
            defer { state.isRunning = true }
            return (request, !state.isRunning)
        }
        if starts { startThread(over: Held(store.backend)) }
        return result
    }

    /// The backend, until the thread ends: the store or container that waits for the end may free it then.
    ///
    /// `@unchecked Sendable`, because the thread alone touches it.
    private final class Held: @unchecked Sendable {
        var backend: (any Backend)?

        init(_ backend: any Backend) { self.backend = backend }
    }

    private func startThread(over held: Held) {
        thread.enter()
        let start = Schedule.expectThread()
        let thread = Thread { [self] in
            start.run { workForAll(held) }
            self.thread.leave()
        }
        thread.name = "Cabinet.indexes"
        thread.stackSize = 1 << 20
        thread.qualityOfService = .utility
        thread.start()
    }

    private func workForAll(_ held: Held) {
        while let request = state.withLock({ $0.requests.first }) {
            let outcome = Result { try work(for: request, held) }
            if case .failure(let error) = outcome, !(error is CancellationError) {
                request.log(.warning, "Indexes could not be built: \(error)")
            }
            let isLast = state.withLock { state -> Bool? in
                if request.isRepeated.exchange(false, ordering: .relaxed) { return nil }
                state.requests.removeFirst()
                if state.requests.isEmpty { state.isRunning = false }
                return state.requests.isEmpty
            }
            guard let isLast else { continue }
            if isLast { held.backend = nil }
            request.end(outcome)
            if isLast { break }
        }
    }

    private func work(for request: Request, _ held: Held) throws {
        guard let backend = held.backend, !request.progress.isCancelled else {
            throw CancellationError()
        }
        let store = try Store(
            backend: backend, reader: nil, classes: request.classes, migrations: [],
            versioning: request.versioning, log: request.log, label: "indexes", isWorker: true)
        defer { try? store.close() }
        let progress = request.progress
        let texts = store as Any as? any TextKeepingStore
        if let texts { progress.begin(try texts.textUnitsLeft()) }
        // What fails keeps nothing else from being done; what is cancelled ends all.
        let outcome = Result { try build(in: store, progress) }
        let ofReferrers = Result { try store.keepReferrersInForm { progress.isCancelled } }
        try texts?.keepTexts(progress)
        progress.end()
        try outcome.get()
        try ofReferrers.get()
    }

    private func build(in store: Store, _ progress: IndexProgress) throws {
        guard let keeper = store.indexKeeper else { return }
        let builder = IndexBuilder(store, keeper, progress, chunkLimit: chunkLimit)
        defer { state.withLock { $0.refused.formUnion(builder.refused.keys) } }
        try builder.run()
    }

    func endWork() {
        for request in state.withLock({ $0.requests }) { request.progress.main.cancel() }
        // A child process has no such thread.
        if getpid() == process { Schedule.waiting { thread.wait() } }
    }
}
