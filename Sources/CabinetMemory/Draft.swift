import CabinetBackend

/// What the tables would be in the middle of a batch: finds out whether all of its operations can
/// be applied before the first one is.
struct Draft {
    private let contents: Contents
    /// The tables that the batch has defined or changed so far.
    private var defined: [TableNumber: TableDefinition] = [:]
    private var dropped: Set<TableNumber> = []
    /// The folded names that the batch has taken or, with `nil`, set free.
    private var names: [String: TableNumber?] = [:]

    /// The table that was last written to: the next operation is mostly for it too.
    private var latest: (number: TableNumber, kind: TableKind)?

    init(of contents: Contents) { self.contents = contents }

    /// Goes through operations in their order.
    /// - Throws: ``BackendError/noTable(_:)`` or ``BackendError/badTableName(_:)`` for the first
    ///   one that cannot be applied.
    mutating func check(_ operations: UnsafeRawBufferPointer) throws(BackendError) {
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            switch operation {
            case .putRow(let table, _, _), .deleteRow(let table, _):
                guard try kind(of: table) == .record else { throw .noTable(table) }
            case .putKey(let table, _, _), .deleteKey(let table, _):
                guard try kind(of: table) != .record else { throw .noTable(table) }
            case .define(let definition):
                try define(definition)
            case .drop(let table):
                try drop(table)
            case .note, .unknown: break
            }
        }
    }

    @inline(__always)
    private mutating func kind(of number: TableNumber) throws(BackendError) -> TableKind {
        if let latest, latest.number == number { return latest.kind }
        guard let kind = definition(of: number)?.kind else { throw .noTable(number) }
        latest = (number, kind)
        return kind
    }

    private func definition(of number: TableNumber) -> TableDefinition? {
        if dropped.contains(number) { return nil }
        return defined[number] ?? contents.table(number)?.definition
    }

    private mutating func define(_ definition: TableDefinition) throws(BackendError) {
        let number = definition.number
        guard number >= .firstFree, !dropped.contains(number), !contents.dropped.contains(number)
        else { throw .noTable(number) }
        let old = self.definition(of: number)
        guard old == nil || old?.kind == definition.kind else { throw .noTable(number) }
        guard definition.hasValidName else { throw .badTableName(definition.name) }
        let folded = definition.foldedName
        let holder = names[folded] ?? contents.names[folded]
        guard holder == nil || holder == number else { throw .badTableName(definition.name) }
        if let old { names.updateValue(nil, forKey: old.foldedName) }
        names.updateValue(number, forKey: folded)
        defined[number] = definition
    }

    private mutating func drop(_ number: TableNumber) throws(BackendError) {
        guard number >= .firstFree, let old = definition(of: number) else {
            throw .noTable(number)
        }
        names.updateValue(nil, forKey: old.foldedName)
        defined[number] = nil
        dropped.insert(number)
        latest = nil
    }
}
