/// A walk over commits, oldest first. It may be left at any time. Not `Sendable`.
public protocol ChangeCursor: AnyObject {
    /// The next commit; `nil` if there is none yet. A later call gives commits made since.
    /// - Throws: ``BackendError/changesGone(oldest:)`` if the engine has meanwhile given up the next
    ///   commit; the cursor is of no use then. ``BackendError/closed``.
    func next() throws(BackendError) -> CommittedChanges?
}

/// What one commit has changed. `Sendable`: a value.
public struct CommittedChanges: Sendable {
    /// What a batch says of its commit; see ``WriteBatch/note(_:_:)``. `Sendable`: a value.
    public struct Note: Hashable, Sendable {
        /// What kind of note it is; the writer chose it.
        public var tag: UInt8
        /// What it says.
        public var bytes: [UInt8]

        /// A note with that content.
        public init(tag: UInt8, bytes: [UInt8]) {
            self.tag = tag
            self.bytes = bytes
        }
    }

    /// The commit's number.
    public let number: CommitNumber
    /// When it was made, in microseconds since 1970-01-01 00:00 UTC by that machine's clock, which
    /// may have been set back since: order commits by their numbers.
    public let time: UInt64
    /// Its author; 0: not given. See ``WriteBatch/author``.
    public let author: UInt32
    /// How many bytes ``forEachOperation(_:)`` goes over.
    public var size: Int { operations.count }
    /// The operations, one after the other.
    package let operations: [UInt8]

    /// For engines: a commit whose operations stand in `operations` one after the other, as in
    /// chunks of a ``WriteBatch`` behind their headroom.
    public init(
        number: CommitNumber, time: UInt64, author: UInt32, operations: [UInt8]
    ) {
        self.number = number
        self.time = time
        self.author = author
        self.operations = operations
    }

    /// What the batch said of the commit, in its order.
    public var notes: [Note] {
        var notes: [Note] = []
        forEach { operation in
            guard case .note(let tag, let bytes) = operation else { return }
            notes.append(Note(tag: tag, bytes: [UInt8](bytes)))
        }
        return notes
    }

    /// Calls `body` with each change, in the order in which they were made; a row or key that was
    /// changed twice comes twice. Additions come as the puts and deletes that they became. Bytes
    /// live until `body` returns. An engine may add entries of its own to `TableNumber.catalog`.
    public func forEachOperation<Failure: Error>(
        _ body: (Operation) throws(Failure) -> Void
    ) throws(Failure) {
        try forEach { operation throws(Failure) in
            if case .note = operation { return }
            try body(operation)
        }
    }

    private func forEach<Failure: Error>(
        _ body: (Operation) throws(Failure) -> Void
    ) throws(Failure) {
        try operations.withUnsafeBufferPointer { bytes throws(Failure) in
            var reader = OperationReader(UnsafeRawBufferPointer(bytes))
            while let operation = reader.next() { try body(operation) }
        }
    }
}
