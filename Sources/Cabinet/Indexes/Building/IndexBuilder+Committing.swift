import CabinetBackend

extension IndexBuilder {
    /// Commits the chunk and empties it. Rows that saves have changed since the basis are left out: the
    /// saves have entered them.
    /// - Parameter isLast: whether the index is complete then, unless rows must be looked at again.
    func commitChunk(
        _ index: ClassIndex, _ indexes: ClassIndexes, _ position: inout Position,
        isLast: Bool = false
    ) throws -> Outcome {
        guard let table = index.table, let entry = index.entry else { return .outdated }
        if index.index.isUnique, let (row, other) = chunk.duplicate() {
            throw StoreError.notUnique(
                class: indexes.storedClass.name, index: index.name, row: row, by: other)
        }
        while true {
            let isEnd = isLast && position.again.isEmpty
            let batch = store.backend.makeBatch()
            do {
                // Before the keys: these are handed over while they are written.
                try writeEntries(isEnd ? entry : nil, indexes, to: batch)
                if store.isIsolated { batch.basis = position.basis }
                let isGuarded = store.isIsolated && !GuardedStep.unchangedRows.isLeftOut
                try chunk.write(
                    to: batch, table, rowsOf: isGuarded ? indexes.storedClass.table : nil,
                    except: position.left)
                SchedulePoint.building.pass()
            } catch {
                store.backend.discard(batch)
                throw error
            }
            do {
                let number = try store.backend.commit(batch)
                if isEnd { _ = store.hub.didCommit() }
                chunk.removeAll()
                try move(&position, to: number, indexes.storedClass)
                return .committed
            } catch BackendError.conflict(let conflicts) {
                guard try leaveOut(conflicts, index, table, &position) else { return .outdated }
                // Saves do not know of keys that their records had long ago.
                if entry.state == .catchingUp, !GuardedStep.changedWhileCatchingUp.isLeftOut {
                    position.again = position.left
                }
            } catch BackendError.changesGone {
                return .outdated
            } catch BackendError.noTable {
                // It was unregistered, or begun anew.
                return .outdated
            }
        }
    }

    private func writeEntries(
        _ entry: DerivedEntry?, _ indexes: ClassIndexes, to batch: WriteBatch
    ) throws(BackendError) {
        let number = indexes.storedClass.number
        guard var entry else {
            if !store.isIsolated { return }
            return DerivedEntries.requireUnchanged(ofClass: number, in: batch)
        }
        entry.state = .complete
        entry.since = 0
        var entries = indexes.tables.entries
        entries[entry.kind, entry.name] = entry
        try entries.put(ofClass: number, in: batch)
    }

    /// The next chunk is based on the commit `number`, where it is known what others have changed
    /// before it: the engine then has less to compare.
    private func move(
        _ position: inout Position, to number: CommitNumber, _ storedClass: StoredClass
    ) throws {
        chunk.adapt(toOthers: number != position.basis.next)
        if number != position.basis.next {
            let others = try ForeignChanges(
                after: position.basis, upTo: number, except: number, of: store.backend)
            if others.isUnknown { return }
            for row in others.tables[storedClass.table]?.all ?? [] { position.left.insert(row) }
        }
        position.basis = number
    }

    /// Notes what others have changed. `false`: the entries of the class.
    /// - Throws: ``StoreError/notUnique(class:index:row:by:)``.
    private func leaveOut(
        _ conflicts: [Conflict], _ index: ClassIndex, _ table: TableNumber,
        _ position: inout Position
    ) throws -> Bool {
        let records = index.storedClass.table
        var contested: Set<[UInt8]> = []
        for conflict in conflicts {
            switch conflict {
            case .row(let row, records): position.left.insert(row)
            case .key(let key, table): contested.insert(key)
            default: return false
            }
        }
        if contested.isEmpty { return true }
        let found = DataBuffer()
        try chunk.forEachKey { kind, row, key in
            guard contested.contains([UInt8](key)), !position.left.contains(row) else { return }
            let isThere = try store.backend.value(forKey: key, in: table, into: found)
            if kind == .putAlone, isThere,
                let owner = found.withUnsafeBytes({ OrderedKey.row(of: $0) }), owner != row
            {
                guard index.entry?.state == .catchingUp else {
                    throw StoreError.notUnique(
                        class: index.storedClass.name, index: index.name, row: row, by: owner)
                }
            }
            position.left.insert(row)
            position.again.insert(row)
        }
        return true
    }
}
