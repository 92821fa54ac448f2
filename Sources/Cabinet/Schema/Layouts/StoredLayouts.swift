import CabinetBackend

/// The layouts of one class in one store: the catalog's, and the one that the program writes.
final class StoredLayouts: RecordLayouts {
    unowned let storedClass: StoredClass
    private let backend: any Backend
    private(set) var list = LayoutList()
    private var plans: [UInt16: LayoutReader] = [:]
    private var unkept: [UInt16: [UnkeptRelation]] = [:]
    /// Pairs of relationships that the next save interrupts, each with the number of that.
    private var interrupted: [String: Int] = [:]
    /// What each declared field is, in the order of the class's fields.
    var claims: [FieldClaims.Claim] = []
    /// The number of the class's last writing into the catalog, when that was last looked at.
    private var writing: UInt32 = 0
    /// The highest number that any layout was ever given, so far as the catalog says.
    private var highest: UInt16 = 0
    /// Whether the catalog had something of the class when it was last looked at.
    private var isInCatalog: Bool

    /// The layouts of `storedClass`, its number still to choose; `nil` if it always wrote by hand.
    static func find(
        _ storedClass: StoredClass, _ backend: any Backend, in catalog: CatalogLayouts
    ) throws -> StoredLayouts? {
        let saved = try catalog.saved(ofClass: storedClass.number, named: storedClass.name)
        if saved == nil, !storedClass.isDeclared { return nil }
        return try StoredLayouts(storedClass, backend, saved)
    }

    private init(
        _ storedClass: StoredClass, _ backend: any Backend, _ saved: SavedLayouts?
    ) throws(StoreError) {
        self.storedClass = storedClass
        self.backend = backend
        isInCatalog = saved != nil
        super.init()
        if let saved { take(saved) } else { list = handWrittenPast(upTo: 0) }
        try claimFields()
    }

    private func take(_ saved: SavedLayouts) {
        list = saved.list
        writing = saved.writing
        highest = max(highest, saved.highest)
    }

    /// A class that has records but no layouts wrote them by hand, its version in their first byte:
    /// layouts get numbers behind all of these.
    private func handWrittenPast(upTo found: UInt8) -> LayoutList {
        guard let known = storedClass.definition?.classVersion else { return LayoutList() }
        return LayoutList(
            layouts: (0...max(known, storedClass.version, found)).map {
                Layout(number: UInt16($0), version: $0, fields: nil)
            })
    }

    /// The highest version that a record bears: tables of directories of 2010 do not say.
    private func highestVersion() throws -> UInt8 {
        var highest: UInt8 = 0
        let run = RecordRun()
        let cursor = try backend.records(in: storedClass.table)
        while try cursor.next(run) {
            while let (_, record) = run.next() {
                if let first = record.first, first != Self.escape { highest = max(highest, first) }
            }
        }
        return highest
    }

    /// The layout of records with `number`. Without a list in the catalog, all are hand-written.
    private func layout(_ number: UInt16) -> Layout? {
        // No record was written with a number that is not in the catalog yet.
        let isFree = number == current && isUnsaved
        if !isFree, let known = list.layout(number) { return known }
        if isInCatalog || storedClass.definition == nil { return nil }
        return UInt8(exactly: number).map { Layout(number: number, version: $0, fields: nil) }
    }

    override func choose() throws {
        let known = list.layouts.last { $0.fields != nil }?.fields ?? []
        let fields =
            storedClass.isDeclared
            ? zip(storedClass.fields.entries, claims).map { entry, claim in
                Layout.Field(
                    entry, claim, storedClass,
                    known: known.first { $0.isSame(identities: claim.identities) })
            } : nil
        for field in fields ?? [] where field.type.depth > FieldType.depthLimit {
            throw StoreError.cannotStore(
                class: storedClass.name, field: field.name,
                reason: "its type is nested more than \(FieldType.depthLimit) deep")
        }
        unkept = [:]
        interrupted = findInterrupted(by: fields)
        let relations = RelationFacts.all(of: storedClass, claims, in: list)
        isCatalogBehind = relations != list.relations || !interrupted.isEmpty
        list.relations = relations
        let wanted = Layout(number: 0, version: storedClass.version, fields: fields)
        if let known = list.layouts.last(where: { $0.isSame(as: wanted) }) {
            current = known.number
            isUnsaved = false
            return
        }
        let last = max(list.layouts.map(\.number).max() ?? 0, highest)
        guard last < .max else { throw StoreError.tooManyLayouts(class: storedClass.name) }
        current = last + 1
        isUnsaved = true
        list.layouts.append(Layout(number: current, version: storedClass.version, fields: fields))
    }

    // MARK: The catalog

    /// Takes in what other stores have added since.
    private func reload() throws {
        // Each addition writes the entry of the class again, under the next number.
        guard writing < .max, try backend.catalogEntry(name(ofWriting: writing + 1).text) != nil,
            let found = try CatalogLayouts(backend).saved(
                ofClass: storedClass.number, named: storedClass.name)
        else { return }
        let known = list
        isInCatalog = true
        take(found)
        // The other store may have saved the layout that this one is about to.
        if list == known, !isUnsaved { return }
        plans = [:]
        try claimFields()
        try choose()
    }

    private func name(ofWriting writing: UInt32) -> CatalogName {
        .relations(writing, ofClass: storedClass.number)
    }

    override func save(in batch: WriteBatch) throws {
        guard isUnsaved || isCatalogBehind else { return }
        try reload()
        guard isUnsaved || isCatalogBehind else { return }
        if !isInCatalog, storedClass.definition != nil {
            list = handWrittenPast(upTo: try highestVersion())
            try choose()
        }
        guard writing < .max else { throw StoreError.tooManyLayouts(class: storedClass.name) }
        let number = storedClass.number
        // Those of what was written by hand have no entries yet.
        for layout in list.layouts where !isInCatalog || isUnsaved && layout.number == current {
            try put(.layout(layout.number, ofClass: number), in: batch, layout.write)
        }
        var saved = SavedLayouts(list: list)
        saved.highest = list.layouts.map(\.number).reduce(highest, max)
        if !interrupted.isEmpty {
            saved.list.interruptions = (saved.list.interruptions ?? [:])
                .merging(interrupted) { max($0, $1) }
        }
        try put(name(ofWriting: writing + 1), in: batch, saved.writeRelations)
    }

    /// Adds an entry that no other store may have made meanwhile.
    private func put(
        _ name: CatalogName, in batch: WriteBatch, _ write: (DataBuffer) -> Void
    ) throws {
        let buffer = DataBuffer()
        write(buffer)
        if let error = buffer.writeError { throw error }
        let key = Array(name.text.utf8)
        batch.require(.absent, key: key, in: .catalog)
        try buffer.withUnsafeBytes { try batch.put($0, for: key, in: .catalog) }
    }

    // MARK: Reading

    override var mayRefer: Bool {
        list.layouts.contains { $0.fields?.contains { $0.type.mayRefer } ?? true }
    }

    override func version(of number: UInt16) -> UInt8? { layout(number)?.version }

    override func isEarlier(_ number: UInt16) -> Bool {
        guard number != current, let version = layout(number)?.version else { return false }
        return (version, number) < (storedClass.version, current)
    }

    override func word(
        _ number: UInt16, on relation: RelationCoder, with other: StoredClass
    ) -> RelationWord { findWord(number, on: relation, with: other) }

    override func interruptions(of relation: RelationCoder, with other: StoredClass) -> Int {
        countInterruptions(of: relation, with: other)
    }

    override var unclaimedFields: [String] { findUnclaimedFields() }

    override func identity(ofField index: Int) -> String? { findIdentity(ofField: index) }

    override func read(
        _ number: UInt16, into object: StoredObject, from buffer: DataBuffer
    ) throws {
        if list.layout(number) == nil || (number == current && isUnsaved) { try reload() }
        guard let layout = layout(number) else {
            throw StoreError.unknownLayout(
                class: storedClass.name, row: object.rowID, number: number)
        }
        guard layout.version <= storedClass.version else {
            throw StoreError.newerVersion(
                class: storedClass.name, row: object.rowID, found: layout.version,
                known: storedClass.version)
        }
        buffer.versionOfData = layout.version
        if number == current, !isUnsaved, layout.fields != nil {
            return try storedClass.read(into: object, from: buffer)
        }
        try read(layout, into: object, from: buffer)
    }

    /// Puts into relationships what a record that bears `number` could not know.
    private func complete(_ object: StoredObject, _ number: UInt16) throws {
        // One that is in no store stands for what its record says.
        if object.storedClass == nil || storedClass.fields.relations.isEmpty { return }
        try storedClass.context.complete(object, unkept(number))
    }

    private func unkept(_ number: UInt16) -> [UnkeptRelation] {
        if let known = unkept[number] { return known }
        let found = findUnkept(number)
        unkept[number] = found
        return found
    }

    private func read(
        _ layout: Layout, into object: StoredObject, from buffer: DataBuffer
    ) throws {
        guard let fields = layout.fields else {
            // The object may have had other content.
            if storedClass.isDeclared { storedClass.context.blank(object) }
            try storedClass.context.upgrade(object) { try object.readContent(from: buffer) }
            return try complete(object, layout.number)
        }
        let number = layout.number
        let reader: LayoutReader
        if let known = plans[number] {
            reader = known
        } else {
            reader = LayoutReader(
                fields, version: layout.version, of: storedClass,
                sources: claims.indices.map { source(of: $0, in: fields) })
            plans[number] = reader
        }
        let isNewer = number != current && !isEarlier(number)
        try reader.read(into: object, from: buffer, isNewer: isNewer) {
            try complete(object, number)
        }
    }
}
