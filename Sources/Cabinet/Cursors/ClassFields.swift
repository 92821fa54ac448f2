import CabinetBackend
import CabinetTextSearch

/// What queries know of the declared fields of one class.
final class ClassFields {
    /// One field whose values can be read without the object.
    struct Field {
        let name: String
        let index: Int
        let offset: Int
        let type: FieldType
        let form: any AnyValueForm
    }

    /// One declared field of any type, by its bytes.
    struct RawField {
        let name: String
        let index: Int
        let offset: Int
        let type: FieldType
        let coder: FieldCoder
    }

    /// What an index or a condition is about: a field, or a property of a class written by hand.
    struct Subject {
        /// The index of the field; of a property a number that no field has.
        let place: Int
        let name: String
        let valueType: Any.Type
    }

    unowned let storedClass: StoredClass
    let shape: RecordShape
    /// Whether records of the present layout can be read field by field.
    let areReadable: Bool
    /// Of a class with an `upgrade(from:)` of its own, what distinguishes its present layout, as it
    /// may make other values of earlier records; `nil` for other classes. It is a part of the definition of
    /// indexes, which are made anew with another layout.
    private(set) lazy var upgradeForm = makeUpgradeForm()
    private let entries: [FieldTable.Entry]
    /// The fields of key paths asked for first, by address: a literal of a program is one object.
    @exclusivity(unchecked) private var knownByAddress: [(keyPath: AnyKeyPath, field: Int?)] = []
    /// Those of the others.
    private var known: [AnyKeyPath: Int?] = [:]
    private static var mostByAddress: Int { 16 }
    /// The properties that indexes are of, in a class that is written by hand.
    private var properties: [AnyKeyPath: Subject] = [:]
    private static var firstProperty: Int { 1 << 20 }

    init(_ storedClass: StoredClass, _ versioning: Versioning) {
        self.storedClass = storedClass
        entries = storedClass.isDeclared ? storedClass.fields.entries : []
        shape = RecordShape(entries)
        areReadable = versioning == .perInstance && storedClass.isDeclared
    }

    private func makeUpgradeForm() -> String? {
        guard !entries.isEmpty, MethodOverride.upgrade.exists(in: storedClass.type) else {
            return nil
        }
        var text = "\(storedClass.version)"
        for entry in entries { text += ", \(entry.name): \(entry.coder.type)" }
        return String(Array(text.utf8).withUnsafeBytes { TermSet.sum($0) }, radix: 16)
    }

    /// The field of that name; `nil` if there is none, or its values need the object.
    func field(named name: String) -> Field? {
        entries.firstIndex { $0.name == name }.flatMap(field(at:))
    }

    func rawField(named name: String) -> RawField? {
        entries.firstIndex { $0.name == name }.map { index in
            let entry = entries[index]
            return RawField(
                name: name, index: index, offset: entry.offset, type: entry.coder.type,
                coder: entry.coder)
        }
    }

    var count: Int { entries.count }

    var names: [String] { entries.map(\.name) }

    /// The field that `keyPath` stands for; of a relationship to one, the values are ``TargetRow``s. `nil` for
    /// what is no declared field, and where values need the object: a relationship to many, a
    /// `Codable` value, an enum that knows a value for those of newer programs.
    func field(at keyPath: AnyKeyPath) -> Field? { index(of: keyPath).flatMap(field(at:)) }

    /// The name of the declared field that `keyPath` stands for, also of a relationship; `nil` for none.
    func declaredName(of keyPath: AnyKeyPath) -> String? {
        index(of: keyPath).map { entries[$0].name }
    }

    /// ``declaredName(of:)`` for definitions of indexes: with what distinguishes it from others of
    /// the name.
    func definedName(of keyPath: AnyKeyPath) -> String? {
        index(of: keyPath).map { index in
            let name = entries[index].name
            guard let identity = storedClass.layouts?.identity(ofField: index) else { return name }
            return "\(name) of field \(identity)"
        }
    }

    /// The name of the declared field that `keyPath` stands for, or what is said in its place.
    func name(of keyPath: AnyKeyPath) -> String {
        index(of: keyPath).map { entries[$0].name } ?? "a property"
    }

    /// The property of a class written by hand that `keyPath` stands for, if ``note(_:_:named:)`` knows it.
    func property(at keyPath: AnyKeyPath) -> Subject? {
        properties.isEmpty ? nil : properties[keyPath]
    }

    /// Notes that an index is of a property of a class written by hand, which reads and writes its
    /// own content. A computed property of a declared class may be that of other objects, which an
    /// index does not follow.
    func note(_ keyPath: AnyKeyPath, _ valueType: Any.Type, named name: String) -> Subject? {
        guard !storedClass.isDeclared else { return nil }
        if let known = properties[keyPath] { return known }
        let subject = Subject(
            place: Self.firstProperty + properties.count, name: name, valueType: valueType)
        properties[keyPath] = subject
        return subject
    }

    /// The index of the declared field that `keyPath` stands for, also of a relationship; `nil` for none.
    func index(of keyPath: AnyKeyPath) -> Int? {
        for (known, field) in knownByAddress where known === keyPath { return field }
        if !known.isEmpty, let known = known[keyPath] { return known }
        let offset = FieldSample.offset(of: keyPath, storedClass)
        let found = offset.flatMap { offset in entries.firstIndex { $0.offset == offset } }
        if knownByAddress.count < Self.mostByAddress {
            knownByAddress.append((keyPath, found))
        } else {
            known[keyPath] = .some(found)
        }
        return found
    }

    private func field(at index: Int) -> Field? {
        let entry = entries[index]
        guard areReadable, let form = form(of: entry.coder) else { return nil }
        return Field(
            name: entry.name, index: index, offset: entry.offset, type: entry.coder.type,
            form: form)
    }

    private func form(of coder: FieldCoder) -> (any AnyValueForm)? {
        if let coder = coder as? OneCoder { return TargetForm(coder) }
        return coder is KeepingCoder || coder.type.mayRefer ? nil : coder.values
    }
}

extension ClassFields.Field {
    var subject: ClassFields.Subject {
        ClassFields.Subject(place: index, name: name, valueType: form.valueType)
    }
}

extension Store {
    func fields(of storedClass: StoredClass) -> ClassFields {
        let known = annex(KnownFields.self) { _ in KnownFields() }
        let number = Int(storedClass.number)
        if let found = known.byNumber[number], found.storedClass === storedClass { return found }
        let found = ClassFields(storedClass, codec.versioning)
        known.byNumber[number] = found
        return found
    }
}

private final class KnownFields {
    /// By class number.
    @exclusivity(unchecked) var byNumber: [ClassFields?] = Array(repeating: nil, count: 256)
}
