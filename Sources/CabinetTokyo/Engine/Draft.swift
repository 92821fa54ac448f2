import CabinetBackend

/// What the tables would be in the middle of a batch: finds out whether all of its operations can
/// be applied before the first one is.
struct Draft {
    private let tables: [Table?]
    private let retired: Set<TableNumber>
    private let highestAtOpening: TableNumber
    /// The folded names; made for the first batch that defines or drops something.
    private lazy var names = Self.names(of: tables)
    private var defined: [TableNumber: TableDefinition] = [:]
    private var dropped: Set<TableNumber> = []
    /// The table used last: the next operation is mostly for it too.
    private var latest: (number: TableNumber, kind: TableKind)?
    /// How many bytes of the current chunk were checked.
    private var checked = 0

    /// - Parameters:
    ///   - retired: numbers whose tables were dropped while the store was open.
    ///   - highestAtOpening: numbers up to this one have a table or had one.
    init(_ tables: [Table?], retired: Set<TableNumber>, highestAtOpening: TableNumber) {
        self.highestAtOpening = highestAtOpening
        self.tables = tables
        self.retired = retired
        for definition in TableDefinition.builtIn
        where tables[Int(definition.number)] == nil {
            defined[definition.number] = definition
        }
    }

    private static func names(of tables: [Table?]) -> [String: TableNumber] {
        var names: [String: TableNumber] = [:]
        for definition in tables.compactMap({ $0?.definition })
        where definition.number >= .firstFree {
            names[definition.foldedName] = definition.number
        }
        return names
    }

    /// Goes through what is new in the current chunk.
    /// - Throws: ``BackendError/noTable(_:)`` or ``BackendError/badTableName(_:)`` for the first
    ///   operation that cannot be applied.
    mutating func check(_ chunk: UnsafeRawBufferPointer) throws(BackendError) {
        var reader = OperationReader(UnsafeRawBufferPointer(rebasing: chunk[checked...]))
        while let operation = reader.next() {
            switch operation {
            case .putRow(let table, _, _), .deleteRow(let table, _):
                guard try kind(of: table) == .record else { throw .noTable(table) }
            case .putKey(let table, _, _), .deleteKey(let table, _):
                guard try kind(of: table) != .record else { throw .noTable(table) }
            case .define(let definition): try define(definition)
            case .drop(let table): try drop(table)
            case .note, .unknown: break
            }
        }
        checked = chunk.count
    }

    mutating func startNextChunk() { checked = 0 }

    /// Whether the tables will be other ones than now.
    var changesTables: Bool { !defined.isEmpty || !dropped.isEmpty }

    @inline(__always)
    private mutating func kind(of number: TableNumber) throws(BackendError) -> TableKind {
        if let latest, latest.number == number { return latest.kind }
        let kind = defined[number]?.kind ?? table(number)?.kind
        guard let kind, !dropped.contains(number) else { throw .noTable(number) }
        latest = (number, kind)
        return kind
    }

    private func definition(of number: TableNumber) -> TableDefinition? {
        if dropped.contains(number) { return nil }
        return defined[number] ?? table(number)?.definition
    }

    private func table(_ number: TableNumber) -> Table? {
        Int(number) < tables.count ? tables[Int(number)] : nil
    }

    private mutating func define(_ definition: TableDefinition) throws(BackendError) {
        let number = definition.number
        guard number >= .firstFree, !dropped.contains(number), !retired.contains(number) else {
            throw .noTable(number)
        }
        let old = self.definition(of: number)
        guard old != nil || number > highestAtOpening else { throw .noTable(number) }
        guard old == nil || old?.kind == definition.kind else { throw .noTable(number) }
        guard definition.hasValidName else { throw .badTableName(definition.name) }
        let folded = definition.foldedName
        guard names[folded] == nil || names[folded] == number else {
            throw .badTableName(definition.name)
        }
        if let old { names[old.foldedName] = nil }
        names[folded] = number
        defined[number] = definition
    }

    private mutating func drop(_ number: TableNumber) throws(BackendError) {
        guard number >= .firstFree, let old = definition(of: number) else {
            throw .noTable(number)
        }
        names[old.foldedName] = nil
        defined[number] = nil
        dropped.insert(number)
        latest = nil
    }
}
