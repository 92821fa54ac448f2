import CabinetBackend

/// Random changes of a store, and what it holds after each commit of them.
struct FeedModel {
    /// What a store holds, as its changes make it.
    struct Contents: Equatable {
        var tables: [TableNumber: TableDefinition] = [:]
        var rows: [TableNumber: [RowID: [UInt8]]] = [:]
        var keys: [TableNumber: [[UInt8]: [UInt8]]] = [:]

        mutating func apply(_ operation: Operation) {
            switch operation {
            case .putRow(let table, let row, let stored):
                rows[table, default: [:]][row] = Array(stored.dropLast(Operation.checksumSize))
            case .deleteRow(let table, let row): rows[table]?[row] = nil
            // Engines have entries of their own in the catalog.
            case .putKey(.catalog, _, _), .deleteKey(.catalog, _): break
            case .putKey(let table, let key, let stored):
                keys[table, default: [:]][Array(key)] = Array(
                    stored.dropLast(Operation.checksumSize))
            case .deleteKey(let table, let key): keys[table]?[Array(key)] = nil
            case .define(let definition): tables[definition.number] = definition
            case .drop(let table):
                tables[table] = nil
                rows[table] = nil
                keys[table] = nil
            case .note, .unknown: break
            }
            if rows.values.contains(where: \.isEmpty) { rows = rows.filter { !$0.value.isEmpty } }
            if keys.values.contains(where: \.isEmpty) { keys = keys.filter { !$0.value.isEmpty } }
        }
    }

    private(set) var contents = Contents()
    private(set) var history: [Contents] = []

    /// Counts what was changed as a commit.
    mutating func commit() { history.append(contents) }

    /// Writes the changes of a step to `batch`: in tables 10 (records) and 11 (ordered), in the
    /// named buffers, and in a table that comes and goes.
    mutating func change(
        _ step: Int, _ numbers: inout SeededNumbers, _ batch: WriteBatch
    ) throws {
        if step == 0 {
            try define(10, .record, "Song", batch)
            try define(11, .ordered, "Index", batch)
        }
        let passing = TableNumber(UInt16(20 + step / 30))
        if step % 30 == 10 { try define(passing, .record, "Passing", batch) }
        if step % 30 == 15 { try define(passing, .record, "Renamed", batch) }
        for _ in 0..<Int.random(in: 1...6, using: &numbers) {
            let row = RowID(UInt32.random(in: 2...60, using: &numbers))
            let value = pattern(row.rawValue, Int.random(in: 0...50, using: &numbers))
            if Int.random(in: 0..<3, using: &numbers) == 0 {
                try batch.deleteRow(row, in: 10)
                contents.rows[10]?[row] = nil
            } else {
                try batch.put(value, at: row, in: 10)
                contents.rows[10, default: [:]][row] = value
            }
            if 10..<20 ~= step % 30 {
                try batch.put(value, at: row, in: passing)
                contents.rows[passing, default: [:]][row] = value
            }
            try changeKey(Array("\(row)".utf8), value, &numbers, batch)
        }
        if step % 30 == 20 {
            try batch.drop(passing)
            contents.tables[passing] = nil
            contents.rows[passing] = nil
        }
        // Additions come last.
        let key = [UInt8(step % 3)]
        batch.add(Int64(step % 7) - 3, for: key, in: .namedBuffers)
        let sum = (sums[key] ?? 0) + Int64(step % 7) - 3
        sums[key] = sum == 0 ? nil : sum
        contents.keys[.namedBuffers] = sums.isEmpty ? nil : sums.mapValues { bytes(of: $0) }
        contents.rows = contents.rows.filter { !$0.value.isEmpty }
        contents.keys = contents.keys.filter { !$0.value.isEmpty }
    }

    private var sums: [[UInt8]: Int64] = [:]

    private mutating func changeKey(
        _ key: [UInt8], _ value: [UInt8], _ numbers: inout SeededNumbers, _ batch: WriteBatch
    ) throws {
        if Int.random(in: 0..<3, using: &numbers) == 0 {
            try batch.deleteKey(key, in: 11)
            contents.keys[11]?[key] = nil
        } else {
            try batch.put(value, for: key, in: 11)
            contents.keys[11, default: [:]][key] = value
        }
    }

    private mutating func define(
        _ number: TableNumber, _ kind: TableKind, _ name: String, _ batch: WriteBatch
    ) throws {
        let definition = TableDefinition(number: number, kind: kind, name: name)
        try batch.define(definition)
        contents.tables[number] = definition
    }
}
