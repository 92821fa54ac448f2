import CabinetBackend
import Foundation

/// The layouts of one class in one store: those of the catalog, and the one that the program
/// writes now.
final class LayoutHistory: RecordHistory {
    unowned let storedClass: StoredClass
    private let backend: any Backend
    private(set) var list = LayoutList()
    private var plans: [UInt16: LayoutReader] = [:]
    private var unkept: [UInt16: [UnkeptRelation]] = [:]
    private var interrupted: Set<String> = []
    /// Whether the catalog had a list when it was last looked at.
    private var isInCatalog: Bool

    /// The history of `storedClass`, which must choose its number yet; `nil` if its records are
    /// written by hand and always were.
    static func find(_ storedClass: StoredClass, _ backend: any Backend) throws -> LayoutHistory? {
        let list = try load(storedClass, backend)
        if list == nil, !storedClass.isDeclared { return nil }
        return try LayoutHistory(storedClass, backend, list)
    }

    private init(_ storedClass: StoredClass, _ backend: any Backend, _ list: LayoutList?) throws {
        self.storedClass = storedClass
        self.backend = backend
        isInCatalog = list != nil
        super.init()
        self.list = list ?? handWrittenPast(upTo: 0)
    }

    /// A class that has records but no layouts wrote them by hand, its version in their first byte:
    /// layouts have numbers behind all of those versions.
    private func handWrittenPast(upTo found: UInt8) -> LayoutList {
        guard let known = storedClass.definition?.classVersion else { return LayoutList() }
        return LayoutList(
            layouts: (0...max(known, storedClass.version, found)).map {
                Layout(number: UInt16($0), version: $0, fields: nil)
            })
    }

    /// The highest version that a record of the class bears. Its table may not know: the
    /// directories of 2010 do not say.
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

    /// The layout of records that bear `number`. While the catalog has no list, all were written
    /// by hand.
    private func layout(_ number: UInt16) -> Layout? {
        // Nobody has written with a number that is not in the catalog yet.
        let isFree = number == current && isUnsaved
        if !isFree, let known = list.layout(number) { return known }
        if isInCatalog || storedClass.definition == nil { return nil }
        return UInt8(exactly: number).map { Layout(number: number, version: $0, fields: nil) }
    }

    override func choose() throws {
        let known = list.layouts.last { $0.fields != nil }?.fields ?? []
        let fields =
            storedClass.isDeclared
            ? storedClass.fields.entries.map { entry in
                Layout.Field(entry, storedClass, known: known.first { $0.name == entry.name })
            } : nil
        for field in fields ?? [] where field.type.depth > FieldType.depthLimit {
            throw StoreError.cannotStore(
                class: storedClass.name, field: field.name,
                reason: "its type is nested more than \(FieldType.depthLimit) deep")
        }
        unkept = [:]
        interrupted = findInterrupted(by: fields)
        let relations = RelationFacts.all(of: storedClass, in: list)
        isCatalogBehind = relations != list.relations || !interrupted.isEmpty
        list.relations = relations
        let wanted = Layout(number: 0, version: storedClass.version, fields: fields)
        if let known = list.layouts.last(where: { $0.isSame(as: wanted) }) {
            current = known.number
            isUnsaved = false
            return
        }
        let last = list.layouts.map(\.number).max() ?? 0
        guard last < .max else { throw StoreError.tooManyLayouts(class: storedClass.name) }
        current = last + 1
        isUnsaved = true
        list.layouts.append(Layout(number: current, version: storedClass.version, fields: fields))
    }

    // MARK: The catalog

    private static func load(_ storedClass: StoredClass, _ backend: any Backend) throws
        -> LayoutList?
    {
        try LayoutList.load(ofClass: storedClass.number, named: storedClass.name, from: backend)
    }

    /// Takes in what other stores have added since.
    private func reload() throws {
        guard let found = try Self.load(storedClass, backend) else { return }
        isInCatalog = true
        if found == list { return }
        list = found
        plans = [:]
        try choose()
    }

    override func save(in batch: WriteBatch) throws {
        guard isUnsaved || isCatalogBehind else { return }
        try reload()
        guard isUnsaved || isCatalogBehind else { return }
        if !isInCatalog, storedClass.definition != nil {
            list = handWrittenPast(upTo: try highestVersion())
            try choose()
        }
        for pair in interrupted { list.interruptions = raised(pair) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let value = [UInt8](try encoder.encode(list))
        try Array(CatalogName.layouts(of: storedClass.number).utf8).withUnsafeBytes { key throws in
            try value.withUnsafeBytes { value throws in
                try batch.put(value, for: key, in: .catalog)
            }
        }
    }

    private func raised(_ pair: String) -> [String: Int] {
        (list.interruptions ?? [:]).merging([pair: 1], uniquingKeysWith: +)
    }

    // MARK: Reading

    override var mayRefer: Bool {
        list.layouts.contains { $0.fields?.contains { $0.type.mayRefer } ?? true }
    }

    override func version(of number: UInt16) -> UInt8? { layout(number)?.version }

    override func word(
        _ number: UInt16, on relation: RelationCoder, with other: StoredClass
    ) -> RelationWord { findWord(number, on: relation, with: other) }

    override func interruptions(of relation: RelationCoder, with other: StoredClass) -> Int {
        countInterruptions(of: relation, with: other)
    }

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
            reader = LayoutReader(fields, version: layout.version, of: storedClass)
            plans[number] = reader
        }
        try reader.read(into: object, from: buffer, isNewer: number > current) {
            try complete(object, number)
        }
    }
}

extension Layout.Field {
    /// What `entry` is now. `known` is what it was.
    init(_ entry: FieldTable.Entry, _ storedClass: StoredClass, known: Layout.Field?) {
        name = entry.name
        type = entry.coder.type
        guard let relation = entry.coder as? RelationCoder else {
            self.class = nil
            inverses = nil
            return
        }
        inverses = LayoutHistory.inverses(of: relation, storedClass, known: known?.inverses)
        let context = storedClass.context
        let name = relation.targetType.storageName
        self.class =
            relation.target?.number ?? context.unregisteredNames.first { $0.value == name }?.key
    }
}
