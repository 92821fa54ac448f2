import CabinetBackend
import Foundation

/// The layouts of one class in one store: those of the catalog, and the one that the program
/// writes now.
final class LayoutHistory: RecordHistory {
    private unowned let home: StoredClass
    private let backend: any Backend
    private let fields: [Layout.Field]?
    private var list = LayoutList()
    private var plans: [UInt16: LayoutReader] = [:]

    /// The history of `home`; `nil` if its records are written by hand and always were.
    static func find(_ home: StoredClass, _ backend: any Backend) throws -> LayoutHistory? {
        let list = try load(home, backend)
        if list == nil, !home.isDeclared { return nil }
        return try LayoutHistory(home, backend, list)
    }

    private init(_ home: StoredClass, _ backend: any Backend, _ list: LayoutList?) throws {
        self.home = home
        self.backend = backend
        fields = home.isDeclared ? home.fields.entries.map { Layout.Field($0, home.context) } : nil
        super.init()
        for field in fields ?? [] where field.type.depth > FieldType.depthLimit {
            throw StoreError.cannotStore(
                class: home.name, field: field.name,
                reason: "its type is nested more than \(FieldType.depthLimit) deep")
        }
        self.list = list ?? Self.handWrittenPast(of: home)
        try choose()
    }

    /// A class that has records but no layouts wrote them by hand, its version in their first byte.
    private static func handWrittenPast(of home: StoredClass) -> LayoutList {
        guard let highest = home.definition?.classVersion else { return LayoutList() }
        return LayoutList(
            layouts: (0...highest).map {
                Layout(number: UInt16($0), version: $0, fields: nil)
            })
    }

    /// Finds the number of what the program writes, or the next free one for it.
    private func choose() throws {
        let relations = RelationFacts.all(of: home, known: list.relations)
        isCatalogBehind = relations != list.relations
        list.relations = relations
        let wanted = Layout(number: 0, version: home.version, fields: fields)
        if let known = list.layouts.last(where: { $0.isSame(as: wanted) }) {
            current = known.number
            isUnsaved = false
            return
        }
        let last = list.layouts.map(\.number).max() ?? 0
        guard last < .max else { throw StoreError.tooManyLayouts(class: home.name) }
        current = last + 1
        isUnsaved = true
        list.layouts.append(Layout(number: current, version: home.version, fields: fields))
    }

    // MARK: The catalog

    private static func load(_ home: StoredClass, _ backend: any Backend) throws -> LayoutList? {
        try LayoutList.load(ofClass: home.number, named: home.name, from: backend)
    }

    /// Takes in what other stores have added since.
    private func reload() throws {
        guard let found = try Self.load(home, backend), found != list else { return }
        list = found
        plans = [:]
        try choose()
    }

    override func save(in batch: WriteBatch) throws {
        guard isUnsaved || isCatalogBehind else { return }
        try reload()
        guard isUnsaved || isCatalogBehind else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let value = [UInt8](try encoder.encode(list))
        try Array(CatalogName.layouts(of: home.number).utf8).withUnsafeBytes { key throws in
            try value.withUnsafeBytes { value throws in
                try batch.put(value, for: key, in: .catalog)
            }
        }
    }

    // MARK: Reading

    override func version(of number: UInt16) -> UInt8? { list.layout(number)?.version }

    override func read(
        _ number: UInt16, into object: StoredObject, from buffer: DataBuffer
    ) throws {
        if list.layout(number) == nil || (number == current && isUnsaved) { try reload() }
        guard let layout = list.layout(number) else {
            throw StoreError.unknownLayout(class: home.name, row: object.rowID, number: number)
        }
        guard layout.version <= home.version else {
            throw StoreError.newerVersion(
                class: home.name, row: object.rowID, found: layout.version, known: home.version)
        }
        buffer.versionOfData = layout.version
        guard let fields = layout.fields else { return try object.readContent(from: buffer) }
        if number == current, !isUnsaved { return try home.read(into: object, from: buffer) }
        let reader: LayoutReader
        if let known = plans[number] {
            reader = known
        } else {
            reader = LayoutReader(fields, version: layout.version, of: home)
            plans[number] = reader
        }
        try reader.read(into: object, from: buffer)
    }
}

extension Layout.Field {
    init(_ entry: FieldTable.Entry, _ context: ObjectContext) {
        name = entry.name
        type = entry.coder.type
        guard let relation = entry.coder as? RelationCoder else {
            self.class = nil
            return
        }
        let name = relation.targetType.storageName
        self.class =
            relation.target?.number ?? context.unregisteredNames.first { $0.value == name }?.key
    }
}
