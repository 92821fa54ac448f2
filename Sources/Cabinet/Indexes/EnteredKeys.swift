import CabinetBackend

/// Puts into a batch what the changes of a commit mean for the entries of indexes.
struct EnteredKeys {
    private unowned let store: Store
    private let keys = IndexKeys()
    private let formerKeys = IndexKeys()
    private var uniqueness = UniqueKeys()
    private var guarded = KeyGuard()

    init(_ store: Store) { self.store = store }

    mutating func removeAll() {
        uniqueness.removeAll()
        guarded.removeAll()
    }

    /// Puts the keys that wait for the end of a commit.
    /// - Returns: the indexes that cannot be unique, as records have had equal keys before.
    mutating func settle(in commit: Commit) throws -> [ClassIndex] {
        try guarded.check(in: commit)
        return try uniqueness.settle(in: commit)
    }

    /// Puts and deletes keys as a commit changes the record of `row`.
    /// - Parameters:
    ///   - replaced: stands at the record that it replaces; `nil` for none.
    ///   - written: stands at what it writes; `nil` for a deleted object.
    @inline(__always)
    mutating func enter(
        _ row: RowID, _ index: ClassIndex, from replaced: RowCursor?, to written: RowCursor?,
        in batch: WriteBatch
    ) throws {
        if index.isGuarded { try guarded.note(row, index, from: replaced, to: written) }
        guard index.takesPart else { return }
        guard let table = index.table else { throw index.leftOut }
        if let replaced, let written {
            try update(index, table, from: replaced, to: written, in: batch)
        } else if let written {
            try enter(index, table, written, in: batch)
        } else if let replaced {
            try leave(index, table, replaced, in: batch)
        }
    }

    /// Puts the keys of an object that has none yet.
    private mutating func enter(
        _ index: ClassIndex, _ table: TableNumber, _ cursor: RowCursor, in batch: WriteBatch
    ) throws {
        try keys.forEachKey(of: index, cursor) { key in
            try put(key, of: cursor.row, index, table, in: batch)
        }
    }

    /// Deletes the keys of a record.
    private mutating func leave(
        _ index: ClassIndex, _ table: TableNumber, _ cursor: RowCursor, in batch: WriteBatch
    ) throws {
        try formerKeys.forEachKey(of: index, cursor) { key in
            // Before an index is complete, another record may have the key, or a builder enter it meanwhile: then the
            // commit is made again.
            if key.isAlone, !index.isComplete, !index.isNew,
                try store.reader.row(withKey: [UInt8](key.bytes), in: table) != cursor.row
            {
                if store.isIsolated { batch.require(.unchanged, key: key.bytes, in: table) }
                return
            }
            try batch.deleteKey(key.bytes, in: table)
        }
    }

    /// Replaces the keys of a record by those of the object that replaces it. Of an index that is
    /// not complete, the record's may be missing: all are put.
    private mutating func update(
        _ index: ClassIndex, _ table: TableNumber, from replaced: RowCursor, to written: RowCursor,
        in batch: WriteBatch
    ) throws {
        guard index.isComplete || index.isNew else {
            try leave(index, table, replaced, in: batch)
            return try enter(index, table, written, in: batch)
        }
        if index.isMultiple {
            try formerKeys.makeSeveral(of: index, replaced)
            try keys.makeSeveral(of: index, written)
            return try change(from: formerKeys.several, to: keys.several, in: batch, table)
        }
        try formerKeys.withKey(of: index, replaced) { former in
            try keys.withKey(of: index, written) { key in
                if let former, let key, former.bytes.elementsEqual(key.bytes) { return }
                if let former { try batch.deleteKey(former.bytes, in: table) }
                if let key { try put(key, of: written.row, index, table, in: batch) }
            }
        }
    }

    @inline(__always)
    private mutating func put(
        _ key: IndexKeys.Key, of row: RowID, _ index: ClassIndex, _ table: TableNumber,
        in batch: WriteBatch
    ) throws {
        if key.isAlone { return try uniqueness.put(key, of: row, index, table, in: batch, store) }
        try batch.put(UnsafeRawBufferPointer(start: nil, count: 0), for: key.bytes, in: table)
    }

    /// Deletes what is only in `former`, and puts what is only in `keys`. Both are in order.
    private func change(
        from former: [[UInt8]], to keys: [[UInt8]], in batch: WriteBatch, _ table: TableNumber
    ) throws {
        var rest = former[...]
        for key in keys {
            while let gone = rest.first, gone.lexicographicallyPrecedes(key) {
                _ = rest.popFirst()
                try batch.deleteKey(gone, in: table)
            }
            if rest.first == key {
                _ = rest.popFirst()
            } else {
                try batch.put([], for: key, in: table)
            }
        }
        for gone in rest { try batch.deleteKey(gone, in: table) }
    }
}
