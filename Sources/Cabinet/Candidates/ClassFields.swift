import CabinetBackend

/// What queries know of the declared fields of one class.
///
/// Not `Sendable`: its store's.
final class ClassFields {
    /// One field whose values can be read without the object.
    struct Field {
        let name: String
        /// Its place among the declared fields.
        let index: Int
        /// Where it lies in an object.
        let offset: Int
        let type: FieldType
        /// The form of its values.
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

    unowned let storedClass: StoredClass
    let shape: RecordShape
    /// Whether records of the present layout can be read field by field.
    let areReadable: Bool
    private let entries: [FieldTable.Entry]
    /// The fields of the key paths that were asked for first, by address: a literal of a program is one
    /// object.
    @exclusivity(unchecked) private var knownByAddress: [(keyPath: AnyKeyPath, field: Int?)] = []
    /// Those of the others.
    private var known: [AnyKeyPath: Int?] = [:]
    private static var mostByAddress: Int { 16 }

    init(_ storedClass: StoredClass, _ versioning: Versioning) {
        self.storedClass = storedClass
        entries = storedClass.isDeclared ? storedClass.fields.entries : []
        shape = RecordShape(entries)
        areReadable = versioning == .perInstance && storedClass.isDeclared
    }

    /// The field of that name; `nil` if there is none, or its values need the object.
    func field(named name: String) -> Field? {
        entries.firstIndex { $0.name == name }.flatMap(field(at:))
    }

    /// The declared field of that name.
    func rawField(named name: String) -> RawField? {
        entries.firstIndex { $0.name == name }.map { index in
            let entry = entries[index]
            return RawField(
                name: name, index: index, offset: entry.offset, type: entry.coder.type,
                coder: entry.coder)
        }
    }

    /// How many fields are declared.
    var count: Int { entries.count }

    /// The names of the declared fields.
    var names: [String] { entries.map(\.name) }

    /// The field that `keyPath` stands for. `nil` for what is no declared field of the class or of a
    /// superclass, and for one whose values need the object: a relationship, a `Codable` value, an enum that
    /// knows a value for those of newer programs.
    func field(at keyPath: AnyKeyPath) -> Field? { index(of: keyPath).flatMap(field(at:)) }

    /// The name of the declared field that `keyPath` stands for, also of a relationship; `nil` for none.
    func declaredName(of keyPath: AnyKeyPath) -> String? {
        index(of: keyPath).map { entries[$0].name }
    }

    /// The name of the declared field that `keyPath` stands for, or what is said in its place.
    func name(of keyPath: AnyKeyPath) -> String {
        index(of: keyPath).map { entries[$0].name } ?? "a property"
    }

    private func index(of keyPath: AnyKeyPath) -> Int? {
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
        guard areReadable, !(entry.coder is KeepingCoder), !entry.coder.type.mayRefer,
            let form = entry.coder.values
        else {
            return nil
        }
        return Field(
            name: entry.name, index: index, offset: entry.offset, type: entry.coder.type,
            form: form)
    }
}

extension Store {
    /// What queries know of the declared fields of `storedClass`.
    func fields(of storedClass: StoredClass) -> ClassFields {
        let known = annex(KnownFields.self) { _ in KnownFields() }
        let number = Int(storedClass.number)
        if let found = known.byNumber[number], found.storedClass === storedClass { return found }
        let found = ClassFields(storedClass, codec.versioning)
        known.byNumber[number] = found
        return found
    }
}

/// The fields of each class that was asked for.
private final class KnownFields {
    /// By class number.
    @exclusivity(unchecked) var byNumber: [ClassFields?] = Array(repeating: nil, count: 256)
}
