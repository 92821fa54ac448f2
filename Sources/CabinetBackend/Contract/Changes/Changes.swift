/// A walk over commits, oldest first. It may be left at any time. Not `Sendable`.
public protocol ChangeCursor: AnyObject {
    /// The next commit; `nil` if there is none yet. A later call gives commits made since.
    /// - Throws: ``BackendError/changesGone(oldest:)`` if the engine has meanwhile given up the next
    ///   commit; the cursor is of no use then. ``BackendError/closed``.
    func next() throws(BackendError) -> CommittedChanges?
}

/// The operations of a large commit where an engine has them, as the feed gives them: read each time anew.
public protocol ChangePieces: Sendable {
    /// Calls `body` with the bytes of some of the operations, whole ones, until it has had all in their order.
    /// The bytes live until `body` returns.
    /// - Throws: what reading may throw, and what `body` throws.
    func forEachPiece(
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError)

    /// Calls `body` with some of the bytes of a piece, if they can be read without the rest of it, which would be
    /// checked otherwise: the caller looks whether they can be right. Default: they cannot.
    /// - Parameters:
    ///   - range: in the bytes of the piece.
    ///   - number: which of the pieces, from 0 on.
    /// - Returns: whether `body` was called.
    /// - Throws: what reading may throw, and what `body` throws.
    func withBytes(
        _ range: Range<Int>, ofPiece number: Int,
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError) -> Bool
}

extension ChangePieces {
    public func withBytes(
        _ range: Range<Int>, ofPiece number: Int,
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError) -> Bool { false }
}

/// What one commit has changed. `Sendable`: a value.
///
/// A commit of many chunks may be read piece by piece whenever its operations are gone over: it takes the
/// memory of one piece, and holds on to what the engine reads from.
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
    public let size: Int
    /// The operations, one after the other; `nil` if they are read piece by piece.
    package let operations: [UInt8]?
    let pieces: (any ChangePieces)?

    /// For engines: a commit whose operations stand in `operations` one after the other, as in
    /// chunks of a ``WriteBatch`` behind their headroom.
    public init(
        number: CommitNumber, time: UInt64, author: UInt32, operations: [UInt8]
    ) {
        self.number = number
        self.time = time
        self.author = author
        self.operations = operations
        size = operations.count
        pieces = nil
    }

    /// For engines: a commit of `size` bytes of operations, which are read whenever they are gone over.
    public init(
        number: CommitNumber, time: UInt64, author: UInt32, size: Int, pieces: any ChangePieces
    ) {
        self.number = number
        self.time = time
        self.author = author
        self.size = size
        self.pieces = pieces
        operations = nil
    }

    /// What the batch said of the commit, in its order. Goes over all operations.
    /// - Throws: as ``forEachOperation(_:)``.
    public var notes: [Note] {
        get throws(BackendError) {
            var notes: [Note] = []
            try forEach { operation in
                guard case .note(let tag, let bytes) = operation else { return }
                notes.append(Note(tag: tag, bytes: [UInt8](bytes)))
            }
            return notes
        }
    }

    /// The rows of a record table that the commit has put or deleted, in the order in which it did; one that
    /// was changed twice comes twice. No value is copied.
    /// - Throws: as ``forEachOperation(_:)``.
    public func rows(of table: TableNumber) throws(BackendError) -> [RowID] {
        var rows: [RowID] = []
        try forEach { operation in
            switch operation {
            case .putRow(table, let row, _), .deleteRow(table, let row): rows.append(row)
            default: break
            }
        }
        return rows
    }

    /// Calls `body` with each change, in the order in which they were made; a row or key that was
    /// changed twice comes twice. Additions come as the puts and deletes that they became. Bytes
    /// live until `body` returns. An engine may add entries of its own to `TableNumber.catalog`.
    /// - Throws: what `body` throws; of a large commit also what reading throws, such as
    ///   ``BackendError/corrupt(path:offset:)``. Calling it again begins anew.
    public func forEachOperation(
        _ body: (Operation) throws(BackendError) -> Void
    ) throws(BackendError) {
        try forEach { operation throws(BackendError) in
            if case .note = operation { return }
            try body(operation)
        }
    }

    private func forEach(
        _ body: (Operation) throws(BackendError) -> Void
    ) throws(BackendError) {
        func go(_ bytes: UnsafeRawBufferPointer) throws(BackendError) {
            var reader = OperationReader(bytes)
            while let operation = reader.next() { try body(operation) }
        }
        if let pieces { return try pieces.forEachPiece(go) }
        try operations?.withUnsafeBytesThrowing(go)
    }
}
