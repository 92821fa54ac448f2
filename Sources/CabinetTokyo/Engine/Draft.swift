import CabinetBackend

/// What the tables would be in the middle of a batch: finds out whether all of its operations can
/// be applied before the first one is.
struct Draft {
    private let known: [Table?]
    private let retired: Set<TableNumber>
    private let highestAtOpening: TableNumber
    /// The folded names that are taken; `nil` until a batch changes a table, which few do.
    private var names: [String: TableNumber]?
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
        known = tables
        self.retired = retired
        for definition in TableDefinition.builtIn
        where self.definition(of: definition.number) == nil {
            defined[definition.number] = definition
        }
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
            }
        }
        checked = chunk.count
    }

    mutating func startNextChunk() { checked = 0 }

    @inline(__always)
    private mutating func kind(of number: TableNumber) throws(BackendError) -> TableKind {
        if let latest, latest.number == number { return latest.kind }
        guard let kind = definition(of: number)?.kind else { throw .noTable(number) }
        latest = (number, kind)
        return kind
    }

    private func definition(of number: TableNumber) -> TableDefinition? {
        if dropped.contains(number) { return nil }
        if let definition = defined[number] { return definition }
        return Int(number) < known.count ? known[Int(number)]?.definition : nil
    }

    private func takenNames() -> [String: TableNumber] {
        var names: [String: TableNumber] = [:]
        for case let table? in known { names[table.definition.foldedName] = table.number }
        return names
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
        var names = self.names ?? takenNames()
        guard names[folded] == nil || names[folded] == number else {
            throw .badTableName(definition.name)
        }
        if let old { names[old.foldedName] = nil }
        names[folded] = number
        self.names = names
        defined[number] = definition
    }

    private mutating func drop(_ number: TableNumber) throws(BackendError) {
        guard number >= .firstFree, let old = definition(of: number) else {
            throw .noTable(number)
        }
        var names = self.names ?? takenNames()
        names[old.foldedName] = nil
        self.names = names
        defined[number] = nil
        dropped.insert(number)
        latest = nil
    }
}
