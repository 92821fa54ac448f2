import CabinetBackend

extension Contents {
    /// Applies operations that a ``BatchDraft`` has found to be possible.
    func apply(_ operations: UnsafeRawBufferPointer) {
        let isKeeping = window.isKeeping
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            if isKeeping { note(operation) }
            switch operation {
            case .putRow(let number, let row, let stored):
                table(number)?.records?.put(stored.dropLast(Operation.checksumSize), at: row)
            case .deleteRow(let number, let row):
                table(number)?.records?.delete(row)
            case .putKey(let number, let key, let stored):
                let value = stored.dropLast(Operation.checksumSize)
                table(number)?.entries?.put(value, for: key)
                if number == .catalog { feed.note(catalogKey: key, value: value) }
            case .deleteKey(let number, let key):
                table(number)?.entries?.delete(key)
                if number == .catalog { feed.note(catalogKey: key, value: nil) }
            case .define(let definition):
                define(definition)
            case .drop(let number):
                drop(number)
            case .note, .unknown:
                break
            }
        }
    }

    /// Keeps for frozen readers what an operation is going to change.
    private func note(_ operation: Operation) {
        let commit = lastCommit.next
        switch operation {
        case .putRow(let number, let row, _), .deleteRow(let number, let row):
            // A table in memory throws nothing.
            try? window.note(row: row, in: number, commit: commit) {
                table(number)?.records?.value(of: row)
            }
        case .putKey(let number, let key, _), .deleteKey(let number, let key):
            try? window.note(key: key, in: number, commit: commit) {
                table(number)?.entries?.value(for: key)
            }
        case .define(let definition):
            window.note(
                definition: table(definition.number)?.definition, of: definition.number,
                commit: commit)
        case .drop(let number):
            guard let table = table(number) else { return }
            window.note(definition: table.definition, of: number, commit: commit)
            window.note(count: table.count, of: number, commit: commit)
            if let content = table.content {
                window.note(content: content, of: number, commit: commit)
            }
        case .note, .unknown:
            break
        }
    }

    /// Keeps for frozen readers how many rows and keys there are, before a batch is applied.
    func noteCounts(_ usage: WriteBatch.TableUsages) {
        guard window.isKeeping else { return }
        for use in usage {
            window.note(count: table(use.table)?.count ?? 0, of: use.table, commit: lastCommit.next)
        }
    }

    /// Counts a commit whose operations were all applied.
    func finishCommit(_ usage: WriteBatch.TableUsages) -> CommitNumber {
        for use in usage where use.highestRow > 0 { retire(use.highestRow, in: use.table) }
        lastCommit = lastCommit.next
        return lastCommit
    }

    private func define(_ definition: TableDefinition) {
        let index = Int(definition.number.rawValue)
        if table(definition.number) != nil {
            tables[index]?.definition = definition
            return
        }
        if index >= tables.count {
            tables.append(contentsOf: repeatElement(nil, count: index + 1 - tables.count))
        }
        tables[index] = Table(definition)
        noteDefined(definition.number)
    }

    private func drop(_ number: TableNumber) {
        guard let table = table(number) else { return }
        tables[number.index] = nil
        noteDropped(table.definition)
    }
}

/// What a batch requires and adds to is looked up in the contents, whose lock the commit holds.
extension Contents: StateBeforeBatch {
    func contains(row: RowID, in table: TableNumber) -> Bool {
        self.table(table)?.records?.value(of: row) != nil
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) -> Bool {
        buffer.removeAll()
        guard let value = self.table(table)?.entries?.value(for: key) else { return false }
        buffer.writeRawBytes(value)
        return true
    }

    func checkBasis(_ basis: CommitNumber) throws(BackendError) {
        guard window.knowsChanges(since: basis, last: lastCommit) else {
            throw .changesGone(oldest: window.oldest ?? lastCommit)
        }
    }

    func hasCommits(since basis: CommitNumber) -> Bool { basis < lastCommit }

    func hasChanged(row: RowID, in table: TableNumber, since basis: CommitNumber) -> Bool {
        basis < lastCommit && window.hasChanged(row: row, in: table, since: basis)
    }

    func hasChanged(
        key: UnsafeRawBufferPointer, in table: TableNumber, since basis: CommitNumber
    ) throws(BackendError) -> Bool {
        guard basis < lastCommit else { return false }
        return try window.hasChanged(key: key, in: table, since: basis)
    }
}

extension UnsafeRawBufferPointer {
    /// All bytes but the last `count`.
    @inline(__always)
    fileprivate func dropLast(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: baseAddress, count: self.count - count)
    }
}
