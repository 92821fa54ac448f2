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
    /// UInt32, little-endian: BNRPersistence's files.
    case legacy
}

/// The catalog's entry of a table, as JSON, under `table/` and the table's number.
package struct CatalogEntry: Codable, Hashable, Sendable {
    package var number: TableNumber
    var kind: String
    var name: String
    var keyForm = KeyForm.decimal
    /// Whether values in the view carry their sum.
    var checksums = true
    var classNumber: UInt8 = 0
    var classVersion: UInt8 = 0
    /// The byte of ``TableFlags``; `nil` for none.
    private var tableFlags: UInt8?
    /// What BNRPersistence kept behind the class number in its metadata record, as it was.
    var salt: [UInt8]?

    package init(_ definition: TableDefinition) {
        number = definition.number
        kind = Self.name(of: definition.kind)
        name = definition.name
        classNumber = definition.classNumber
        classVersion = definition.classVersion
        flags = definition.flags
    }

    package var definition: TableDefinition {
        get {
            TableDefinition(
                number: number, kind: Self.kind(named: kind) ?? .record, name: name,
                classNumber: classNumber, classVersion: classVersion, flags: flags)
        }
        set {
            name = newValue.name
            classNumber = newValue.classNumber
            classVersion = newValue.classVersion
            flags = newValue.flags
        }
    }

    var flags: TableFlags {
        get { TableFlags(rawValue: tableFlags ?? 0) }
        set { tableFlags = newValue.isEmpty ? nil : newValue.rawValue }
    }

    private enum CodingKeys: String, CodingKey {
        case number, kind, name, keyForm, checksums, classNumber, classVersion, salt
        case tableFlags = "flags"
    }

    private static func kind(named name: String) -> TableKind? {
        switch name {
        case "record": .record
        case "ordered": .ordered
        case "named": .named
        default: nil
        }
    }

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
    ///
    /// Nearly every entry is what ``init(_:)`` makes of the table's definition, and to decode one
    /// costs a process as much as the rest of opening a store: so the text of `expected` is
    /// compared first.
    package init?(json: UnsafeRawBufferPointer, expected: TableDefinition) {
        let entry = CatalogEntry(expected)
        if entry.isPlainText(json) { self = entry } else { self.init(json: json) }
    }

    /// Whether `json` is exactly what ``json()`` gives for an entry of the usual layout. `false`
    /// also where a name would have to be escaped.
    func isPlainText(_ json: UnsafeRawBufferPointer) -> Bool {
        guard salt == nil, keyForm == .decimal, checksums, name.utf8.allSatisfy(Self.isPlain) else {
            return false
        }
        let text =
            "{\"checksums\":true,\"classNumber\":\(classNumber),\"classVersion\":\(classVersion),"
            + (tableFlags.map { "\"flags\":\($0)," } ?? "")
            + "\"keyForm\":\"decimal\",\"kind\":\"\(kind)\",\"name\":\"\(name)\",\"number\":\(number)}"
        return json.elementsEqual(text.utf8)
    }

    /// Whether a byte stands for itself in JSON.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x2F && byte != 0x5C
    }

    /// `nil` if the bytes are no entry.
    package init?(json: UnsafeRawBufferPointer) {
        guard let entry = try? JSONDecoder().decode(CatalogEntry.self, from: Data(json)),
            Self.kind(named: entry.kind) != nil
        else { return nil }
        self = entry
    }
}
