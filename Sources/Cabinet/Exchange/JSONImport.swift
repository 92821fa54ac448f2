import CabinetBackend
import Foundation

/// Makes objects of a document, all of them outside the store until the whole document was read.
final class JSONImport {
    /// A relationship whose objects are known by class and row in the document.
    private struct Link {
        let object: StoredObject
        unowned let relation: RelationCoder
        let targets: [ExportedRow]
        let position: (line: Int, column: Int)
    }

    /// An object of the document: the number of its class in the store, and its row there.
    private struct ExportedRow: Hashable {
        let number: UInt8
        let row: RowID
    }

    private struct Names: Hashable {
        let number: UInt8
        let names: [String]
    }

    private let store: Store
    private let reader: JSONReader
    private let policy: ImportPolicy
    private var made: [ExportedRow: StoredObject] = [:]
    private var links: [Link] = []
    /// What was made, in the order of the document.
    private(set) var objects: [StoredObject] = []
    private(set) var report = ImportReport()
    private let decoder = JSONCoding.decoder()
    private var storedClasses: [String: StoredClass?] = [:]
    /// What ``entries(for:_:)`` has found: most objects of a class have the same names.
    private var entries: [Names: [String: FieldTable.Entry]] = [:]
    /// Where the object that is being read begins.
    private var position = (line: 1, column: 1)

    init(_ store: Store, _ reader: JSONReader, _ policy: ImportPolicy) {
        self.store = store
        self.reader = reader
        self.policy = policy
    }

    /// Reads the whole document; `step` is called before each object.
    func read(_ step: (_ offset: Int) throws -> Void) throws {
        try reader.expect(UInt8(ascii: "{"))
        var format: JSONValue?
        var version: JSONValue?
        var hasObjects = false
        if try !reader.accept(UInt8(ascii: "}")) {
            repeat {
                switch try reader.readName() {
                case "format": format = try reader.readValue()
                case "version": version = try reader.readValue()
                case "objects":
                    try check(format, version)
                    if hasObjects { throw reader.failure("the objects come twice") }
                    hasObjects = true
                    try readObjects(step)
                default: _ = try reader.readValue()
                }
            } while try reader.accept(UInt8(ascii: ","))
            try reader.expect(UInt8(ascii: "}"))
        }
        try reader.expectEnd()
        if !hasObjects { throw reader.failure("there are no objects") }
        try connect()
        report.objects = objects.count
    }

    private func check(_ format: JSONValue?, _ version: JSONValue?) throws {
        guard format == .text(JSONExport.format) else {
            throw reader.failure(
                "the document has no format '\(JSONExport.format)' before its objects")
        }
        guard version == .digits("\(JSONExport.version)") else {
            throw reader.failure("the version of the format is not \(JSONExport.version)")
        }
    }

    private func readObjects(_ step: (_ offset: Int) throws -> Void) throws {
        try reader.expect(UInt8(ascii: "["))
        if try reader.accept(UInt8(ascii: "]")) { return }
        repeat {
            try step(reader.offset)
            try reader.skipSpace()
            position = reader.position
            try make(try reader.readValue())
        } while try reader.accept(UInt8(ascii: ","))
        try reader.expect(UInt8(ascii: "]"))
    }

    private func failure(_ reason: String) -> StoreError {
        .badImport(line: position.line, column: position.column, reason: reason)
    }

    // MARK: Objects

    private func make(_ json: JSONValue) throws {
        guard case .text(let name)? = json["class"], let row = Self.row(of: json),
            case .object(let fields)? = json["fields"]
        else { throw failure("an object has 'class', 'row' and 'fields'") }
        guard let storedClass = storedClass(named: name) else {
            guard policy == .skip else { throw failure("the class \(name) is not registered") }
            report.skippedObjects[name, default: 0] += 1
            return
        }
        guard storedClass.isDeclared || AutomaticContentProbe.isWritten(by: storedClass.type.init())
        else {
            throw failure("the class \(name) writes its content by hand")
        }
        let position = ExportedRow(number: storedClass.number, row: row)
        guard made[position] == nil else { throw failure("\(name) \(row) comes twice") }
        let object = storedClass.type.init()
        made[position] = object
        objects.append(object)
        var seen: Set<String> = []
        let entries = try entries(for: fields.map(\.name), storedClass)
        for field in fields {
            guard let entry = entries[field.name] else {
                guard policy == .skip else {
                    throw failure("the class \(name) has no field '\(field.name)'")
                }
                report.skippedFields["\(name).\(field.name)", default: 0] += 1
                continue
            }
            guard seen.insert(field.name).inserted else {
                throw failure("the field '\(field.name)' comes twice")
            }
            try set(entry, of: object, to: field.value)
        }
    }

    /// The fields of a class that an object of the document with fields of these names has values for.
    private func entries(
        for names: [String], _ storedClass: StoredClass
    ) throws -> [String: FieldTable.Entry] {
        let key = Names(number: storedClass.number, names: names)
        if let known = entries[key] { return known }
        do {
            let found = try FieldClaims.find(names, storedClass)
            entries[key] = found
            return found
        } catch {
            throw failure("\(error)")
        }
    }

    private static func row(of json: JSONValue) -> RowID? {
        guard case .digits(let digits)? = json["row"], let row = UInt32(digits), row > 0 else {
            return nil
        }
        return RowID(row)
    }

    /// The class of that storage name, or the one that had it.
    private func storedClass(named name: String) -> StoredClass? {
        if let known = storedClasses[name] { return known }
        let found =
            store.classes.first { $0.name == name }
            ?? store.classes.first { $0.type.formerStorageNames.contains(name) }
        storedClasses[name] = .some(found)
        return found
    }

    private func set(
        _ entry: FieldTable.Entry, of object: StoredObject, to json: JSONValue
    ) throws {
        if let relation = entry.coder as? RelationCoder {
            let targets = try targets(in: json, relation)
            links.append(
                Link(object: object, relation: relation, targets: targets, position: position))
            return
        }
        let buffer = DataBuffer()
        do {
            if !(try writeCoded(json, entry.coder, to: buffer)) {
                try entry.coder.type.write(json, to: buffer)
            }
            if let error = buffer.writeError { throw error }
            let address = Unmanaged.passUnretained(object).toOpaque() + entry.offset
            try entry.coder.read(at: address, from: buffer)
            withExtendedLifetime(object) {}
        } catch let error as Unfitting {
            throw failure("field '\(entry.name)'\(error.path): \(error.reason)")
        } catch {
            throw failure("field '\(entry.name)': \(error)")
        }
    }

    /// Appends what a `Codable` type makes of `json`. `false` for a field of another form.
    private func writeCoded(
        _ json: JSONValue, _ coder: FieldCoder, to buffer: DataBuffer
    ) throws -> Bool {
        guard coder.type.isCoded, let form = coder.values,
            let type = form.valueType as? any Decodable.Type
        else { return false }
        let value = try decoder.decode(type, from: Data(json.written.utf8))
        guard form.writeAny(value, to: buffer) else {
            throw Unfitting.value(json, "\(coder.type)")
        }
        return true
    }

    // MARK: Relationships

    private func targets(in json: JSONValue, _ relation: RelationCoder) throws -> [ExportedRow] {
        let references: [JSONValue]
        switch json {
        case .null: return []
        case .list(let values) where relation.isMany: references = values
        case .object: references = [json]
        default: throw failure("field '\(relation.name)' holds no reference")
        }
        var targets: [ExportedRow] = []
        for reference in references {
            guard case .text(let name)? = reference["class"], let row = Self.row(of: reference)
            else {
                throw failure("a reference has 'class' and 'row'")
            }
            if let storedClass = storedClass(named: name) {
                targets.append(ExportedRow(number: storedClass.number, row: row))
            } else {
                try skipReference("the class \(name) is not registered")
            }
        }
        return targets
    }

    private func skipReference(_ reason: String) throws {
        guard policy == .skip else { throw failure(reason) }
        report.skippedReferences += 1
    }

    /// Parts the objects, none of which is in a store.
    func dissolve() {
        for object in objects {
            let fields = store.storedClass(of: type(of: object))?.fields
            for relation in fields?.relations ?? [] {
                relation.set([], at: object.address(of: relation))
            }
        }
    }

    /// Puts into relationships the objects that stand in them, which are all made by now.
    private func connect() throws {
        for link in links {
            position = link.position
            var others: [StoredObject] = []
            others.reserveCapacity(link.targets.count)
            for target in link.targets {
                guard let storedClass = store.classesByNumber[Int(target.number)] else { continue }
                // What is put there is of the declared class: nothing checks that later.
                guard link.relation.accepts(storedClass) else {
                    throw failure("field '\(link.relation.name)' cannot hold a \(storedClass.name)")
                }
                if let other = made[target] {
                    others.append(other)
                } else {
                    try skipReference(
                        "\(storedClass.name) \(target.row) is referred to but not there")
                }
            }
            link.relation.set(others, at: link.object.address(of: link.relation))
        }
        links = []
        made = [:]
    }
}
