import CabinetBackend

/// Keys in their order, of which it is known how many stand before any other: those of a table but for
/// some, or some in memory.
struct KeyList {
    private enum Source {
        /// Those of a table of the store's basis without others, which are in it, and in order.
        case table(TableNumber, without: [[UInt8]])
        case keys([[UInt8]])
    }

    /// To which part of an arrangement they belong.
    let part: Int
    private let store: Store
    private let source: Source

    init(_ table: TableNumber, without former: [[UInt8]], _ store: Store, part: Int) {
        (self.store, self.part) = (store, part)
        source = .table(table, without: former)
    }

    init(_ keys: [[UInt8]], _ store: Store, part: Int) {
        (self.store, self.part) = (store, part)
        source = .keys(keys)
    }

    var count: Int {
        get throws(BackendError) {
            switch source {
            case .keys(let keys): return keys.count
            case .table(let table, let former):
                let all = try store.reading { reader throws(BackendError) in
                    try reader.count(of: table)
                }
                return all - former.count
            }
        }
    }

    /// How many stand before `key`, which need not be one of them.
    func count(before key: [UInt8]) throws(BackendError) -> Int {
        switch source {
        case .keys(let keys): keys.count(before: key)
        case .table(let table, let former):
            try rank(of: key, in: table) - former.count(before: key)
        }
    }

    /// The key before which `offset` others stand; `nil` if there are not as many.
    func key(at offset: Int) throws(BackendError) -> [UInt8]? {
        switch source {
        case .keys(let keys): return keys.indices.contains(offset) ? keys[offset] : nil
        case .table(let table, let former):
            // How many of the others stand before it.
            var (low, high) = (0, former.count)
            while low < high {
                let middle = (low + high) / 2
                if try rank(of: former[middle], in: table) - middle > offset {
                    high = middle
                } else {
                    low = middle + 1
                }
            }
            return try store.reading { reader throws(BackendError) in
                try reader.key(at: offset + low, in: table)
            }
        }
    }

    private func rank(of key: [UInt8], in table: TableNumber) throws(BackendError) -> Int {
        try store.reading { reader throws(BackendError) in
            try key.withUnsafeBytesThrowing { key throws(BackendError) in
                try reader.rank(of: key, in: table)
            }
        }
    }
}

extension KeyList {
    /// Gives the keys of a list one after another.
    final class Walk {
        let part: Int
        /// The next key; `nil` at the end.
        private(set) var next: [UInt8]?
        private let cursor: (any EntryCursor)?
        private let run = EntryRun()
        private let step: Int
        /// Keys in memory that come, or keys of the table that do not count.
        private var others: ArraySlice<[UInt8]>

        /// - Parameters:
        ///   - key: where the walk begins.
        ///   - step: about how many keys are wanted.
        init(_ list: KeyList, from key: [UInt8], step: Int) throws {
            (part, self.step) = (list.part, max(step, 1))
            switch list.source {
            case .keys(let keys):
                others = keys[keys.count(before: key)...]
                cursor = nil
            case .table(let table, let former):
                others = former[former.count(before: key)...]
                cursor = try list.store.readerForWalk()
                    .entries(in: table, range: KeyRange(from: key), descending: false)
            }
            try advance()
        }

        func advance() throws {
            guard let cursor else {
                next = others.popFirst()
                return
            }
            while true {
                while let (bytes, _) = run.next() {
                    let key = [UInt8](bytes)
                    while let other = others.first, other.lexicographicallyPrecedes(key) {
                        others.removeFirst()
                    }
                    if others.first == key { continue }
                    next = key
                    return
                }
                guard try cursor.next(run, limit: step) else {
                    next = nil
                    return
                }
            }
        }
    }
}
