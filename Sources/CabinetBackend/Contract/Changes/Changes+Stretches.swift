/// A stretch of one commit's operations, as ``CommittedChanges/forEachStretch(_:)`` finds them. `Sendable`: a value.
package struct OperationStretch: Hashable, Sendable {
    /// Which of the pieces in which an engine reads the commit, from 0 on.
    package let piece: UInt32
    /// In bytes from the front of the piece.
    package let offset: UInt32
    /// In bytes.
    package private(set) var size: UInt32

    /// `false`: the other one does not begin where this one ends.
    fileprivate mutating func append(_ next: OperationStretch) -> Bool {
        guard next.piece == piece, next.offset == offset + size else { return false }
        size += next.size
        return true
    }

    var range: Range<Int> { Int(offset)..<Int(offset) + Int(size) }
}

extension RowPlace {
    /// The row that an operation is about; `nil` for one about no row.
    package init?(_ operation: Operation) {
        switch operation {
        case .putRow(let table, let row, _), .deleteRow(let table, let row):
            self.init(table: table, row: row)
        case .unknown(Operation.former, let table, let bytes):
            guard let former = FormerValue(bytes), case .row(let row) = former.place else {
                return nil
            }
            self.init(table: table, row: row)
        default: return nil
        }
    }
}

extension CommittedChanges {
    /// Calls `body` with each row that the commit changes, or says something of, and where its operations
    /// stand: a row may come again. Gives the notes, too, and the tables of which it says that other rows are
    /// new (``FormerValue/saysNewRows(_:)``), as all is found in one walk.
    /// - Throws: as ``forEachOperation(_:)``, and ``BackendError/tooLarge(limit:)`` for pieces of 4 GiB and more.
    package func forEachStretch(
        _ body: (RowPlace, OperationStretch) -> Void
    ) throws(BackendError) -> (notes: [Note], newRows: [TableNumber]) {
        var notes: [Note] = []
        var newRows: [TableNumber] = []
        var piece: UInt32 = 0
        func go(_ bytes: UnsafeRawBufferPointer) throws(BackendError) {
            guard UInt32(exactly: bytes.count) != nil else {
                throw .tooLarge(limit: Int(UInt32.max))
            }
            var reader = OperationReader(bytes)
            var latest: (row: RowPlace, stretch: OperationStretch)?
            var start = 0
            while let operation = reader.next() {
                switch operation {
                case .note(let tag, let bytes):
                    notes.append(Note(tag: tag, bytes: [UInt8](bytes)))
                case .unknown(Operation.former, let table, let bytes)
                where FormerValue.saysNewRows(bytes):
                    newRows.append(table)
                default: break
                }
                let end = reader.offset
                defer { start = end }
                guard let row = RowPlace(operation) else { continue }
                let stretch = OperationStretch(
                    piece: piece, offset: UInt32(start), size: UInt32(end - start))
                if latest?.row == row, latest?.stretch.append(stretch) == true { continue }
                if let latest { body(latest.row, latest.stretch) }
                latest = (row, stretch)
            }
            if let latest { body(latest.row, latest.stretch) }
            piece += 1
        }
        if let pieces {
            try pieces.forEachPiece(go)
        } else {
            try operations?.withUnsafeBytesThrowing(go)
        }
        return (notes, newRows)
    }

    /// Calls `body` with the operations of a stretch that is about a row. Of a large commit little else is read.
    /// - Throws: as ``forEachOperation(_:)``.
    package func forEachOperation(
        on row: RowPlace, in stretch: OperationStretch,
        _ body: (Operation) throws(BackendError) -> Void
    ) throws(BackendError) {
        func go(_ bytes: UnsafeRawBufferPointer) throws(BackendError) {
            var reader = OperationReader(bytes)
            while let operation = reader.next() { try body(operation) }
        }
        guard let pieces else {
            try operations?.withUnsafeBytesThrowing { bytes throws(BackendError) in
                try go(UnsafeRawBufferPointer(rebasing: bytes[stretch.range]))
            }
            return
        }
        var isRead = false
        _ = try pieces.withBytes(stretch.range, ofPiece: Int(stretch.piece)) {
            bytes throws(BackendError) in
            guard Self.isSound(bytes, on: row) else { return }
            isRead = true
            try go(bytes)
        }
        if isRead { return }
        var number: UInt32 = 0
        try pieces.forEachPiece { bytes throws(BackendError) in
            defer { number += 1 }
            guard number == stretch.piece, stretch.range.upperBound <= bytes.count else { return }
            try go(UnsafeRawBufferPointer(rebasing: bytes[stretch.range]))
        }
    }

    /// Whether bytes are whole operations on a row, by the sums of their values.
    private static func isSound(_ bytes: UnsafeRawBufferPointer, on row: RowPlace) -> Bool {
        var reader = OperationReader(bytes)
        while let operation = reader.next() {
            guard RowPlace(operation) == row else { return false }
            let stored: UnsafeRawBufferPointer?
            switch operation {
            case .putRow(_, _, let bytes): stored = bytes
            case .unknown(_, _, let bytes): stored = FormerValue(bytes)?.stored
            default: stored = nil
            }
            guard let stored else { continue }
            let value = UnsafeRawBufferPointer(rebasing: stored.dropLast(Operation.checksumSize))
            let sum = stored.loadUnaligned(fromByteOffset: value.count, as: UInt32.self)
            if row.checksum(of: value) != UInt32(littleEndian: sum) { return false }
        }
        return reader.offset == bytes.count
    }
}
