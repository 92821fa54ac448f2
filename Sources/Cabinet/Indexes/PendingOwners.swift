import CabinetBackend

/// Which pending objects have which keys of unique indexes, so that not each look-up has to make the keys of
/// all pending objects.
final class PendingOwners: ChangeReports {
    /// What is known of one index.
    private final class Owners {
        /// Held, so that no other one has its address.
        let index: ClassIndex
        /// How many pending objects, and how many of those that changed again, were looked at.
        var pending = 0
        var changed = 0
        /// Rows by the hashes of their keys. A row stays where it was when its object's key changes.
        var rows: [Int: RowID] = [:]
        /// Further rows with the same hash.
        var others: [Int: [RowID]] = [:]
        let keys = IndexKeys()
        let cursor: RowCursor

        init(_ index: ClassIndex, _ store: Store) {
            self.index = index
            cursor = RowCursor(store, store.fields(of: index.storedClass))
        }
    }

    private var owners: [ObjectIdentifier: Owners] = [:]
    /// How many keys were made.
    private(set) var keyCount = 0

    /// That of `store`; begins if there is none.
    static func of(_ store: Store) -> PendingOwners {
        if let present = store.changes.reports as? PendingOwners { return present }
        let new = PendingOwners()
        store.changes.begin(new)
        return new
    }

    /// Whether a pending object is one of those that may have a key of the index.
    static func mayOwn(_ object: StoredObject, _ index: ClassIndex) -> Bool {
        object.storedClass === index.storedClass
            && !object.state.isDisjoint(with: [.inserted, .updated])
            && object.state.isDisjoint(with: [.deleted, .fault, .unreadable])
    }

    /// The pending object that has a key.
    func object(
        withKey key: [UInt8], of index: ClassIndex, in store: Store
    ) throws -> StoredObject? {
        let owners = owners[ObjectIdentifier(index)] ?? Owners(index, store)
        self.owners[ObjectIdentifier(index)] = owners
        try store.changes.objects.forEachHeld(from: owners.pending) {
            try look(at: $0, index, owners)
            owners.pending += 1
        }
        while owners.changed < changed.count {
            try look(at: changed[owners.changed], index, owners)
            owners.changed += 1
        }
        let hash = key.withUnsafeBytes { Self.hash(of: $0) }
        guard let first = owners.rows[hash] else { return nil }
        for row in [first] + (owners.others[hash] ?? []) {
            guard let object = index.storedClass.existing(row), Self.mayOwn(object, index) else {
                continue
            }
            if try withKey(of: object, index, owners, { $0.elementsEqual(key) }) { return object }
        }
        return nil
    }

    private func look(at object: StoredObject, _ index: ClassIndex, _ owners: Owners) throws {
        guard Self.mayOwn(object, index) else { return }
        let hash = try withKey(of: object, index, owners) { Self.hash(of: $0) }
        expect(from: object)
        let row = object.rowID
        guard let known = owners.rows.updateValue(row, forKey: hash), known != row else { return }
        owners.others[hash, default: []].append(known)
    }

    private func withKey<Result>(
        of object: StoredObject, _ index: ClassIndex, _ owners: Owners,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws -> Result {
        keyCount += 1
        owners.cursor.take(object)
        return try owners.keys.withKey(of: index, owners.cursor) { key in
            body(key?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    private static func hash(of key: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        return hasher.finalize()
    }
}
