import CabinetBackend

/// Accounts, entries, an index of the entries and named buffers whose contents must agree: what a
/// store with the first `saves` saves of a run holds. Each save touches several tables at once.
///
/// A save follows from the seed, its number, and what the saves before it left. So a model beside
/// the store, or a program that opens the store again, can go on from where it is.
package struct Ledger: Sendable {
    package static let accounts: TableNumber = 2
    package static let entries: TableNumber = 3
    package static let index: TableNumber = 4
    /// Defined and dropped again and again, under new numbers.
    package static let firstArchive: TableNumber = 5

    static let accountCount: UInt32 = 12

    /// Where a value lies. Rows lie under their decimal text.
    package struct Place: Hashable, Sendable {
        package var table: TableNumber
        package var key: [UInt8]

        package init(table: TableNumber, key: [UInt8]) {
            self.table = table
            self.key = key
        }

        init(_ table: TableNumber, row: RowID) {
            self.init(table: table, key: Array(row.description.utf8))
        }
    }

    package enum Change: Sendable {
        case put(Place, [UInt8])
        case delete(Place)
        case define(TableDefinition)
        case drop(TableNumber)
    }

    package let seed: UInt64
    /// The most bytes that fill a value up, but for a few that are longer.
    let filling: Int
    package private(set) var contents: [Place: [UInt8]] = [:]
    /// All tables, by number.
    package private(set) var tables: [TableNumber: TableDefinition] = [:]
    /// How many saves there were.
    package private(set) var saves = 0
    /// The sum over all values of a sum of their table, row or key, and bytes: equal for equal
    /// contents.
    package private(set) var digest: UInt64 = 0

    /// An empty ledger.
    package init(seed: UInt64, filling: Int) {
        self.seed = seed
        self.filling = filling
    }

    /// How many new rows of ``entries`` the next save needs.
    package var rowsNeeded: UInt32 { UInt32(1 + saves % 3) }

    package mutating func apply(_ changes: [Change]) {
        for change in changes {
            switch change {
            case .put(let place, let value):
                subtract(place)
                contents[place] = value
                digest &+= Self.sum(place, value)
            case .delete(let place):
                subtract(place)
                contents[place] = nil
            case .define(let definition): tables[definition.number] = definition
            case .drop(let table):
                tables[table] = nil
                for place in contents.keys where place.table == table {
                    subtract(place)
                    contents[place] = nil
                }
            }
        }
        saves += 1
    }

    /// The ledger with one save more.
    package func applying(_ changes: [Change]) -> Ledger {
        var result = self
        result.apply(changes)
        return result
    }

    /// What `other` has otherwise, in a few words. `nil`: nothing.
    package func difference(from other: Ledger) -> String? {
        if tables != other.tables {
            return "tables \(tables.keys.sorted()) instead of \(other.tables.keys.sorted())"
        }
        for place in Set(contents.keys).union(other.contents.keys)
        where contents[place] != other.contents[place] {
            let key = String(decoding: place.key, as: UTF8.self)
            let sizes = [contents[place], other.contents[place]].map { $0?.count ?? -1 }
            return "'\(key)' of \(place.table): \(sizes[0]) bytes, not the right \(sizes[1])"
        }
        return saves == other.saves ? nil : "\(saves) saves instead of \(other.saves)"
    }

    private func old(_ place: Place) -> UInt64 { contents[place].map { Self.sum(place, $0) } ?? 0 }
    private mutating func subtract(_ place: Place) { digest &-= old(place) }

    /// FNV-1a, by Fowler, Noll and Vo, of 64 bits, over eight bytes at a time.
    private static func sum(_ place: Place, _ value: [UInt8]) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ word: UInt64) { sum = (sum ^ word) &* 0x100_0000_01B3 }
        func add(_ bytes: [UInt8]) {
            add(UInt64(bytes.count))
            bytes.withUnsafeBytes { bytes in
                var offset = 0
                while offset + 8 <= bytes.count {
                    add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                    offset += 8
                }
                while offset < bytes.count {
                    add(UInt64(bytes[offset]))
                    offset += 1
                }
            }
        }
        add(UInt64(place.table.rawValue))
        add(place.key)
        add(value)
        return sum ^ (sum >> 29)
    }

    /// The ledger that a store holds. Its saves are counted by what it says itself.
    package init(
        seed: UInt64, filling: Int, contents: [Place: [UInt8]],
        tables: [TableNumber: TableDefinition]
    ) {
        self.init(seed: seed, filling: filling)
        self.contents = contents
        self.tables = tables
        digest = contents.reduce(into: 0) { $0 &+= Self.sum($1.key, $1.value) }
        saves = contents[Self.savesPlace].map { Int(Self.integer($0, at: 0)) } ?? 0
    }

    static let savesPlace = Place(table: .namedBuffers, key: Array("Saves".utf8))

    static func integer(_ bytes: [UInt8], at offset: Int) -> UInt64 {
        guard bytes.count >= offset + 8 else { return 0 }
        return bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What is wrong with the contents in themselves: `nil` if their totals agree.
    package var disagreement: String? {
        guard saves > 0 else {
            return contents.isEmpty ? nil : "values, but no save: \(contents.count)"
        }
        var balance: UInt64 = 0
        var entryCount: UInt64 = 0
        for (place, value) in contents {
            if place.table == Self.accounts { balance &+= Self.integer(value, at: 0) }
            if place.table == Self.entries { entryCount += 1 }
        }
        let stated = contents[Self.savesPlace] ?? []
        if balance != 0 { return "the balances sum up to \(Int64(bitPattern: balance))" }
        if entryCount != Self.integer(stated, at: 8) {
            return "\(entryCount) entries, \(Self.integer(stated, at: 8)) stated"
        }
        let indexed = contents.keys.count { $0.table == Self.index }
        return UInt64(indexed) == entryCount ? nil : "\(indexed) of \(entryCount) indexed"
    }
}
