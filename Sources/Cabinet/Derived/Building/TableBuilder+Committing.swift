import CabinetBackend

extension TableBuilder {
    /// Commits what a filler has collected. Rows that saves have changed since the basis are left out: the
    /// saves have entered them.
    /// - Parameter isLast: whether the table is complete then, unless rows must be looked at again.
    /// - Returns: `false` if others have changed the entries of the class, or too much has changed since.
    func commitChunk(
        of filler: TableFiller, _ position: inout Position, isLast: Bool = false
    ) throws -> Bool {
        let table = filler.table
        let storedClass = table.storedClass
        let isGuarded =
            store.isIsolated && !filler.isFree && !GuardedStep.unchangedRows.isLeftOut
        try filler.check()
        while true {
            let isEnd = isLast && position.again.isEmpty
            if store.isIsolated, filler.readsTable {
                try store.refresh()
                position.basis = store.basis
                guard try isCurrent(position.entries, of: table, at: store.reader) else {
                    return false
                }
            }
            do {
                let number = try store.commitBesideSaves(
                    ofClass: storedClass.number, basis: position.basis,
                    isEnd ? try completed(table, position) : nil,
                    isAnnounced: isEnd || filler.isFree
                ) {
                    if isEnd, let entry = table.entry { try $0.letGoOfChanges(for: entry) }
                    try filler.write(
                        to: $0, guarding: isGuarded ? storedClass.table : nil,
                        except: position.left)
                }
                filler.didEnd(committed: true)
                try move(&position, to: number, filler)
                return true
            } catch BackendError.conflict(let conflicts) {
                filler.didEnd(committed: false)
                guard try leaveOut(conflicts, filler, &position) else { return false }
            }
        }
    }

    private func completed(_ table: DerivedTable, _ position: Position) throws -> DerivedEntries {
        guard var entry = table.entry else { throw table.leftOut }
        (entry.state, entry.since) = (.complete, 0)
        var entries = position.entries
        entries[entry.kind, entry.name] = entry
        return entries
    }

    /// The next chunk is based on the commit `number`, where it is known what others have changed
    /// before it: the engine then has less to compare.
    private func move(
        _ position: inout Position, to number: CommitNumber, _ filler: TableFiller
    ) throws {
        let isNext = number == position.basis.next
        filler.adapt(toOthers: !isNext)
        if !isNext, !filler.isFree {
            let others = try ForeignChanges(
                after: position.basis, upTo: number, except: number, of: store.backend)
            if others.isUnknown { return }
            for row in others.tables[filler.table.storedClass.table]?.all ?? [] {
                position.left.insert(row)
            }
        }
        position.basis = number
    }

    /// Notes what others have changed. `false`: the entries of the class.
    private func leaveOut(
        _ conflicts: [Conflict], _ filler: TableFiller, _ position: inout Position
    ) throws -> Bool {
        let table = filler.table
        let (records, number) = (table.storedClass.table, table.table ?? .catalog)
        var conflicting: Set<[UInt8]> = []
        for conflict in conflicts {
            switch conflict {
            case .row(let row, records): position.left.insert(row)
            case .key(let key, number) where number != .catalog: conflicting.insert(key)
            default: return false
            }
        }
        if !conflicting.isEmpty, try !filler.leaveOut(conflicting, &position) { return false }
        // Saves do not know of entries that their records had long ago.
        if table.entry?.state == .catchingUp, !GuardedStep.changedWhileCatchingUp.isLeftOut {
            position.again = position.left
        }
        return !conflicts.isEmpty
    }
}
