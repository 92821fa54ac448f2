import CabinetBackend

/// The keys that a commit puts into unique indexes.
///
/// A key that another row has as of the store's basis may become free in the same commit, so it is put
/// last, if that is so. A key that another store puts meanwhile conflicts with this commit, which then
/// begins again and finds it.
struct UniqueKeys {
    private struct Contested {
        let key: [UInt8]
        let row: RowID
        let owner: RowID
        let index: ClassIndex
        let table: TableNumber
    }

    /// Hashes of the keys that were put, with their index.
    private var hashes: Set<Int> = []
    private var contested: [Contested] = []
    /// Indexes that are not complete, and of which records have had equal keys before.
    private var refuted: [ClassIndex] = []
    private let found = DataBuffer()

    mutating func removeAll() {
        if !hashes.isEmpty { hashes.removeAll() }
        if !contested.isEmpty { contested.removeAll() }
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
        if index.isKnown, let owner = try owner(of: key.bytes, table, store), owner != row {
            contested.append(
                Contested(
                    key: Array(key.bytes), row: row, owner: owner, index: index, table: table))
            return
        }
        try IndexValue.withBytes(of: row, isAlone: true) {
            try batch.put($0, for: key.bytes, in: table)
        }
        if !store.isIsolated { batch.require(.absent, key: key.bytes, in: table) }
    }

    /// The row that has the key as of the store's basis.
    func owner(
        of key: UnsafeRawBufferPointer, _ table: TableNumber, _ store: Store
    ) throws -> RowID? {
        guard try store.reader.value(forKey: key, in: table, into: found) else { return nil }
        return found.withUnsafeBytes { OrderedKey.row(of: $0) }
    }

    /// Another object with pending changes that has the key.
    private static func otherRow(
        withKey key: UnsafeRawBufferPointer, than row: RowID, _ index: ClassIndex, _ store: Store
    ) throws -> RowID? {
        let keys = IndexKeys()
        let candidate = Candidate(store, store.fields(of: index.storedClass))
        for object in store.changes.objects
        where object.storedClass === index.storedClass && object.rowID != row && object.isChanged {
            candidate.take(object)
            let isSame = try keys.withKey(of: index, candidate) {
                $0?.bytes.elementsEqual(key) ?? false
            }
            if isSame { return object.rowID }
        }
        return nil
    }

    /// Puts the keys whose owners give them up in this commit.
    /// - Returns: the indexes that cannot be unique, as records have had equal keys before.
    /// - Throws: ``StoreError/notUnique(class:index:row:by:)`` for one that stays with its owner.
    mutating func settle(in commit: Commit) throws -> [ClassIndex] {
        for claim in contested {
            guard try isFree(claim, commit.store) else {
                if claim.index.isGuarded {
                    refuted.append(claim.index)
                    continue
                }
                throw StoreError.notUnique(
                    class: claim.index.storedClass.name, index: claim.index.name, row: claim.row,
                    by: claim.owner)
            }
            try IndexValue.withBytes(of: claim.row, isAlone: true) { value in
                try claim.key.withUnsafeBytes {
                    try commit.batch.put(value, for: $0, in: claim.table)
                }
            }
        }
        return refuted
    }

    /// Whether the owner of a key gives it up in the commit, or has it no more: an index that catches
    /// up may have keys of records that have changed.
    private func isFree(_ claim: Contested, _ store: Store) throws -> Bool {
        let storedClass = claim.index.storedClass
        let candidate: Candidate
        if let owner = storedClass.existing(claim.owner), owner.state.isPending {
            if owner.state.contains(.deleted) { return true }
            candidate = Candidate(store, store.fields(of: storedClass))
            candidate.take(owner)
        } else {
            guard claim.index.entry?.state == .catchingUp else { return false }
            candidate = Candidate(store, store.fields(of: storedClass), ofRecords: true)
            guard try store.readRecord(claim.owner, of: storedClass, into: found) else {
                return true
            }
            let keys = IndexKeys()
            return try found.withUnsafeBytes { record in
                guard try candidate.take(record, at: claim.owner) else { return true }
                return try keys.withKey(of: claim.index, candidate) {
                    !($0?.bytes.elementsEqual(claim.key) ?? false)
                }
            }
        }
        return try IndexKeys().withKey(of: claim.index, candidate) {
            !($0?.bytes.elementsEqual(claim.key) ?? false)
        }
    }
}
