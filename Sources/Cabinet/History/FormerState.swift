import CabinetBackend

/// What a store held as of one commit, so far as later commits have changed it. `Sendable`: a value.
struct FormerState: Sendable {
    private var tables: [FormerContents<RowID>] = []
    private var indexes: [TableNumber: Int] = [:]
    /// The table that was noted last: changes of one stand together.
    private var latest: (table: TableNumber, index: Int)?
    private(set) var names = FormerContents<[UInt8]>()
    /// Tables of which commits are not known that may have changed them: the last such commit of each.
    private var gaps: [TableNumber: CommitNumber] = [:]

    /// The rows of a table; `nil` if none of it has changed.
    subscript(table: TableNumber) -> FormerContents<RowID>? { indexes[table].map { tables[$0] } }

    /// The tables with changed rows, ascending.
    var changedTables: [TableNumber] { indexes.keys.inOrder() }

    /// The last commit of which it is not known what it has replaced in a table.
    /// - Parameter last: rows that later commits have changed first do not count.
    func gap(
        of table: TableNumber, upTo last: CommitNumber = CommitNumber(.max)
    ) -> CommitNumber? {
        let rows = table == .namedBuffers ? names.gap(upTo: last) : self[table]?.gap(upTo: last)
        return [rows, gaps[table]].compactMap { $0 }.max()
    }

    /// Likewise, of which it is not known either which rows it has changed.
    func wholeGap(of table: TableNumber) -> CommitNumber? { gaps[table] }

    /// A commit may have changed anything in a table.
    mutating func noteGap(of table: TableNumber, in commit: CommitNumber) {
        gaps[table] = max(gaps[table] ?? 0, commit)
    }

    /// Takes note of all that a commit, the next one, has changed.
    mutating func note(_ commit: CommittedChanges) throws(BackendError) {
        let number = commit.number
        var newRows: [TableNumber] = []
        try commit.forEachOperation { operation throws(BackendError) in
            switch operation {
            case .putRow(let table, let row, _):
                tables[index(of: table)].noteChange(of: row, in: number, isThere: true)
            case .deleteRow(let table, let row):
                tables[index(of: table)].noteChange(of: row, in: number, isThere: false)
            case .putKey(.namedBuffers, let key, _):
                names.noteChange(of: [UInt8](key), in: number, isThere: true)
            case .deleteKey(.namedBuffers, let key):
                names.noteChange(of: [UInt8](key), in: number, isThere: false)
            case .unknown(Operation.former, let table, let bytes):
                if FormerValue.saysNewRows(bytes) { return newRows.append(table) }
                note(FormerValue(bytes), in: table, of: number)
            case .drop(let table): noteGap(of: table, in: number)
            case .putKey, .deleteKey, .define, .note, .unknown: break
            }
        }
        for table in newRows { tables[index(of: table)].noteNew(in: number) }
    }

    private mutating func note(
        _ former: FormerValue?, in table: TableNumber, of commit: CommitNumber
    ) {
        guard let former else { return }
        let value = former.stored.map {
            UnsafeRawBufferPointer(rebasing: $0.dropLast(Operation.checksumSize))
        }
        switch former.place {
        case .row(let row): tables[index(of: table)].note(value, of: row, in: commit)
        case .key(let key):
            if table == .namedBuffers { names.note(value, of: [UInt8](key), in: commit) }
        }
    }

    /// Takes note of an entry of history, of the next commit.
    mutating func note(
        _ content: HistoryKey.Content, _ value: UnsafeRawBufferPointer??, in commit: CommitNumber
    ) {
        switch content {
        case .commit: break
        case .table(let table): noteGap(of: table, in: commit)
        case .row(let table, let row):
            let index = index(of: table)
            if let value { return tables[index].note(value, of: row, in: commit) }
            tables[index].noteChange(of: row, in: commit)
        case .name(let name):
            if let value { return names.note(value, of: name, in: commit) }
            names.noteChange(of: name, in: commit)
        }
    }

    /// Finds out by `reader`, which has the end of the look, what is there of which entries do not say it.
    mutating func resolve(by reader: any BackendReader) throws(BackendError) {
        for (table, index) in indexes {
            try tables[index].resolve { rows throws(BackendError) in
                try reader.presentRows(among: rows[...], in: table)
            }
        }
        try names.resolve { names throws(BackendError) in
            let buffer = DataBuffer()
            var present: [[UInt8]] = []
            for name in names {
                let isThere = try name.withUnsafeBytesThrowing { key throws(BackendError) in
                    try reader.value(forKey: key, in: .namedBuffers, into: buffer)
                }
                if isThere { present.append(name) }
            }
            return present
        }
    }

    private mutating func index(of table: TableNumber) -> Int {
        if let latest, latest.table == table { return latest.index }
        let index = indexes[table] ?? tables.count
        if index == tables.count {
            tables.append(FormerContents())
            indexes[table] = index
        }
        latest = (table, index)
        return index
    }
}
