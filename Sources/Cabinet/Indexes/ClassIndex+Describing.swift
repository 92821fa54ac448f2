import CabinetBackend
import CabinetTextSearch
import Foundation

extension ClassIndex {
    /// An index as the catalog describes it, whose keys can be made of records without their class: of
    /// declared fields, and under collations that are built in.
    convenience init(
        _ entry: DerivedEntry, of storedClass: StoredClass, _ described: StoreSchema.Class,
        _ keeper: IndexKeeper
    ) throws(UnusedTable.Reason) {
        func unused(_ text: String) -> UnusedTable.Reason { .init(text: text) }
        guard entry.state == .complete else { throw unused(entry.whyUnusable) }
        var parts = entry.definition.components(separatedBy: ", ")
        if parts.first?.hasPrefix("version ") == true { parts.removeFirst() }
        let isUnique = parts.first == "unique"
        if isUnique { parts.removeFirst() }
        if parts.first == "elements" { throw unused("it is of the elements of a property") }
        if parts.contains("subset") { throw unused("a closure says which objects are in it") }
        let fields = keeper.store.fields(of: storedClass)
        var sources: [KeySource] = []
        for part in parts {
            let words = part.components(separatedBy: ": ")
            guard words.count == 2 else { throw unused("its definition is not understood") }
            // What the definition says of columns that are no declared fields.
            guard !["computed", "property"].contains(words[0]) else {
                throw unused("a closure or a path makes its keys")
            }
            // Which of the fields that ever had the name stands behind it.
            let ends = words[0].components(separatedBy: " of field ")
            let name = ends.last?.contains(" ") == true ? words[0] : ends[0]
            guard fields.names.contains(name) else {
                throw unused("the class has no field '\(name)'")
            }
            var collation: Collation?
            if !entry.collations.isEmpty {
                // Declarations have a collation for an index of one text only.
                collation = Collation.builtIn.first { $0.definition == entry.collations }
                guard parts.count == 1, collation != nil else {
                    throw unused("this program does not know its collation '\(entry.collations)'")
                }
            }
            guard described.alwaysHas(name) else {
                throw unused(
                    "records of earlier layouts may not have '\(name)' as the class reads it")
            }
            guard let field = fields.field(named: name),
                let column = IndexColumn.described(field, as: words[1], collation)
            else { throw unused("only the class knows keys of \(words[0]): \(words[1])") }
            sources.append(KeySource(column, of: field))
        }
        guard !sources.isEmpty else { throw unused("its definition is not understood") }
        let index = Index(
            .columns(sources.map(\.column)), of: DescribedObject.self, named: entry.name,
            version: 1,
            isUnique: isUnique, subset: nil)
        do {
            try self.init(
                index, named: entry.name, sources, definition: entry.definition,
                collations: entry.collations, of: storedClass, keeper)
        } catch {
            throw unused("\(error)")
        }
    }
}

extension IndexColumn {
    /// The column of a field whose values keys have in the form of that name; `nil` if only the class makes
    /// such keys.
    fileprivate static func described(
        _ field: ClassFields.Field, as form: String, _ collation: Collation?
    ) -> IndexColumn? {
        if field.targets != nil { return form == "reference" ? .values(of: TargetRow?.self) : nil }
        let own = IndexDefinition.form(of: field.form.valueType)
        guard own == form || own == IndexDefinition.decimal && form == "\(own) or NaN" else {
            return nil
        }
        func values<Value: OrderedKeyValue & Sendable>(
            _ type: Value.Type, isOptional: Bool
        ) -> IndexColumn { isOptional ? .values(of: Value?.self) : .values(of: type) }
        let (scalar, isOptional): (FieldType.Scalar, Bool)
        switch field.type {
        case .scalar(let type): (scalar, isOptional) = (type, false)
        case .optional(.scalar(let type)): (scalar, isOptional) = (type, true)
        default: return nil
        }
        if let collation {
            return scalar == .string ? .texts(collation, isOptional: isOptional) : nil
        }
        return scalar.keyType.map { values($0, isOptional: isOptional) }
    }
}

extension StoreSchema.Class {
    /// Whether every record has the field with the values that the class reads: all layouts have it with
    /// one kind of values, and none is of a version of the class that it would upgrade.
    func alwaysHas(_ field: String) -> Bool {
        let kinds = layouts.map { layout in
            layout.version == version
                ? layout.fields?.first { $0.name == field }?.form.keyKind : nil
        }
        return !kinds.isEmpty && kinds.allSatisfy { $0 != nil && $0 == kinds[0] }
    }
}

extension FieldType {
    /// What keys have values of the type as: integers of all widths are alike, and so are floating-point
    /// numbers. `nil` for types of which no keys are made.
    fileprivate var keyKind: String? {
        switch self {
        case .one: "reference"
        case .scalar(let scalar), .optional(.scalar(let scalar)):
            scalar.keyType.map(IndexDefinition.form) ?? scalar.rawValue
        default: nil
        }
    }
}
