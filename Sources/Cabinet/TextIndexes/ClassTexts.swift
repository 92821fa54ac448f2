import CabinetBackend

/// The text indexes of one class in one store.
final class ClassTexts {
    let storedClass: StoredClass
    private(set) var all: [ClassText] = []
    /// What the catalog says of them and of others, as of the store's basis.
    var entries = IndexEntries()
    /// The same behind the commit that is being made.
    var entriesOfCommit: IndexEntries?
    /// Whether the present commit knows which indexes take part.
    var isPrepared = false
    /// Whether the present commit makes segments of what it inserts.
    var makesSegments = false
    /// Whether all take part in each commit, and the catalog stays as it is: saves need not look at
    /// each.
    private(set) var areInForce = false
    /// Stands at the objects that a commit writes.
    let written: Candidate
    /// Stands at the records that they replace.
    let replaced: Candidate

    init(_ storedClass: StoredClass, _ store: Store) throws(StoreError) {
        self.storedClass = storedClass
        let fields = store.fields(of: storedClass)
        written = Candidate(store, fields)
        replaced = Candidate(store, fields, ofRecords: true)
        for index in storedClass.type.textIndexes {
            let made = try ClassText(index, of: storedClass, fields)
            guard !all.contains(where: { $0.name.lowercased() == made.name.lowercased() }) else {
                throw .badIndex(
                    class: storedClass.name, index: made.name,
                    reason:
                        "the class has two text indexes of that name; letter case does not count")
            }
            all.append(made)
        }
    }

    subscript(name: String) -> ClassText? { all.first { $0.name == name } }

    /// Takes note of what the catalog says.
    func note(_ entries: IndexEntries, _ tables: [TableDefinition]) {
        self.entries = entries
        for text in all {
            text.entry = entries[text.name]
            text.table = text.entry.flatMap { entry in
                tables.first { $0.kind == .ordered && $0.name == entry.table }?.number
            }
            text.generation = text.entry?.generation ?? 0
            if text.table == nil {
                text.entry = nil
                while tables.contains(where: { $0.name == text.freshEntry(.building).table }) {
                    text.generation += 1
                }
            }
            text.forgetFresh()
        }
        noteForce()
    }

    private func noteForce() {
        // Where no store has declared any yet, one may do so beside each commit.
        areInForce =
            !(all.isEmpty && entries.all.isEmpty) && !entries.isUnreadable && neglected.isEmpty
            && all.allSatisfy { $0.entry?.state.takesPart == true && $0.isAsDefined }
        if areInForce { for text in all { text.takesPart = true } }
    }

    /// A commit that knew which indexes take part was made, or given up.
    func endCommit(committed: Bool) {
        if let entries = entriesOfCommit {
            entriesOfCommit = nil
            if committed {
                self.entries = entries
                for text in all { text.entry = entries[text.name] }
                noteForce()
            }
        }
        for text in all { text.endCommit(committed: committed) }
        if makesSegments {
            makesSegments = false
            for text in all where !text.draft.isEmpty { text.draft.removeAll() }
        }
        written.leave()
        replaced.leave()
    }

    /// A text index that commits are to keep according to `entries`, and that the present one does not.
    func leftOut(by entries: IndexEntries) -> IndexEntry? {
        entries.all.first { entry in
            guard entry.state.takesPart else { return false }
            guard let text = self[entry.name] else { return true }
            return !text.takesPart || text.table == nil
        }
    }

    /// The entries of indexes that the program does not know, or knows otherwise, and that its saves
    /// would leave behind.
    var neglected: [IndexEntry] {
        entries.all.filter { $0.state.takesPart && self[$0.name]?.isAsDefined != true }
    }
}

extension IndexEntries {
    /// The key of the entry of the text indexes of the class with that number.
    static func textKey(ofClass number: UInt8) -> [UInt8] { Array("texts.\(number)".utf8) }

    /// Requires that nothing has changed the entry of the text indexes since a batch's basis.
    static func requireUnchangedTexts(ofClass number: UInt8, in batch: WriteBatch) {
        textKey(ofClass: number).withUnsafeBytes {
            batch.require(.unchanged, key: $0, in: .catalog)
        }
    }

    /// Puts the entry of the text indexes.
    func putTexts(ofClass number: UInt8, in batch: WriteBatch) throws(BackendError) {
        let buffer = DataBuffer()
        write(to: buffer)
        try Self.textKey(ofClass: number).withUnsafeBytesThrowing { key throws(BackendError) in
            try batch.put(UnsafeRawBufferPointer(buffer.memory), for: key, in: .catalog)
        }
    }
}

extension BackendReader {
    /// The text indexes of the class with that number. Those of an entry that cannot be understood are made
    /// anew: see ``IndexEntries/isUnreadable``.
    func textEntries(ofClass number: UInt8) throws(BackendError) -> IndexEntries {
        guard let bytes = try catalogEntry("texts.\(number)") else { return IndexEntries() }
        return bytes.withUnsafeBytes { IndexEntries(inCatalog: $0) }
    }
}
