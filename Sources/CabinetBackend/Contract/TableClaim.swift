/// A table that a caller wants to use, whether the store has it or not. `Sendable`: a value.
public struct TableClaim: Hashable, Sendable {
    /// What the table maps to what.
    public var kind: TableKind
    /// The table's name.
    public var name: String
    /// The class version of a new table. Records only; 0 elsewhere.
    public var classVersion: UInt8
    /// The flags of a new table.
    public var flags: TableFlags

    /// A claim of the table called `name`.
    public init(
        kind: TableKind, name: String, classVersion: UInt8 = 0, flags: TableFlags = []
    ) {
        self.kind = kind
        self.name = name
        self.classVersion = classVersion
        self.flags = flags
    }
}

/// The claims that an engine has granted for tables that are not defined yet; see
/// ``Backend/claim(_:)``. `Sendable`: a value, which the engine's lock guards.
public struct TableClaims: Sendable {
    private var granted: [String: TableDefinition] = [:]

    /// No claim was granted.
    public init() {}

    /// Grants a claim; to be called inside the engine's lock.
    /// - Parameters:
    ///   - tables: all tables that the store has.
    ///   - reserve: gives a new table number, or throws. Called for a new table alone.
    public mutating func grant(
        _ wanted: TableClaim, tables: [TableDefinition], isSpent: (TableNumber) -> Bool,
        reserve: () throws(BackendError) -> TableNumber
    ) throws(BackendError) -> TableDefinition {
        var definition = TableDefinition(
            number: .max, kind: wanted.kind, name: wanted.name,
            classVersion: wanted.kind == .record ? wanted.classVersion : 0, flags: wanted.flags)
        let folded = definition.foldedName
        if let found = tables.first(where: { $0.foldedName == folded }) {
            granted[folded] = nil
            guard found.kind == wanted.kind else { throw .badTableName(wanted.name) }
            return found
        }
        guard definition.hasValidName else { throw .badTableName(wanted.name) }
        // A table that was defined by a claim may have been dropped since.
        granted = granted.filter { !isSpent($0.value.number) }
        if let known = granted[folded], Self.isFree(known, tables) {
            guard known.kind == wanted.kind else { throw .badTableName(wanted.name) }
            return known
        }
        var classNumber: UInt8 = 0
        if wanted.kind == .record {
            let used = Set(
                (tables + granted.values).lazy.filter { $0.kind == .record }.map(\.classNumber))
            guard let free = (0...UInt8.max).first(where: { !used.contains($0) }) else {
                throw .classNumbersExhausted
            }
            classNumber = free
        }
        definition = TableDefinition(
            number: try reserve(), kind: wanted.kind, name: wanted.name, classNumber: classNumber,
            classVersion: definition.classVersion, flags: wanted.flags)
        granted[folded] = definition
        return definition
    }

    /// Whether no table has a claim's number or class number: callers may define unclaimed.
    private static func isFree(_ claim: TableDefinition, _ tables: [TableDefinition]) -> Bool {
        !tables.contains {
            $0.number == claim.number
                || claim.kind == .record && $0.kind == .record
                    && $0.classNumber == claim.classNumber
        }
    }
}
