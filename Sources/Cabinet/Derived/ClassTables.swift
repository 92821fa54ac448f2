import CabinetBackend

/// The derived tables of one class in one store, of all kinds.
final class ClassTables {
    let storedClass: StoredClass
    /// Those that the program declares or has registered.
    @exclusivity(unchecked) private(set) var all: [DerivedTable] = []
    /// Rises with each change of ``all``.
    private(set) var version = 0
    /// What the catalog says of them and of others, as of the store's basis.
    @exclusivity(unchecked) var entries = DerivedEntries()
    /// The same behind the commit that is being made.
    @exclusivity(unchecked) var entriesOfCommit: DerivedEntries?
    /// Whether the present commit knows which tables take part.
    @exclusivity(unchecked) var isPrepared = false
    /// Whether all tables of the class take part in each commit, and the catalog stays as it is: saves
    /// need not look at each.
    @exclusivity(unchecked) private(set) var areInForce = false
    /// Stands at the objects that a commit writes.
    let written: RowCursor
    /// Stands at the records that they replace.
    let replaced: RowCursor

    init(_ storedClass: StoredClass, _ store: Store) {
        self.storedClass = storedClass
        let fields = store.fields(of: storedClass)
        written = RowCursor(store, fields)
        replaced = RowCursor(store, fields, ofRecords: true)
    }

    /// Turns ``replaced`` to the record that a commit replaces. `false` if there is none.
    @inline(__always)
    func take(_ former: SavedRecord, at row: RowID) throws -> Bool {
        switch former {
        case .absent: false
        case .record(let record): try replaced.take(record, at: row)
        case .damaged(let error): throw error
        }
    }

    /// Adds a table. `false` if there is one of its kind and name.
    func add(_ table: DerivedTable) -> Bool {
        if isTaken(table) { return false }
        all.append(table)
        didChange()
        return true
    }

    private func isTaken(_ table: DerivedTable) -> Bool {
        all.contains {
            $0.kind == table.kind && $0.name.lowercased() == table.name.lowercased()
        }
    }

    /// Throws ``StoreError/badIndex(class:index:reason:)`` if there is one of its kind and name.
    func checkName(of table: DerivedTable) throws(StoreError) {
        guard isTaken(table) else { return }
        throw .badIndex(
            class: storedClass.name, index: table.name,
            reason: "the class has two indexes of that name; letter case does not count")
    }

    /// Removes a table, which says of itself from now on that it has none.
    func remove(_ kind: UInt8, named name: String) {
        for table in all where table.kind == kind && table.name == name {
            (table.entry, table.table, table.takesPart) = (nil, nil, false)
        }
        all.removeAll { $0.kind == kind && $0.name == name }
        didChange()
    }

    private func didChange() {
        version += 1
        areInForce = false
    }

    subscript(kind: UInt8, name: String) -> DerivedTable? {
        all.first { $0.kind == kind && $0.name == name }
    }

    /// Takes note of what the catalog says, and of the tables as of the same commit.
    func note(_ entries: DerivedEntries, _ tables: [TableDefinition]) {
        self.entries = entries
        for table in all {
            table.entry = entries[table.kind, table.name]
            table.generation = table.entry?.generation ?? 0
            table.table = table.entry.flatMap { entry in
                tables.first { $0.kind == .ordered && $0.name == entry.table }?.number
            }
            table.didLook()
            guard table.table == nil else { continue }
            // Without its table it is none, and saves leave it behind. What an entry that cannot be read
            // has left gets nothing new.
            table.entry = nil
            while tables.contains(where: { $0.name == table.newEntry(.building).table }) {
                table.generation &+= 1
            }
        }
        noteForce()
    }

    /// The commit was made, or given up: what it has put into the catalog counts or not.
    func endCommit(committed: Bool) {
        if committed, let entriesOfCommit {
            entries = entriesOfCommit
            for table in all {
                table.entry = entries[table.kind, table.name]
                table.generation = table.entry?.generation ?? table.generation
            }
            noteForce()
        }
        entriesOfCommit = nil
        for table in all { table.didEnd(committed: committed) }
        written.leave()
        replaced.leave()
    }

    private func noteForce() {
        areInForce =
            !entries.isUnreadable && !entries.all.isEmpty && neglected.isEmpty
            && all.allSatisfy {
                $0.table != nil && $0.isAsDefined && $0.entry?.state.takesPart == true
            }
    }

    /// A table that commits are to keep according to `entries`, and that the present one does not.
    func leftOut(by entries: DerivedEntries) -> DerivedEntry? {
        entries.all.first { entry in
            guard entry.state.takesPart else { return false }
            guard let table = self[entry.kind, entry.name] else { return true }
            return !table.takesPart || table.table == nil
        }
    }

    /// The entries of tables that the program does not know, or knows otherwise, and that its saves
    /// would leave behind.
    var neglected: [DerivedEntry] {
        entries.all.filter {
            $0.state.takesPart && self[$0.kind, $0.name]?.isAsDefined != true
        }
    }
}

/// Those of one kind.
struct TablesOfKind<Table: DerivedTable> {
    let tables: ClassTables
    let all: [Table]
    fileprivate let version: Int

    init(_ kind: UInt8, of tables: ClassTables) {
        self.tables = tables
        version = tables.version
        all = tables.all.compactMap { $0.kind == kind ? $0 as? Table : nil }
    }

    /// Whether they are still all.
    var isCurrent: Bool { version == tables.version }

    var storedClass: StoredClass { tables.storedClass }

    subscript(name: String) -> Table? { all.first { $0.name == name } }
}
