import CabinetBackend

/// The changes of a live list: first the list as it is, then each change, without a gap. A reader that
/// is slower than the changes gets those that have come meanwhile as one.
///
/// It is iterated in the isolation domain of its store, by any number of readers. An iteration ends when
/// the store is closed or its task is cancelled. Not `Sendable`: its store's.
public struct LiveChanges<Object: StoredObject>: AsyncSequence {
    let rows: LiveRows<Object>
    /// What the reader knows; `nil` for nothing.
    var start: ChangePosition?

    /// A walk over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let rows: LiveRows<Object>
        private var start: ChangePosition?
        private var walk: LiveWalk

        fileprivate init(_ rows: LiveRows<Object>, _ start: ChangePosition?) {
            (self.rows, self.start, walk) = (rows, start, LiveWalk(rows))
        }

        /// The next change; `nil` once the store is closed or the task is cancelled.
        /// - Throws: why the list cannot be kept up to date: what ``Store/fetch(_:)`` throws. The
        ///   iteration has ended then. The list tries again after the next commit of one of its classes, and another
        ///   iteration begins with what it is then.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> LiveChange<Object>? {
            let (rows, position) = (rows, start)
            start = nil
            return try await walk.next(isolation: isolation) { reader in
                if let position, reader.hasTakenNone, let edits = try rows.edits(since: position) {
                    reader.resume(edits, to: rows.version)
                }
                return reader.take(rows)
            }
        }

        /// As ``next(isolation:)``, in the caller's isolation domain.
        public nonisolated(nonsending) mutating func next() async throws -> LiveChange<Object>? {
            try await next(isolation: #isolation)
        }
    }

    /// A new walk, which begins with the list as it is.
    public func makeAsyncIterator() -> Iterator { Iterator(rows, start) }
}
