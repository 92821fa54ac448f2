import CabinetBackend

/// One text index of one class in one store.
final class ClassText {
    let index: TextIndex
    let name: String
    unowned let storedClass: StoredClass
    let source: TextSource
    /// What makes the entries of the index what they are: of another definition, it is made anew.
    let definition: String

    /// Its table, once it is known.
    @exclusivity(unchecked) var table: TableNumber?
    /// What the catalog says of it; `nil` before its first commit.
    @exclusivity(unchecked) var entry: IndexEntry?
    /// Whether the present commit enters what it changes.
    @exclusivity(unchecked) var takesPart = false
    /// Whether there are rows whose records are to be asked, as of the store's basis.
    @exclusivity(unchecked) var hasFresh = false
    /// What the last search knew of the index.
    @exclusivity(unchecked) var known: KnownText?
    /// The texts of objects that the present commit inserts, if these are many.
    @exclusivity(unchecked) var draft: SegmentDraft

    init(_ index: TextIndex, of storedClass: StoredClass, _ fields: ClassFields) throws(StoreError)
    {
        let source = TextSource(index, fields)
        guard let name = index.givenName ?? source.fieldName else {
            throw .badIndex(
                class: storedClass.name, index: "",
                reason: "a text index of anything but a declared field needs a name")
        }
        guard IndexName.isValid(name) else {
            throw .badIndex(
                class: storedClass.name, index: name,
                reason: "its name must be 1 to 100 ASCII letters, digits, '_' and '.'")
        }
        self.index = index
        self.name = name
        self.storedClass = storedClass
        self.source = source
        definition =
            "form 2, version \(index.version), \(source.fieldName ?? "computed"), \(index.tokenizer), "
            + String(index.tokenizer.fingerprint, radix: 16)
        draft = SegmentDraft(hasPositions: index.tokenizer.hasPositions)
    }

    /// Whether searches may use it: it knows each object as of the store's basis.
    var isComplete: Bool { entry?.state == .complete && isAsDefined }

    /// Whether its entries are made as the program makes them.
    var isAsDefined: Bool { entry?.definition == definition }

    /// The entry of an index that is begun anew, in `state`.
    func freshEntry(_ state: IndexEntry.State) -> IndexEntry {
        let generation = (entry?.generation ?? 0) + 1
        return IndexEntry(
            name: name,
            table: IndexName.table("Text.\(storedClass.name).\(name)-\(generation)"),
            generation: generation, state: state, definition: definition, collations: "")
    }
}

extension Tokenizer {
    /// Whether it is told where terms stand, and how often. A text's parts of three letters are found
    /// without.
    var hasPositions: Bool { self != .substring }
}
