extension WriteBatch {
    /// Adds operations as they stand in an engine's log, and counts them. Hands nothing over.
    ///
    /// - Returns: the tables that they change rows or keys of; `nil` if the bytes are no operations:
    ///   then the batch is of no use any more.
    package func append(operations: UnsafeRawBufferPointer) -> Set<TableNumber>? {
        countLatest()
        var tables: Set<TableNumber> = []
        // Operations of a table stand together mostly.
        var use = TableUsage()
        func count(_ table: TableNumber, _ more: TableUsage) {
            if use.table != table {
                note(use, &tables)
                use = TableUsage()
                use.table = table
            }
            use.add(more)
        }
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            operationCount += 1
            var more = TableUsage()
            switch operation {
            case .putRow(let table, let row, let stored):
                more.puts = 1
                more.bytes = DecimalKey.longest + stored.count
                more.highestRow = row
                count(table, more)
            case .putKey(let table, let key, let stored):
                more.puts = 1
                more.bytes = key.count + stored.count
                count(table, more)
            case .deleteRow(let table, _), .deleteKey(let table, _):
                more.deletes = 1
                count(table, more)
            case .define(let definition): allDefinitions.append(definition)
            case .drop(let table): allDrops.append(table)
            case .note, .unknown: noteCount += 1
            }
        }
        note(use, &tables)
        guard !reader.isDamaged else { return nil }
        arena.writeRawBytes(operations)
        return tables
    }

    private func note(_ use: TableUsage, _ tables: inout Set<TableNumber>) {
        guard use.puts | use.deletes != 0 else { return }
        counted.add(use)
        tables.insert(use.table)
    }
}
