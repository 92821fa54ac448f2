import CabinetBackend

// What commits say that they have replaced (``FormerValue``), so far as the log has it.
extension Salvage {
    /// The commits at the end of the log that are all there, if some of them say what they have replaced and the
    /// feed was to keep them: the new store gets these one by one.
    func commitsOfHistory() throws -> ArraySlice<SalvagedCommit> {
        var start = commits.endIndex
        while start > 0, commits[start - 1].isWhole,
            start == commits.endIndex || commits[start - 1].number.next == commits[start].number
        {
            start -= 1
        }
        var saysFormers = false
        for commit in commits[start...] {
            try commit.forEachOperation { operation in
                switch operation {
                case .unknown(Operation.former, _, _): saysFormers = true
                case .putKey(.catalog, let key, let stored) where KeptChanges.isEntry(key):
                    knowledge.note(name: key, value: Checksum.value(of: stored))
                default: break
                }
            }
        }
        return saysFormers && knowledge.keepsHistory ? commits[start...] : []
    }

    /// Gives the new store commits of which the feed keeps what they have replaced, with their authors, times
    /// and notes. Their numbers are others.
    func write(_ history: ArraySlice<SalvagedCommit>, to target: SalvageTarget) throws {
        if !report.lost.isEmpty { try restoreFormers(of: history, to: target) }
        try target.beginHistory()
        for commit in history {
            try pace.check()
            try commit.forEachOperation { operation in
                try apply(operation, of: commit, to: target)
                switch operation {
                case .note(let tag, let bytes): try target.note(tag, bytes)
                case .unknown(Operation.former, let table, let bytes) where kind(of: table) != nil:
                    try target.addFormer(bytes, in: table)
                default: break
                }
            }
            pace.advance(commit.size)
            if let header = commit.frames.last?.header { try target.commit(as: header) }
        }
        target.endHistory()
    }

    /// Where saves are lost, those that follow say what they have left, of rows and names that they change.
    private func restoreFormers(
        of history: ArraySlice<SalvagedCommit>, to target: SalvageTarget
    ) throws {
        var known: Set<DeletedKey> = []
        for commit in history {
            // Whether it leaves something there.
            var left: [DeletedKey: Bool] = [:]
            var newRows: Set<TableNumber> = []
            try commit.forEachOperation { operation in
                if let entry = TableEntry(operation) {
                    let row = entry.hasKey ? 0 : entry.row
                    left[DeletedKey(table: entry.table, row: row, key: Array(entry.key))] =
                        entry.stored != nil
                }
                guard case .unknown(Operation.former, let table, let bytes) = operation,
                    let kind = kind(of: table)
                else { return }
                if kind == .record, FormerValue.saysNewRows(bytes) { newRows.insert(table) }
                guard let former = FormerValue(bytes) else { return }
                let value = former.stored.map { Checksum.value(of: $0) }
                switch former.place {
                case .row(let row):
                    guard kind == .record,
                        known.insert(DeletedKey(table: table, row: row)).inserted
                    else { return }
                    guard let value else { return try target.delete(row: row, in: table) }
                    try target.put(value, at: row, in: table)
                case .key(let key):
                    guard kind == .named,
                        known.insert(DeletedKey(table: table, key: Array(key))).inserted
                    else { return }
                    guard let value else { return try target.delete(key: key, in: table) }
                    try target.put(value, for: key, in: table)
                }
            }
            for (place, isThere) in left where isThere && newRows.contains(place.table) {
                guard known.insert(place).inserted else { continue }
                try target.delete(row: place.row, in: place.table)
            }
            known.formUnion(left.keys)
        }
    }
}
