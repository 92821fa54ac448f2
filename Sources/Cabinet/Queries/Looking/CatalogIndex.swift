import CabinetBackend
import Foundation

/// An index as the catalog describes it, whose keys can be made of records without their class: of
/// declared fields, and under collations that are built in.
///
/// `Sendable`: a value.
struct CatalogIndex: Sendable {
    /// One part of the keys.
    struct Column: Sendable {
        let field: String
        let form: KeyForm
    }

    /// Why keys cannot be made.
    struct Unusable: Error, Sendable {
        let reason: String
    }

    let name: String
    let table: TableNumber
    let isUnique: Bool
    let columns: [Column]

    /// - Parameter tables: those of the store.
    /// - Throws: ``Unusable``
    init(
        _ entry: DerivedEntry, of storedClass: StoreSchema.Class, _ tables: [TableDefinition]
    ) throws(Unusable) {
        func unusable(_ reason: String) -> Unusable { Unusable(reason: reason) }
        guard entry.state == .complete else { throw unusable(entry.whyUnusable) }
        let table = tables.first { $0.kind == .ordered && $0.name == entry.table }
        guard let table else { throw unusable("its table is not there") }
        var parts = entry.definition.components(separatedBy: ", ")
        if parts.first?.hasPrefix("version ") == true { parts.removeFirst() }
        isUnique = parts.first == "unique"
        if isUnique { parts.removeFirst() }
        if parts.first == "elements" { throw unusable("it is of the elements of a property") }
        if parts.contains("subset") { throw unusable("a closure says which objects are in it") }
        let collations = entry.collations.isEmpty ? [] : [entry.collations]
        var columns: [Column] = []
        for part in parts {
            let words = part.components(separatedBy: ": ")
            guard words.count == 2 else { throw unusable("its definition is not understood") }
            // What the definition says of columns that are no declared fields.
            guard !["computed", "property"].contains(words[0]) else {
                throw unusable("a closure or a path makes its keys")
            }
            // Which of the fields that ever had the name stands behind it.
            let ends = words[0].components(separatedBy: " of field ")
            let name = ends.last?.contains(" ") == true ? words[0] : ends[0]
            guard let field = storedClass.fields.first(where: { $0.name == name }) else {
                throw unusable("the class has no field '\(name)'")
            }
            var collation: Collation?
            if let known = collations.first {
                // Declarations have a collation for an index of one text only.
                collation = Collation.builtIn.first { $0.definition == known }
                guard parts.count == 1, collation != nil else {
                    throw unusable("this program does not know its collation '\(known)'")
                }
            }
            guard let form = KeyForm(words[1][...], of: field.form, collation) else {
                throw unusable("only the class knows keys of \(words[0]): \(words[1])")
            }
            columns.append(Column(field: name, form: form))
        }
        guard !columns.isEmpty else { throw unusable("its definition is not understood") }
        if let field = columns.first(where: { !storedClass.alwaysHas($0.field) })?.field {
            throw unusable(
                "records of earlier layouts may not have '\(field)' as the class reads it")
        }
        (name, self.table, self.columns) = (entry.name, table.number, columns)
    }

    /// Makes the key of a record, as the class would.
    /// - Returns: whether its row is the value under the key, and not its end; `nil` for a record without
    ///   such a key.
    func makeKey(_ value: (String) -> FieldValue, _ key: inout OrderedKeyBuilder) -> Bool? {
        key.removeAll()
        var isAlone = isUnique
        for column in columns {
            let start = key.size
            guard column.form.append(value(column.field), to: &key) else { return nil }
            if isAlone, key.isNothing(at: start) { isAlone = false }
        }
        return isAlone
    }
}

extension DerivedEntry {
    /// Why an index that is not complete cannot be used.
    var whyUnusable: String {
        switch state {
        case .unknown: "a newer program says how far it is"
        case .building: "it is being built"
        case .complete: "it is complete"
        case .behind where since == 0: "it is to be made anew"
        case .behind: "a program that does not know it has written the class since"
        case .catchingUp: "it is being brought up to date"
        case .refused: "it was to be unique, and is not"
        }
    }
}

extension StoreSchema.Class {
    /// Whether every record has the field with the values that the class reads: all layouts have it with
    /// one kind of values, and none is of a version of the class that it would upgrade.
    func alwaysHas(_ field: String) -> Bool {
        let kinds = layouts.map { layout in
            layout.version == version
                ? layout.fields?.first { $0.name == field }?.form.comparedScalar?.keyKind : nil
        }
        return !kinds.isEmpty && kinds.allSatisfy { $0 != nil && $0 == kinds[0] }
    }
}

extension FieldType.Scalar {
    /// What keys have values of the type as: integers of all widths are alike, and so are floating-point
    /// numbers.
    fileprivate var keyKind: String {
        switch self {
        case .uint8, .uint16, .uint32, .uint64, .uint128, .uint, .int8, .int16, .int32, .int64,
            .int128, .int:
            "integer"
        case .float, .double: "float"
        default: rawValue
        }
    }
}

extension StoreSchema {
    /// The indexes of a class, each with its name: what this program can make of it, or why it cannot.
    static func indexes(
        of storedClass: Class, in reader: any BackendReader
    ) throws(BackendError) -> [(name: String, index: Result<CatalogIndex, CatalogIndex.Unusable>)] {
        let tables = try reader.tables()
        return try reader.derivedEntries(ofClass: storedClass.number).of(IndexKeeper.kind).map {
            entry in
            do throws(CatalogIndex.Unusable) {
                return (entry.name, .success(try CatalogIndex(entry, of: storedClass, tables)))
            } catch {
                return (entry.name, .failure(error))
            }
        }
    }
}
