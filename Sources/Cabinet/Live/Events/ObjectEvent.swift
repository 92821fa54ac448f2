import CabinetBackend
import Foundation

/// What one commit has done to one object. `Sendable`: a value.
public struct ObjectEvent<Object: StoredObject>: Hashable, Sendable {
    /// What became of the object.
    public enum Kind: Hashable, Sendable {
        /// It is new, or its delete was undone: its fields.
        case inserted([DecodedField])
        /// It has other values in these fields, in their order.
        case changed([FieldChange])
        /// It is gone: the fields that it had.
        case deleted([DecodedField])
    }

    /// The object.
    public let id: ObjectID<Object>
    /// What became of it. A class that writes its content itself has no fields here.
    public let kind: Kind
    /// The number of the commit.
    public let commit: CommitNumber
    /// When the commit was made, by that machine's clock.
    public let date: Date
    /// Who has made it, as ``Store/author`` was then; `nil`: not said.
    public let author: String?
    /// The notes that ``Store/note(_:)`` has added to it.
    public let notes: [String]
}

/// A field whose value has changed. `Sendable`: a value.
public struct FieldChange: Hashable, Sendable {
    /// The name of the property.
    public let name: String
    /// What it was; `nil` if the former record did not have the field.
    public let old: FieldValue?
    /// What it is; `nil` if the record does not have the field any more.
    public let new: FieldValue?
}

/// What each commit does to the objects of one class, in the order of the commits, from the moment on
/// when the iteration begins. `Sendable`: a value, for any isolation domain.
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

    /// A walk over events, each once.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: EventReader<Object>
        private let subscriptions: [Subscription]
        private var wakes: AsyncStream<Void>.Iterator

        fileprivate init(_ backend: any Backend) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            subscriptions = [
                backend.onCommit { _ in continuation.yield() },
                CommitHub.of(backend).onClose { continuation.finish() },
            ]
            wakes = stream.makeAsyncIterator()
            reader = EventReader(backend)
        }

        /// The next event; `nil` once the backend is closed or the task is cancelled.
        /// - Throws: `BackendError.changesGone`, `BackendError.snapshotTooOld` if the engine has given
        ///   up what it would need; `BackendError.unsupported` of an engine without a feed or frozen
        ///   readers; a ``StoreError`` for a record that cannot be read.
        public mutating func next() async throws -> ObjectEvent<Object>? {
            while true {
                do {
                    if let event = try reader.next() { return event }
                } catch BackendError.closed {
                    return nil
                }
                guard await wakes.next() != nil else { return nil }
            }
        }
    }

    /// A new walk, from the last commit on.
    public func makeAsyncIterator() -> Iterator { Iterator(backend) }
}

extension StoreContainer {
    /// What commits do to the objects of a class, subclasses not included.
    public func events<Object: StoredObject>(of type: Object.Type) -> ObjectEvents<Object> {
        ObjectEvents(backend: backend)
    }
}
