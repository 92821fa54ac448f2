import CabinetBackend

/// What each commit does to the objects of one class, in the order of the commits, from the moment on
/// when the iteration begins (``StoreContainer/events(of:)``) or from a position on
/// (``StoreContainer/events(of:after:)``). `Sendable`: a value, for any isolation domain.
///
/// ```swift
/// for try await event in container.events(of: Song.self) {
///     if case .changed(let fields) = event.kind { print(event.id, fields) }
/// }
/// ```
///
/// No commit is passed over: an iteration that is slower than the commits reads them from the engine's
/// feed, and has the engine keep what they replace (``StoreContainer/openSnapshots``). If the engine
/// gives that up, the iteration throws; begin another one then, and read anew what was made of the
/// events. It ends when the backend is closed, or its task is cancelled.
public struct ObjectEvents<Object: StoredObject>: AsyncSequence, Sendable {
    let backend: any Backend
    let tables: TableNames
    /// `nil`: where the iteration begins.
    var start: ChangePosition?

    /// A walk over events, each once.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: EventReader
        private var events: ArraySlice<ObjectEvent<StoredObject>> = []
        private let subscriptions: [Subscription]
        private var wakes: AsyncStream<Void>.Iterator

        fileprivate init(
            _ backend: any Backend, _ tables: TableNames, _ start: ChangePosition?
        ) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            subscriptions = [
                backend.onCommit { _ in continuation.yield() },
                CommitHub.of(backend).onClose { continuation.finish() },
            ]
            wakes = stream.makeAsyncIterator()
            reader = EventReader(backend, of: [tables], after: start)
        }

        /// The next event; `nil` once the backend is closed or the task is cancelled.
        /// - Throws: `BackendError.changesGone`, `BackendError.snapshotTooOld` if the engine has given
        ///   up what it would need; `BackendError.unsupported` of an engine without a feed or frozen
        ///   readers; a ``StoreError`` for a record that cannot be read.
        public mutating func next() async throws -> ObjectEvent<Object>? {
            while true {
                if let event = events.popFirst() { return ObjectEvent(event) }
                do {
                    if let commit = try reader.next() {
                        events = commit.events[...]
                        continue
                    }
                } catch BackendError.closed {
                    return nil
                }
                guard await wakes.next() != nil else { return nil }
            }
        }
    }

    /// A new walk, from the last commit on, or from the position on that was given.
    public func makeAsyncIterator() -> Iterator { Iterator(backend, tables, start) }
}

extension StoreContainer {
    /// What commits do to the objects of a class, subclasses not included.
    public func events<Object: StoredObject>(of type: Object.Type) -> ObjectEvents<Object> {
        ObjectEvents(backend: backend, tables: TableNames(of: type, among: classes, in: backend))
    }
    /// What commits do to the objects of a class after one whose position was kept, perhaps in an earlier run:
    /// ``ObjectEvent/position`` of an event all of whose commit was taken, or ``position()``. Subclasses are not
    /// included.
    ///
    /// Of what was changed before the iteration begins former values may not be known: see
    /// ``ObjectEvent/Kind/written(_:)``. They are of a class with triggers after saves.
    ///
    /// The iteration throws ``BackendError/changesGone(oldest:)`` as one of ``commits(after:)`` does, unless
    /// ``keepCommits(after:for:limit:)`` has kept the commits: read everything anew then, and go on from
    /// ``position()``, taken before. Needs ``BackendFeatures/changes`` and ``BackendFeatures/lines``.
    public func events<Object: StoredObject>(
        of type: Object.Type, after position: ChangePosition
    ) -> ObjectEvents<Object> {
        ObjectEvents(
            backend: backend, tables: TableNames(of: type, among: classes, in: backend),
            start: position)
    }
}
