/// What a table maps to what.
public enum TableKind: UInt8, Hashable, Sendable, CaseIterable {
    /// Row numbers to bytes: the objects of one class.
    case record = 1
    /// Bytes to bytes, in the order of the keys' bytes: an index.
    case ordered = 2
    /// Bytes to bytes, in no order: buffers under names.
    case named = 3
}

/// What programs say of a table besides its kind: a byte, of which an engine keeps all bits.
///
/// A program leaves bits that it does not know as they are: ``TableDefinition/flags`` of a definition
/// that it changes go into the new one.
public struct TableFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// All that the table holds follows from other tables: an index, for example. A salvage leaves it
    /// out, as what it was made of may be lost in part; the program makes it anew.
    public static let derived = TableFlags(rawValue: 1)
    /// The table holds what commits have replaced in others. It follows from no other table, so a salvage
    /// keeps it.
    public static let keepsHistory = TableFlags(rawValue: 2)
    /// A program has asked for the file of the table's records to be left unsealed where the store is sealed.
    public static let unsealed = TableFlags(rawValue: 4)
}

/// A table as the store remembers it.
public struct TableDefinition: Hashable, Sendable {
    /// Never changes for a table.
    public let number: TableNumber
    /// Never changes for a table.
    public let kind: TableKind
    /// Unique among the store's tables, ignoring letter case. The name of the table's file, so
    /// 1 to 100 bytes of ASCII letters, digits, `_` and `-` (ordered tables may hold `.` too).
    public var name: String
    /// What stands for the class in references of any class. Records only, where no two tables of a
    /// store share it; 0 elsewhere.
    public var classNumber: UInt8
    /// The highest class version that was ever in force. Records only; 0 elsewhere.
    public var classVersion: UInt8
    /// What else programs say of the table.
    public var flags: TableFlags

    /// A definition with the given properties; ``hasValidName`` tells whether an engine takes its
    /// name. Without a class number, a record table has the low byte of its number, which no two
    /// tables share in a store that never had more than 254.
    public init(
        number: TableNumber, kind: TableKind, name: String,
        classNumber: UInt8? = nil, classVersion: UInt8 = 0, flags: TableFlags = []
    ) {
        self.number = number
        self.kind = kind
        self.name = name
        self.classNumber =
            classNumber ?? (kind == .record ? UInt8(truncatingIfNeeded: number.rawValue) : 0)
        self.classVersion = classVersion
        self.flags = flags
    }
}

extension TableDefinition {
    /// What names are compared by: two tables of one store never share it.
    public var foldedName: String { name.lowercased() }

    /// Whether the name can be a table's: 1 to 100 bytes of letters, digits, `_` and `-` (`.` in
    /// ordered tables), and not one that the store keeps for itself.
    public var hasValidName: Bool {
        guard 1...100 ~= name.utf8.count else { return false }
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
            case 0x2E: kind == .ordered
            default: false
            }
        }
        return isPlain && foldedName != "namedbuffers" && foldedName != "journal"
    }
}
