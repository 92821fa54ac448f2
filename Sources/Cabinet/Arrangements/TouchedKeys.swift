import CabinetBackend

/// What commits have put into the tables of an arrangement's parts, and taken out of them.
struct TouchedKeys {
    /// A key of one part.
    struct Entry: Hashable {
        let key: [UInt8]
        let part: Int

        static func isBefore(_ one: Entry, _ other: Entry) -> Bool {
            one.key == other.key
                ? one.part < other.part : one.key.lexicographicallyPrecedes(other.key)
        }
    }

    private struct Fate {
        let wasThere: Bool
        var isThere: Bool
    }

    private let parts: [ClassIndex]
    private var fates: [Entry: Fate] = [:]
    /// The rows of each part whose records were written.
    private(set) var written: [Set<RowID>]
    /// `false` if one of the tables may have been made anew, or left behind, meanwhile, or if so much has
    /// changed that to look at the whole list takes less.
    private(set) var isKnown = true

    /// Of more keys and records together nothing is kept.
    private static var most: Int { 1 << 18 }

    /// How many keys and records have changed.
    var count: Int { written.reduce(fates.count) { $0 + $1.count } }

    init(_ parts: [ClassIndex]) {
        self.parts = parts
        written = Array(repeating: [], count: parts.count)
    }

    mutating func take(_ commit: CommittedChanges) throws(BackendError) {
        let catalogKeys = parts.map { DerivedEntries.key(ofClass: $0.storedClass.number) }
        try commit.forEachOperation { operation in
            switch operation {
            case .putKey(.catalog, let key, _), .deleteKey(.catalog, let key):
                if catalogKeys.contains(where: { key.elementsEqual($0) }) { isKnown = false }
            case .putKey(let table, let key, _): note(key, in: table, isThere: true)
            case .deleteKey(let table, let key): note(key, in: table, isThere: false)
            case .putRow(let table, let row, _):
                for (part, index) in parts.enumerated() where index.storedClass.table == table {
                    written[part].insert(row)
                }
            case .define(let definition): noteTable(definition.number)
            case .drop(let table): noteTable(table)
            case .deleteRow, .note, .unknown: break
            }
            guard fates.count > Self.most else { return }
            (fates, isKnown) = ([:], false)
        }
        if count > Self.most { isKnown = false }
    }

    /// A save puts a key only where there was none, and deletes only one that is there.
    private mutating func note(
        _ key: UnsafeRawBufferPointer, in table: TableNumber, isThere: Bool
    ) {
        guard let part = parts.firstIndex(where: { $0.table == table }) else { return }
        let entry = Entry(key: [UInt8](key), part: part)
        fates[entry, default: Fate(wasThere: !isThere, isThere: isThere)].isThere = isThere
    }

    private mutating func noteTable(_ table: TableNumber) {
        if parts.contains(where: { $0.table == table }) { isKnown = false }
    }

    /// The keys that were there before and are not any more, in their order.
    var leaving: [Entry] { sorted { $0.wasThere && !$0.isThere } }
    /// The keys that have come, in their order.
    var entering: [Entry] { sorted { !$0.wasThere && $0.isThere } }

    private func sorted(where isWanted: (Fate) -> Bool) -> [Entry] {
        fates.filter { isWanted($0.value) }.keys.sorted(by: Entry.isBefore)
    }
}
