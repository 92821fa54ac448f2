import CabinetBackend

/// The indexes of one class in one store.
final class ClassIndexes {
    let storedClass: StoredClass
    /// Those that the program declares or has registered.
    private(set) var all: [ClassIndex] = []
    /// What the catalog says of them and of others, as of the store's basis.
    var entries = IndexEntries()
    /// The same behind the commit that is being made.
    var entriesOfCommit: IndexEntries?
    /// Whether the present commit knows which indexes take part.
    var isPrepared = false
    /// Whether all indexes of the class take part in each commit, and the catalog stays as it is: saves
    /// need not look at each.
    private(set) var areInForce = false
    /// Stands at the objects that a commit writes.
    let written: Candidate
    /// Stands at the records that they replace.
    let replaced: Candidate

    init(_ storedClass: StoredClass, _ store: Store) {
        self.storedClass = storedClass
        let fields = store.fields(of: storedClass)
        written = Candidate(store, fields)
        replaced = Candidate(store, fields, ofRecords: true)
    }

    /// Adds an index. `false` if there is one of its name.
    func add(_ index: ClassIndex) -> Bool {
        if isTaken(index.name) { return false }
        all.append(index)
        areInForce = false
        return true
    }

    private func isTaken(_ name: String) -> Bool {
        all.contains { $0.name.lowercased() == name.lowercased() }
    }

    /// Throws ``StoreError/badIndex(class:index:reason:)`` if there is an index of the name.
    func checkName(of index: ClassIndex) throws(StoreError) {
        guard isTaken(index.name) else { return }
        throw .badIndex(
            class: storedClass.name, index: index.name,
            reason: "the class has two indexes of that name; letter case does not count")
    }

    func remove(named name: String) {
        all.removeAll { $0.name == name }
        areInForce = false
    }

    subscript(name: String) -> ClassIndex? { all.first { $0.name == name } }

    /// Takes note of what the catalog says, and of the tables as of the same commit.
    func note(_ entries: IndexEntries, _ tables: [TableDefinition]) {
        self.entries = entries
        for index in all {
            index.entry = entries[index.name]
            index.generation = index.entry?.generation ?? 0
            index.table = index.entry.flatMap { entry in
                tables.first { $0.kind == .ordered && $0.name == entry.table }?.number
            }
            guard index.table == nil else { continue }
            // Without its table it is none, and saves leave it behind. What an entry that cannot be read
            // has left gets no new keys.
            index.entry = nil
            while tables.contains(where: { $0.name == index.freshEntry(.building).table }) {
                index.generation += 1
            }
        }
        noteForce()
    }

    /// Takes note of what a commit of the store has put into the catalog.
    func note(_ entries: IndexEntries) {
        self.entries = entries
        for index in all { index.entry = entries[index.name] }
        noteForce()
    }

    private func noteForce() {
        areInForce =
            !entries.isUnreadable && !entries.all.isEmpty && neglected.isEmpty
            && all.allSatisfy {
                $0.table != nil && $0.isAsDefined && $0.entry?.state.takesPart == true
            }
    }

    /// An index that commits are to keep according to `entries`, and that the present one does not.
    func leftOut(by entries: IndexEntries) -> IndexEntry? {
        entries.all.first { entry in
            guard entry.state.takesPart else { return false }
            guard let index = self[entry.name] else { return true }
            return !index.takesPart || index.table == nil
        }
    }

    /// The entries of indexes that the program does not know, or knows otherwise, and that its saves
    /// would leave behind.
    var neglected: [IndexEntry] {
        entries.all.filter { $0.state.takesPart && self[$0.name]?.isAsDefined != true }
    }
}
