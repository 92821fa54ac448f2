import CabinetBackend

/// Keeps a commit from giving an object the key of another one where no complete index tells: while an index
/// that is to be unique is being built, is behind, or was found not to be so.
///
/// Records with equal keys from before stay as they are, and may be saved: only a key is refused that its
/// object did not have. One commit with such keys takes one pass over the records of the class.
struct KeyGuard {
    private struct Owner {
        let row: RowID
        /// Whether the object did not have the key before the commit.
        let isNew: Bool
    }

    /// What a commit does to what one index is of.
    private struct Watched {
        let index: ClassIndex
        /// The rows whose records it writes or deletes.
        var rows = RowSet()
        /// The keys that they have then.
        var owners: [[UInt8]: Owner] = [:]
        var hasNew = false
    }

    private var watched: [Watched] = []
    private let keys = IndexKeys()

    mutating func removeAll() { if !watched.isEmpty { watched.removeAll() } }

    /// Takes note of what becomes of a row.
    /// - Parameters:
    ///   - replaced: stands at the record that the commit replaces; `nil` for none.
    ///   - written: stands at what it writes; `nil` for a deleted object.
    /// - Throws: ``StoreError/notUnique(class:index:row:by:)``,
    ///   ``StoreError/keyTooLong(class:index:row:)``
    mutating func note(
        _ row: RowID, _ index: ClassIndex, from replaced: RowCursor?, to written: RowCursor?
    ) throws {
        let place = place(of: index)
        watched[place].rows.insert(row)
        guard let written, let key = try key(of: index, written) else { return }
        let isNew = try replaced.map { try self.key(of: index, $0)?.bytes != key.bytes } ?? true
        let storedClass = index.storedClass
        if isNew, key.isCut {
            throw StoreError.keyTooLong(class: storedClass.name, index: index.name, row: row)
        }
        let other = watched[place].owners[key.bytes]
        if let other, other.row != row, isNew || other.isNew {
            throw StoreError.notUnique(
                class: storedClass.name, index: index.name, row: row, by: other.row)
        }
        watched[place].owners[key.bytes] = Owner(row: row, isNew: isNew)
        if isNew { watched[place].hasNew = true }
    }

    private mutating func place(of index: ClassIndex) -> Int {
        if let known = watched.firstIndex(where: { $0.index === index }) { return known }
        watched.append(Watched(index: index))
        return watched.count - 1
    }

    /// The key that no other object may have; `nil` for one with `nil` or NaN in it, and for no key.
    private func key(
        of index: ClassIndex, _ cursor: RowCursor
    ) throws -> (bytes: [UInt8], isCut: Bool)? {
        try keys.withKey(of: index, cursor) { key in
            guard let key, key.isAlone else { return nil }
            return (Array(key.bytes), key.isCut)
        }
    }

    /// Looks whether another record has one of the new keys.
    /// - Throws: ``StoreError/notUnique(class:index:row:by:)``
    func check(in commit: Commit) throws {
        for part in watched where part.hasNew {
            try check(part, commit.store)
            // Of two stores that save one key at a time, the second begins again; where saves enter keys, the
            // keys themselves see to that.
            guard commit.store.isIsolated, !part.index.takesPart else { continue }
            let token = Self.token(ofClass: part.index.storedClass.number)
            commit.batch.require(.unchanged, key: token, in: .catalog)
            try commit.batch.deleteKey(token, in: .catalog)
        }
    }

    /// A key of the catalog that is never there: commits that look at all records for keys delete it.
    private static func token(ofClass number: UInt8) -> [UInt8] {
        DerivedEntries.key(ofClass: number) + Array(".keys".utf8)
    }

    private func check(_ part: Watched, _ store: Store) throws {
        let (index, storedClass) = (part.index, part.index.storedClass)
        let cursor = RowCursor(store, store.fields(of: storedClass), ofRecords: true)
        let walk = RecordWalk(try store.reader.records(in: storedClass.table))
        defer { walk.end() }
        while try walk.next() {
            while let (row, record) = walk.run.next() {
                if part.rows.contains(row) { continue }
                do {
                    guard try cursor.take(record, at: row),
                        let key = try key(of: index, cursor),
                        let owner = part.owners[key.bytes], owner.isNew
                    else { continue }
                    throw StoreError.notUnique(
                        class: storedClass.name, index: index.name, row: owner.row, by: row)
                } catch  where DerivedTables.isUnreadable(error) {
                    // Its key is not known.
                    continue
                }
            }
        }
    }
}
