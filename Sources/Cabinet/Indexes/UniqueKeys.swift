import CabinetBackend

/// The keys that a commit puts into unique indexes.
///
/// A key that another row has as of the store's basis may become free in the same commit, so it is put
/// last, if that is so. A key that another store puts meanwhile conflicts with this commit, which then
/// begins again and finds it.
struct UniqueKeys {
    private struct Claim {
        let key: [UInt8]
        let row: RowID
        let index: ClassIndex
        let table: TableNumber
        /// The row that has the key as of the store's basis; 0: that is not known, or none.
        var owner: RowID = 0
    }

    /// Hashes of the keys that were put, with their index.
    private var hashes: Set<Int> = []
    /// Keys of which it is not known yet whether other rows have them.
    private var waiting: [Claim] = []
    private var conflicting: [Claim] = []
    /// Indexes that are not complete, and of which records have had equal keys before.
    private var refuted: [ClassIndex] = []
    private let found = DataBuffer()
    private let run = EntryRun(capacity: 256)

    /// So many keys are looked up with one call.
    private static let most = 512

    mutating func removeAll() {
        if !hashes.isEmpty { hashes.removeAll() }
        if !waiting.isEmpty { waiting.removeAll() }
        if !conflicting.isEmpty { conflicting.removeAll() }
        if !refuted.isEmpty { refuted.removeAll() }
    }

    /// Puts the key of `row`, or keeps it until the end of the commit.
    mutating func put(
        _ key: IndexKeys.Key, of row: RowID, _ index: ClassIndex, _ table: TableNumber,
        in batch: WriteBatch, _ store: Store
    ) throws {
        let storedClass = index.storedClass
        guard !key.isCut else {
            if index.isGuarded { return refuted.append(index) }
            throw StoreError.keyTooLong(class: storedClass.name, index: index.name, row: row)
        }
        var hasher = Hasher()
        hasher.combine(table)
        hasher.combine(bytes: key.bytes)
        if !hashes.insert(hasher.finalize()).inserted,
            let other = try Self.otherRow(withKey: key.bytes, than: row, index, store)
        {
            // A key that its object did not have has been refused already.
            if index.isGuarded { return refuted.append(index) }
            throw StoreError.notUnique(
                class: storedClass.name, index: index.name, row: row, by: other)
        }
        guard index.isKnown else { return try put(key.bytes, of: row, table, in: batch, store) }
        waiting.append(Claim(key: Array(key.bytes), row: row, index: index, table: table))
        if waiting.count == Self.most { try lookUp(in: batch, store) }
    }

    private func put(
        _ key: UnsafeRawBufferPointer, of row: RowID, _ table: TableNumber, in batch: WriteBatch,
        _ store: Store
    ) throws {
        try IndexValue.withBytes(of: row, isAlone: true) { try batch.put($0, for: key, in: table) }
        if !store.isIsolated { batch.require(.absent, key: key, in: table) }
    }

    /// Puts the keys that wait, but for those that other rows have.
    private mutating func lookUp(in batch: WriteBatch, _ store: Store) throws {
        while let table = waiting.first?.table {
            let claims = waiting.filter { $0.table == table }
            waiting.removeAll { $0.table == table }
            var left = claims.map(\.key)[...]
            while !left.isEmpty {
                let looked = try store.reading { reader throws(BackendError) in
                    try reader.values(forKeys: left, in: table, into: run)
                }
                var found = run.next()
                for var claim in claims[left.startIndex..<left.startIndex + looked] {
                    if let (key, value) = found, key.elementsEqual(claim.key) {
                        claim.owner = OrderedKey.row(of: value) ?? 0
                        found = run.next()
                    }
                    if claim.owner != 0, claim.owner != claim.row {
                        conflicting.append(claim)
                    } else {
                        try claim.key.withUnsafeBytes {
                            try put($0, of: claim.row, table, in: batch, store)
                        }
                    }
                }
                left = left.dropFirst(looked)
            }
        }
    }

    /// Another object with pending changes that has the key.
    private static func otherRow(
        withKey key: UnsafeRawBufferPointer, than row: RowID, _ index: ClassIndex, _ store: Store
    ) throws -> RowID? {
        let keys = IndexKeys()
        let cursor = RowCursor(store, store.fields(of: index.storedClass))
        for object in store.changes.objects
        where object.storedClass === index.storedClass && object.rowID != row && object.isChanged {
            cursor.take(object)
            if try keys.isKey(key, of: index, cursor) { return object.rowID }
        }
        return nil
    }

    /// Puts the keys whose owners give them up in this commit.
    /// - Returns: the indexes that cannot be unique, as records have had equal keys before.
    /// - Throws: ``StoreError/notUnique(class:index:row:by:)`` for one that stays with its owner.
    mutating func settle(in commit: Commit) throws -> [ClassIndex] {
        if !waiting.isEmpty { try lookUp(in: commit.batch, commit.store) }
        for claim in conflicting {
            guard try isFree(claim, commit.store) else {
                if claim.index.isGuarded {
                    refuted.append(claim.index)
                    continue
                }
                throw StoreError.notUnique(
                    class: claim.index.storedClass.name, index: claim.index.name, row: claim.row,
                    by: claim.owner)
            }
            try IndexValue.withBytes(of: claim.row, isAlone: true) {
                try commit.batch.put($0, for: claim.key, in: claim.table)
            }
        }
        return refuted
    }

    /// Whether the owner of a key gives it up in the commit, or has it no more: an index that catches
    /// up may have keys of records that have changed.
    private func isFree(_ claim: Claim, _ store: Store) throws -> Bool {
        let storedClass = claim.index.storedClass
        let fields = store.fields(of: storedClass)
        if let owner = storedClass.existing(claim.owner), owner.state.isPending {
            if owner.state.contains(.deleted) { return true }
            let cursor = RowCursor(store, fields)
            cursor.take(owner)
            return try !IndexKeys().isKey(claim.key, of: claim.index, cursor)
        }
        guard claim.index.entry?.state == .catchingUp else { return false }
        let cursor = RowCursor(store, fields, ofRecords: true)
        guard try store.readRecord(claim.owner, of: storedClass, into: found) else { return true }
        return try found.withUnsafeBytes { record in
            try !cursor.take(record, at: claim.owner)
                || !IndexKeys().isKey(claim.key, of: claim.index, cursor)
        }
    }
}
