import CabinetBackend

extension Backend {
    /// Makes a save of a ledger: all its changes in one batch.
    package func commit(_ changes: [Ledger.Change]) throws(BackendError) -> CommitNumber {
        let batch = makeBatch()
        do throws(BackendError) {
            for change in changes {
                if case .define(let table) = change {
                    batch.expect(
                        changes.count { $0.isPut(in: table.number) }, in: table.number)
                }
                try batch.add(change)
            }
            let number = Ledger.number(of: changes)
            try batch.addNotes(ofSave: number)
            if let kept = Ledger.kept(fromSave: number, in: self) { try batch.keepChanges(kept) }
        } catch {
            discard(batch)
            throw error
        }
        return try commit(batch)
    }
}

extension BackendReader {
    /// Reads all that the store holds, by every way of reading there is, and holds them against
    /// each other.
    package func readLedger(seed: UInt64, filling: Int) throws -> Ledger {
        var contents: [Ledger.Place: [UInt8]] = [:]
        var tables: [TableNumber: TableDefinition] = [:]
        for table in try self.tables() {
            tables[table.number] = table
            if table.kind == .record {
                try readRows(of: table.number, into: &contents)
            } else {
                try readKeys(of: table.number, isOrdered: true, into: &contents)
            }
        }
        try readKeys(of: .namedBuffers, isOrdered: false, into: &contents)
        return Ledger(seed: seed, filling: filling, contents: contents, tables: tables)
    }

    private func readRows(
        of table: TableNumber, into contents: inout [Ledger.Place: [UInt8]]
    ) throws {
        let cursor = try records(in: table)
        let run = RecordRun()
        let buffer = DataBuffer()
        var count = 0
        while try cursor.next(run) {
            while let (row, value) = run.next() {
                let bytes = Array(value)
                guard try self.value(of: row, in: table, into: buffer),
                    buffer.withUnsafeBytes({ Array($0) }) == bytes
                else { throw LedgerFailure("row \(row) of \(table) is not what the walk met") }
                let place = Ledger.Place(table, row: row)
                guard contents.updateValue(bytes, forKey: place) == nil else {
                    throw LedgerFailure("row \(row) of \(table) was met twice")
                }
                count += 1
            }
        }
        guard try self.count(of: table) == count else {
            throw LedgerFailure("table \(table) counts \(try self.count(of: table)), has \(count)")
        }
    }

    private func readKeys(
        of table: TableNumber, isOrdered: Bool, into contents: inout [Ledger.Place: [UInt8]]
    ) throws {
        let cursor = try entries(in: table, range: .everything, descending: false)
        let run = EntryRun()
        let buffer = DataBuffer()
        var count = 0
        var last: [UInt8]?
        while try cursor.next(run) {
            while let (keyBytes, value) = run.next() {
                let key = Array(keyBytes)
                let bytes = Array(value)
                guard try self.value(forKey: keyBytes, in: table, into: buffer),
                    buffer.withUnsafeBytes({ Array($0) }) == bytes
                else { throw LedgerFailure("key \(key) of \(table) is not what the walk met") }
                if isOrdered, let last, !last.lexicographicallyPrecedes(key) {
                    throw LedgerFailure("key \(key) of \(table) is out of order")
                }
                last = key
                let place = Ledger.Place(table: table, key: key)
                guard contents.updateValue(bytes, forKey: place) == nil else {
                    throw LedgerFailure("key \(key) of \(table) was met twice")
                }
                count += 1
            }
        }
        guard try self.count(of: table) == count else {
            throw LedgerFailure("table \(table) counts \(try self.count(of: table)), has \(count)")
        }
    }
}

extension WriteBatch {
    fileprivate func add(_ change: Ledger.Change) throws(BackendError) {
        switch change {
        case .put(let place, let value):
            if let row = place.row {
                let buffer = beginRecord(row, in: place.table)
                value.withUnsafeBytes { buffer.writeRawBytes($0) }
                try endRecord()
            } else {
                try place.withKey { key throws(BackendError) in
                    try value.withUnsafeBufferPointer { bytes throws(BackendError) in
                        try put(UnsafeRawBufferPointer(bytes), for: key, in: place.table)
                    }
                }
            }
        case .delete(let place):
            if let row = place.row {
                try deleteRow(row, in: place.table)
            } else {
                try place.withKey { key throws(BackendError) in
                    try deleteKey(key, in: place.table)
                }
            }
        case .define(let definition): try define(definition)
        case .drop(let table): try drop(table)
        }
    }
}

extension Ledger.Change {
    fileprivate func isPut(in table: TableNumber) -> Bool {
        if case .put(let place, _) = self { place.table == table } else { false }
    }
}

extension Ledger.Place {
    /// The row, in the tables that have rows.
    var row: RowID? {
        guard table >= Ledger.accounts, table != Ledger.index else { return nil }
        return UInt32(String(decoding: key, as: UTF8.self)).map { RowID($0) }
    }

    fileprivate func withKey(
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError) {
        try key.withUnsafeBufferPointer { bytes throws(BackendError) in
            try body(UnsafeRawBufferPointer(bytes))
        }
    }
}

/// Reading a store gave what cannot be.
package struct LedgerFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
