import CabinetBackend

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How rows are written as keys of a view file.
enum KeyForm: String, Codable, Hashable, Sendable {
    /// Digits (``DecimalKey``).
    case decimal
    /// UInt32, little-endian: the ancestor's files.
    case legacy
}

/// A table as it stands in the catalog under `table/` and its number, as JSON.
package struct CatalogEntry: Codable, Hashable, Sendable {
    package var number: TableNumber
    var kind: String
    var name: String
    var keyForm = KeyForm.decimal
    /// Whether values in the view carry their sum.
    var checksums = true
    var classNumber: UInt8 = 0
    var classVersion: UInt8 = 0
    /// What the ancestor kept behind the class number in its metadata record, as it was.
    var salt: [UInt8]?

    package init(_ definition: TableDefinition) {
        number = definition.number
        kind = Self.name(of: definition.kind)
        name = definition.name
        classNumber = definition.classNumber
        classVersion = definition.classVersion
    }

    package var definition: TableDefinition {
        get {
            TableDefinition(
                number: number, kind: Self.kinds[kind] ?? .record, name: name,
                classNumber: classNumber, classVersion: classVersion)
        }
        set {
            name = newValue.name
            classNumber = newValue.classNumber
            classVersion = newValue.classVersion
        }
    }

    private static let kinds: [String: TableKind] = [
        "record": .record, "ordered": .ordered, "named": .named,
    ]

    private static func name(of kind: TableKind) -> String {
        switch kind {
        case .record: "record"
        case .ordered: "ordered"
        case .named: "named"
        }
    }

    package func json() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Plain values always encode.
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }

    /// `nil` if the bytes are no entry.
    package init?(json: UnsafeRawBufferPointer) {
        guard let entry = try? JSONDecoder().decode(CatalogEntry.self, from: Data(json)),
            Self.kinds[entry.kind] != nil
        else { return nil }
        self = entry
    }
}
