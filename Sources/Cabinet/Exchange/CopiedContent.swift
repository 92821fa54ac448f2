import CabinetBackend

/// What a copy of a store has: the content of a reader, but for what holds in the original alone.
struct CopiedContent {
    private let reader: any BackendReader
    private let tables: [TableDefinition]
    /// The highest row of each table of records that was ever given an object.
    private let highest: [TableNumber: RowID]
    /// What the catalog says of derived tables in the copy, by its keys.
    private let derived: [[UInt8]: [UInt8]]
    /// Tables that have no entries in the copy.
    private let empty: Set<TableNumber>
    /// How many rows and keys there are.
    let size: Int

    init(of reader: any BackendReader, in backend: any Backend) throws {
        self.reader = reader
        // Each class of the copy may be sealed.
        tables = try reader.tables().compactMap { table in
            var table = table
            table.flags.remove(.unsealed)
            return table.flags.contains(.keepsHistory) || table.name == KeptSteps.tableName
                ? nil : table
        }
        var highest: [TableNumber: RowID] = [:]
        var ofClasses: [UInt8: DerivedEntries] = [:]
        for table in tables where table.kind == .record {
            highest[table.number] = try backend.highestRow(of: table.number)
            let entries = try reader.derivedEntries(ofClass: table.classNumber)
            if !entries.isUnreadable { ofClasses[table.classNumber] = entries }
        }
        // Several classes may have one table.
        let anew = Set(
            ofClasses.values.flatMap { $0.all.filter { !$0.isRightInACopy }.map(\.table) })
        var derived: [[UInt8]: [UInt8]] = [:]
        for (number, entries) in ofClasses {
            derived[DerivedEntries.key(ofClass: number)] = entries.bytes(emptying: anew)
        }
        empty = Set(tables.lazy.filter { anew.contains($0.name) }.map(\.number))
        (self.highest, self.derived) = (highest, derived)
        size = try Self.size(of: tables, without: empty, reader)
    }

    private static func size(
        of tables: [TableDefinition], without empty: Set<TableNumber>, _ reader: any BackendReader
    ) throws -> Int {
        var size = try reader.count(of: .catalog) + reader.count(of: .namedBuffers)
        for table in tables where !empty.contains(table.number) {
            size += try reader.count(of: table.number)
        }
        return size
    }

    // MARK: Writing

    /// Makes it the first commit of a store.
    func write(to target: any Backend, _ pace: CopyPace) async throws {
        let batch = target.makeBatch()
        if target.features.contains(.bases) {
            (batch.basis, batch.requiresLastBasis) = (CommitNumber.none, true)
        }
        do {
            for table in tables { try batch.define(table) }
            for table in tables where table.kind == .record {
                try await writeRecords(of: table.number, to: batch, pace)
            }
            for table in keyed { try await writeEntries(of: table, to: batch, pace) }
        } catch {
            target.discard(batch)
            throw error
        }
        try target.commit(batch)
    }

    /// The tables of keys.
    private var keyed: [TableNumber] {
        [.catalog, .namedBuffers]
            + tables.lazy.filter { $0.kind != .record && !empty.contains($0.number) }.map(\.number)
    }

    private func writeRecords(
        of table: TableNumber, to batch: WriteBatch, _ pace: CopyPace
    ) async throws {
        let cursor = try reader.records(in: table)
        let run = RecordRun()
        var last = RowID.none
        while try cursor.next(run) {
            var count = 0
            while let (row, value) = run.next() {
                batch.beginRecord(row, in: table).writeRawBytes(value)
                try batch.endRecord()
                last = max(last, row)
                count += 1
            }
            try await pace.count(count)
        }
        guard let highest = highest[table], highest > last else { return }
        // A row that was committed is not given out again.
        _ = batch.beginRecord(highest, in: table)
        try batch.endRecord()
        try batch.deleteRow(highest, in: table)
    }

    private func writeEntries(
        of table: TableNumber, to batch: WriteBatch, _ pace: CopyPace
    ) async throws {
        let cursor = try reader.entries(in: table, range: .everything, descending: false)
        let run = EntryRun()
        while try cursor.next(run) {
            var count = 0
            while let (key, value) = run.next() {
                count += 1
                try with(key, value, of: table) { value in
                    try batch.put(value, for: key, in: table)
                }
            }
            try await pace.count(count)
        }
    }

    /// Calls `body` with what the copy has under a key, if it has it.
    private func with(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of table: TableNumber,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        guard table == .catalog else { return try body(value) }
        let isHistory = key.starts(with: CatalogName.historyTables.utf8)
        if isHistory || CatalogEntries.isEngines(key) || KeptChanges.isEntry(key) { return }
        guard let other = derived[[UInt8](key)] else { return try body(value) }
        try other.withUnsafeBytes(body)
    }

    // MARK: Comparing

    /// Reads both stores.
    /// - Returns: how many rows and keys there are.
    func compare(with target: any BackendReader, _ pace: CopyPace) async throws -> Int {
        guard try target.tables() == tables else {
            throw StoreCopyError.isDifferent(table: "the table of tables", place: nil)
        }
        var count = 0
        for table in tables where table.kind == .record {
            count += try await compareRecords(of: table, with: target, pace)
        }
        for number in keyed {
            let name = tables.first { $0.number == number }?.name
            count += try await compareEntries(
                of: number, name ?? (number == .catalog ? "Catalog" : "NamedBuffers"), with: target,
                pace)
        }
        return count
    }

    private func compareRecords(
        of table: TableDefinition, with target: any BackendReader, _ pace: CopyPace
    ) async throws -> Int {
        let cursor = try reader.records(in: table.number)
        let (run, other) = (RecordRun(), RecordRun())
        var count = 0
        while try cursor.next(run) {
            var wanted: [(row: RowID, value: UnsafeRawBufferPointer)] = []
            while let next = run.next() { wanted.append(next) }
            var left = wanted[...]
            while !left.isEmpty {
                let looked = try target.values(
                    of: left.map(\.row)[...], in: table.number, into: other)
                for (row, value) in left.prefix(looked) {
                    guard let found = other.next(), found.row == row,
                        found.value.elementsEqual(value)
                    else { throw StoreCopyError.isDifferent(table: table.name, place: "\(row)") }
                }
                left = left.dropFirst(looked)
            }
            count += wanted.count
            try await pace.count(wanted.count)
        }
        guard try target.count(of: table.number) == count else {
            throw StoreCopyError.isDifferent(table: table.name, place: nil)
        }
        return count
    }

    private func compareEntries(
        of table: TableNumber, _ name: String, with target: any BackendReader, _ pace: CopyPace
    ) async throws -> Int {
        let cursor = try reader.entries(in: table, range: .everything, descending: false)
        let (run, buffer) = (EntryRun(), DataBuffer())
        var count = 0
        while try cursor.next(run) {
            var met = 0
            while let (key, value) = run.next() {
                met += 1
                try with(key, value, of: table) { value in
                    count += 1
                    guard try target.value(forKey: key, in: table, into: buffer),
                        buffer.withUnsafeBytes({ $0.elementsEqual(value) })
                    else {
                        throw StoreCopyError.isDifferent(table: name, place: Self.hexadecimal(key))
                    }
                }
            }
            try await pace.count(met)
        }
        guard try Self.count(of: table, in: target) == count else {
            throw StoreCopyError.isDifferent(table: name, place: nil)
        }
        return count
    }

    /// Without what an engine keeps for itself.
    private static func count(
        of table: TableNumber, in target: any BackendReader
    ) throws -> Int {
        guard table == .catalog else { return try target.count(of: table) }
        let cursor = try target.entries(in: table, range: .everything, descending: false)
        let run = EntryRun()
        var count = 0
        while try cursor.next(run) {
            while let (key, _) = run.next() {
                if !CatalogEntries.isEngines(key) { count += 1 }
            }
        }
        return count
    }

    private static func hexadecimal(_ key: UnsafeRawBufferPointer) -> String {
        key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension DerivedEntries {
    /// The entry of the catalog after which tables of these names are built anew.
    fileprivate func bytes(emptying tables: Set<String>) -> [UInt8] {
        var entries = self
        for var entry in all where tables.contains(entry.table) {
            (entry.state, entry.since) = (.building, 0)
            entries[entry.kind, entry.name] = entry
        }
        let buffer = DataBuffer()
        entries.write(to: buffer)
        return buffer.withUnsafeBytes { Array($0) }
    }
}

extension DerivedEntry {
    /// Not one that is not complete, as the commits that it lacks have other numbers there; nor one of texts,
    /// whose segments are in the order of commits.
    fileprivate var isRightInACopy: Bool {
        kind == Self.kindOfIndexes && (state == .complete || state == .refused)
    }
}
