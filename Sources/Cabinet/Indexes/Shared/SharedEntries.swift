import CabinetBackend

/// The entries of one class's part of a shared index, in their order, pending changes merged in.
final class SharedEntries {
    struct Entry {
        let key: [UInt8]
        let storedClass: StoredClass

        /// The value that the key was made of.
        func read<Key: OrderedKeyValue>(_ type: Key.Type) throws(OrderedKeyError) -> Key {
            try OrderedKey(bytes: key.dropLast(OrderedKey.rowSize)).values(type)
        }
    }

    private let storedClass: StoredClass
    private let store: Store
    private let isDescending: Bool
    private let walk: (any EntryCursor)?
    private let run = EntryRun()
    private var saved: [UInt8]?
    /// Keys of objects with pending changes, or of all: the next one last.
    private var others: [[UInt8]] = []
    /// The entry that comes next; `nil` at the end.
    private(set) var next: Entry?

    init(
        _ index: ClassIndex, _ range: KeyRange, _ isDescending: Bool, _ store: Store
    ) throws {
        storedClass = index.storedClass
        self.store = store
        self.isDescending = isDescending
        if index.isComplete, let table = index.table {
            walk = try store.readerForWalk()
                .entries(in: table, range: range, descending: isDescending)
        } else {
            walk = nil
        }
        let keys = IndexKeys()
        let cursor = RowCursor(store, store.fields(of: storedClass))
        func add(_ object: StoredObject) throws {
            cursor.take(object)
            try keys.withKey(of: index, cursor) { key in
                guard let key else { return }
                let bytes = [UInt8](key.bytes)
                if let lower = range.lower, bytes.lexicographicallyPrecedes(lower) { return }
                if let upper = range.upper, !bytes.lexicographicallyPrecedes(upper) { return }
                others.append(bytes)
            }
        }
        if walk == nil {
            for object in try store.objects(of: storedClass.type) { try add(object) }
        } else {
            for object in store.changes.objects
            where object.storedClass === storedClass && object.isChanged
                && object.state.isDisjoint(with: [.deleted, .fault, .unreadable])
                && !store.isGoneElsewhere(object, storedClass)
            {
                try add(object)
            }
        }
        others.sort {
            isDescending ? $0.lexicographicallyPrecedes($1) : $1.lexicographicallyPrecedes($0)
        }
        try readSaved()
        try advance()
    }

    /// Moves on to the next entry.
    func advance() throws {
        let isOther: Bool
        switch (saved, others.last) {
        case (nil, nil):
            next = nil
            return
        case (nil, _): isOther = true
        case (_, nil): isOther = false
        case (let key?, let other?):
            isOther =
                isDescending
                ? key.lexicographicallyPrecedes(other) : other.lexicographicallyPrecedes(key)
        }
        if isOther {
            next = others.popLast().map { Entry(key: $0, storedClass: storedClass) }
        } else {
            next = saved.map { Entry(key: $0, storedClass: storedClass) }
            try readSaved()
        }
    }

    /// Reads the next saved entry whose object has no pending changes.
    private func readSaved() throws {
        saved = nil
        guard let walk else { return }
        while true {
            while let (key, _) = run.next() {
                guard let row = OrderedKey.row(of: key), !store.overlay.covers(row, of: storedClass)
                else { continue }
                saved = [UInt8](key)
                return
            }
            guard try walk.next(run) else { return }
        }
    }
}
