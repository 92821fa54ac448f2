import CabinetBackend

/// What the remains of a store say about its tables and the rows that were used.
struct SalvageKnowledge {
    private(set) var definitions: [TableNumber: TableDefinition] = [:]
    private(set) var dropped: Set<TableNumber> = []
    /// The highest row that is known to have been used.
    private(set) var highestRows: [TableNumber: RowID] = [:]
    private(set) var highestTable = TableNumber.namedBuffers
    /// Tables whose views hold no checksums, or BNRPersistence's keys.
    private(set) var entries: [TableNumber: CatalogEntry] = [:]
    /// The last save known to have changed the table.
    private(set) var lastSaves: [TableNumber: CommitNumber] = [:]
    /// Whether the feed was to keep commits for history.
    private(set) var keepsHistory = false

    /// The name under which the feed keeps commits that say what they have replaced.
    static let history = "history"

    mutating func define(_ definition: TableDefinition) {
        guard definition.number >= .firstFree else { return }
        definitions[definition.number] = definition
        highestTable = max(highestTable, definition.number)
    }

    mutating func defineIfUnknown(_ definition: TableDefinition) {
        let number = definition.number
        guard definitions[number] == nil, !dropped.contains(number) else { return }
        define(definition)
    }

    mutating func note(_ change: SegmentSalvage.Change) {
        switch change {
        case .table(let state):
            defineIfUnknown(state.definition)
            note(row: state.highestRow, in: state.definition.number)
        case .define(let definition): define(definition)
        case .drop(let table): drop(table)
        }
    }

    mutating func drop(_ table: TableNumber) {
        definitions[table] = nil
        dropped.insert(table)
        highestTable = max(highestTable, table)
    }

    mutating func note(row: RowID, in table: TableNumber) {
        if row > highestRows[table] ?? 0 { highestRows[table] = row }
    }

    mutating func note(table: TableNumber) { highestTable = max(highestTable, table) }

    mutating func note(save: CommitNumber, of table: TableNumber) {
        lastSaves[table] = max(lastSaves[table] ?? 0, save)
    }

    /// Takes an entry of the catalog.
    mutating func note(name bytes: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let name = String(decoding: bytes, as: UTF8.self)
        if name == CatalogKey.tables {
            if let counter = CatalogKey.counter(from: value) {
                note(table: TableNumber(UInt16(truncatingIfNeeded: counter)))
            }
        } else if name.hasPrefix("rows/"), let number = UInt16(name.dropFirst(5)) {
            if let row = CatalogKey.counter(from: value) {
                note(row: RowID(row), in: TableNumber(number))
            }
        } else if name.hasPrefix("table/"), let entry = CatalogEntry(json: value) {
            entries[entry.number] = entry
            defineIfUnknown(entry.definition)
        } else if KeptChanges(key: bytes, value: value)?.name == Self.history {
            keepsHistory = true
        }
    }

    /// Takes a table of BNRPersistence's.
    mutating func defineLegacy(_ name: String, _ metadata: LegacyMetadata) {
        var entry = CatalogEntry(
            TableDefinition(
                number: freeNumber, kind: .record, name: name,
                classNumber: metadata.classNumber, classVersion: metadata.version))
        entry.keyForm = .legacy
        entry.checksums = false
        entries[entry.number] = entry
        note(row: metadata.lastRow, in: entry.number)
        define(entry.definition)
    }

    /// Takes a table that only its view describes, and, if that is BNRPersistence's, its metadata.
    mutating func define(
        _ mark: ViewMark, _ kind: TableKind, name: String, _ legacy: LegacyMetadata?
    ) {
        var definition = TableDefinition(
            number: mark.table, kind: kind, name: name, flags: mark.flags)
        guard kind == .record else { return define(definition) }
        definition.classNumber = mark.classNumber
        definition.classVersion = max(mark.classVersion, legacy?.version ?? 0)
        if let legacy {
            var entry = CatalogEntry(definition)
            entry.keyForm = .legacy
            entry.checksums = false
            entries[entry.number] = entry
            note(row: legacy.lastRow, in: entry.number)
        }
        define(definition)
    }

    var hasLegacyTables: Bool { entries.values.contains { $0.keyForm == .legacy } }

    mutating func noteWithoutSums(_ table: TableDefinition) {
        var entry = CatalogEntry(table)
        entry.checksums = false
        entries[entry.number] = entry
    }

    /// A number that no table has: the one behind the highest, while there is one.
    private var freeNumber: TableNumber {
        if highestTable < .max { return highestTable.next }
        return (TableNumber.firstFree...TableNumber.max).first { definitions[$0] == nil } ?? .max
    }

    /// Forgets the tables that are made of records.
    mutating func leaveOutDerived() {
        for (number, definition) in definitions where definition.flags.contains(.derived) {
            drop(number)
        }
    }

    /// Sees that a store can have all tables: with names that are valid and different.
    mutating func resolveNames() {
        var taken: Set<String> = []
        for number in definitions.keys.inOrder() {
            guard var definition = definitions[number] else { continue }
            var attempt = 0
            while !definition.hasValidName || !taken.insert(definition.foldedName).inserted {
                definition.name = "Recovered-\(number)" + (attempt == 0 ? "" : "-\(attempt)")
                attempt += 1
            }
            definitions[number] = definition
        }
    }
}
