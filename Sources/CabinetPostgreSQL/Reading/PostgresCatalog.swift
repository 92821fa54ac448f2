#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// The catalog of a store as of some commits in a row. It is small, and asked for much that is asked once:
    /// so it comes with the tables, in one way to the server. `Sendable`: a value.
    struct PostgresCatalog: Sendable {
        /// Keys in their order, and values with their CRCs; `nil`: it is too large to be kept here.
        private(set) var entries: [(key: [UInt8], stored: [UInt8])]?
        /// The last commit that has changed it.
        private(set) var made: Int64 = 0
        /// It is the same up to this commit at least.
        private(set) var last: Int64 = -1

        init() {}

        /// So many bytes of keys and values are kept.
        private static let mostBytes = 256 << 10

        /// One statement sees one state.
        /// - Parameter schema: its name, in quotes.
        static func text(_ schema: String) -> String {
            "SELECT c.key, c.value, s.last, s.catalog, z.size <= \(mostBytes) FROM \(schema).store s "
                + "CROSS JOIN (SELECT COALESCE(sum(octet_length(key) + octet_length(value)), 0) AS size "
                + "FROM \(schema).o_0) z LEFT JOIN \(schema).o_0 c ON z.size <= \(mostBytes) ORDER BY c.key"
        }

        init(_ result: PostgresResult, _ place: PostgresStore) throws(BackendError) {
            guard result.count > 0 else { throw place.damaged("the table of the store") }
            last = result.number(0, 2)
            made = result.number(0, 3)
            guard result.number(0, 4) != 0 else { return }
            var found: [(key: [UInt8], stored: [UInt8])] = []
            // Without an entry there is one row, of the store alone.
            for row in 0..<result.count where !result.isNull(row, 0) {
                found.append(([UInt8](result.bytes(row, 0)), [UInt8](result.bytes(row, 1))))
            }
            entries = found
        }

        func holds(_ commit: Int64) -> Bool { made <= commit && commit <= last }

        // MARK: Reading

        /// Gives the entries of a range until `body` wants no more.
        /// - Returns: the last key that was given then; `nil` at the end of the range.
        static func forEach(
            of entries: [(key: [UInt8], stored: [UInt8])], in range: KeyRange, descending: Bool,
            _ place: PostgresStore,
            _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
        ) throws(BackendError) -> [UInt8]? {
            let lower = range.lower.map { index(of: $0, in: entries) } ?? 0
            let upper = range.upper.map { index(of: $0, in: entries) } ?? entries.count
            guard lower < upper else { return nil }
            for step in 0..<(upper - lower) {
                let entry = entries[descending ? upper - 1 - step : lower + step]
                if try !give(entry, place, body) { return entry.key }
            }
            return nil
        }

        /// Gives the values of those keys that are there.
        /// - Returns: how many keys were looked up.
        static func values(
            forKeys keys: ArraySlice<[UInt8]>, of entries: [(key: [UInt8], stored: [UInt8])],
            _ place: PostgresStore,
            _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
        ) throws(BackendError) -> Int {
            for (turn, key) in keys.enumerated() {
                let index = index(of: key, in: entries)
                guard index < entries.count, entries[index].key == key else { continue }
                if try !give(entries[index], place, body) { return turn + 1 }
            }
            return keys.count
        }

        private static func give(
            _ entry: (key: [UInt8], stored: [UInt8]), _ place: PostgresStore,
            _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
        ) throws(BackendError) -> Bool {
            try entry.key.withUnsafeBytesThrowing { key throws(BackendError) in
                try entry.stored.withUnsafeBytesThrowing { stored throws(BackendError) in
                    guard StoredValue.isSound(stored, of: key) else {
                        throw place.damaged("a key of the catalog")
                    }
                    return body(key, StoredValue.value(stored))
                }
            }
        }

        /// Where a key stands, or would.
        private static func index(
            of key: [UInt8], in entries: [(key: [UInt8], stored: [UInt8])]
        ) -> Int {
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].key.lexicographicallyPrecedes(key) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }

        // MARK: Commits

        /// Takes note of what the store says of itself.
        mutating func note(_ state: StoreState) {
            if made == state.catalog { last = max(last, state.last) }
        }

        /// Takes note of a commit of one's own, if it knows the catalog as that found it.
        /// - Parameters:
        ///   - before: the last commit before it that has changed the catalog.
        ///   - change: makes its changes; `false`: they are not known here.
        mutating func note(
            _ number: Int64, before: Int64, hasChanged: Bool,
            _ change: (inout PostgresCatalog) -> Bool
        ) {
            guard made == before, number > last else { return }
            if hasChanged {
                guard change(&self) else { return }
                made = number
            }
            last = number
        }

        /// Makes the changes of operations.
        mutating func apply(_ operations: UnsafeRawBufferPointer) {
            guard var entries else { return }
            var reader = OperationReader(operations)
            while let operation = reader.next() {
                switch operation {
                case .putKey(.catalog, let key, let stored):
                    let (key, stored) = ([UInt8](key), [UInt8](stored))
                    let index = Self.index(of: key, in: entries)
                    if index < entries.count, entries[index].key == key {
                        entries[index].stored = stored
                    } else {
                        entries.insert((key, stored), at: index)
                    }
                case .deleteKey(.catalog, let key):
                    let key = [UInt8](key)
                    let index = Self.index(of: key, in: entries)
                    if index < entries.count, entries[index].key == key {
                        entries.remove(at: index)
                    }
                default: break
                }
            }
            self.entries = entries
        }
    }

    extension PostgresRoute {
        /// The entries of the catalog as of a commit; `nil`: they have to be asked for, as they are too many, or
        /// of a commit before the last that has changed them.
        func catalogEntries(
            asOf commit: CommitNumber?, _ core: SQLCore
        ) throws(BackendError) -> [(key: [UInt8], stored: [UInt8])]? {
            try core.pool.checkOpen()
            let wanted = (commit ?? core.lastKnown).number
            let known = catalog.withLock { $0 }
            if known.holds(wanted) { return known.entries }
            guard wanted > known.last, known.entries != nil else { return nil }
            _ = try readDirectory(core)
            let found = catalog.withLock { $0 }
            return found.holds(wanted) ? found.entries : nil
        }
    }
#endif
