import CabinetBackend

/// All that a memory backend holds. Not `Sendable`: the backend's lock guards it.
final class Contents {
    /// A table and what is in it: rows or keys.
    struct Table {
        var definition: TableDefinition
        let records: RecordTable?
        let entries: OrderedTable?

        init(_ definition: TableDefinition) {
            self.definition = definition
            let holdsRows = definition.kind == .record
            records = holdsRows ? RecordTable() : nil
            entries = holdsRows ? nil : OrderedTable()
        }
    }

    /// By number; `nil` where a number is free, reserved or dropped.
    @exclusivity(unchecked) private(set) var tables: [Table?]
    /// The tables' folded names.
    private(set) var names: [String: TableNumber] = [:]
    private(set) var dropped: Set<TableNumber> = []
    private(set) var lastCommit: CommitNumber = 0
    private var isClosed = false

    /// The number to reserve next, and per table the row to reserve next.
    private var nextTable = Int(TableNumber.firstFree)
    private var nextRows: [TableNumber: RowID] = [:]

    init() {
        tables = [
            Table(TableDefinition(number: .catalog, kind: .named, name: "Catalog")),
            Table(TableDefinition(number: .namedBuffers, kind: .named, name: "NamedBuffers")),
        ]
    }

    /// `nil`: there is no such table.
    @inline(__always)
    func table(_ number: TableNumber) -> Table? {
        Int(number) < tables.count ? tables[Int(number)] : nil
    }

    func checkOpen() throws(BackendError) {
        if isClosed { throw .closed }
    }

    func close() {
        isClosed = true
        tables = []
        names = [:]
        nextRows = [:]
    }

    // MARK: Reserving

    func reserveTable() throws(BackendError) -> TableNumber {
        guard let number = TableNumber(exactly: nextTable) else { throw .tablesExhausted }
        nextTable += 1
        return number
    }

    func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> {
        let first = nextRows[table] ?? firstRow
        let wanted = max(count, 1)
        guard wanted <= RowID.max - first else { throw .rowsExhausted(table) }
        nextRows[table] = first + wanted
        return first...first + (wanted - 1)
    }

    /// Sees that rows up to `row` are not given out any more.
    private func retire(_ row: RowID, in table: TableNumber) {
        guard row >= nextRows[table] ?? firstRow else { return }
        nextRows[table] = row == .max ? .max : row + 1
    }

    // MARK: Changing

    /// Applies operations that a ``Draft`` has found to be possible.
    func apply(_ operations: UnsafeRawBufferPointer) {
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            switch operation {
            case .putRow(let number, let row, let stored):
                table(number)?.records?.put(stored.dropLast(Operation.checksumSize), at: row)
            case .deleteRow(let number, let row):
                table(number)?.records?.delete(row)
            case .putKey(let number, let key, let stored):
                table(number)?.entries?.put(stored.dropLast(Operation.checksumSize), for: key)
            case .deleteKey(let number, let key):
                table(number)?.entries?.delete(key)
            case .define(let definition):
                define(definition)
            case .drop(let number):
                drop(number)
            case .note, .unknown: break
            }
        }
    }

    /// Counts a commit whose operations were all applied.
    func finishCommit(_ usage: [WriteBatch.TableUsage]) -> CommitNumber {
        for (number, use) in usage.enumerated() where use.highestRow > 0 {
            retire(use.highestRow, in: TableNumber(truncatingIfNeeded: number))
        }
        lastCommit += 1
        return lastCommit
    }

    private func define(_ definition: TableDefinition) {
        let index = Int(definition.number)
        if let old = table(definition.number) {
            names[old.definition.foldedName] = nil
            tables[index]?.definition = definition
        } else {
            if index >= tables.count {
                tables.append(contentsOf: repeatElement(nil, count: index + 1 - tables.count))
            }
            tables[index] = Table(definition)
            nextTable = max(nextTable, index + 1)
        }
        names[definition.foldedName] = definition.number
    }

    private func drop(_ number: TableNumber) {
        guard let old = table(number) else { return }
        names[old.definition.foldedName] = nil
        tables[Int(number)] = nil
        nextRows[number] = nil
        dropped.insert(number)
    }
}

extension UnsafeRawBufferPointer {
    /// All bytes but the last `count`.
    @inline(__always)
    fileprivate func dropLast(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: baseAddress, count: self.count - count)
    }
}
