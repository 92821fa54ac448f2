/// The tables of a store, as ``BatchDraft`` asks an engine for them.
public protocol TableDirectory {
    /// The kind of a table; `nil` if there is none of that number.
    func kind(of number: TableNumber) -> TableKind?
    /// The definition of a table; `nil` if there is none of that number.
    func definition(of number: TableNumber) -> TableDefinition?
    /// All tables. Asked for once, by the first batch that defines or drops one.
    var definitions: [TableDefinition] { get }
    /// Whether a number that no table has was a table's before, and was not given out again by a claim.
    func isSpent(_ number: TableNumber) -> Bool
}

/// What the tables would be in the middle of a batch: finds out whether all of its operations can
/// be applied before the first one is. For engines; it serves any number of batches as long as the
/// tables stay the same.
///
/// Not `Sendable`: it belongs to the thread that commits.
public final class BatchDraft {
    private let tables: any TableDirectory
    private let limits: BackendLimits
    private let sharesClassNumbers: Bool
    /// Folded names, and class numbers of record tables; made for the first batch that defines or
    /// drops something.
    private lazy var known = Names(tables.definitions)
    // Read many times a small save: without dynamic checks of exclusivity.
    @exclusivity(unchecked) private var defined: [TableNumber: TableDefinition] = [:]
    @exclusivity(unchecked) private var dropped: Set<TableNumber> = []
    /// The table used last: the next operation is mostly for it too.
    @exclusivity(unchecked) private var latest: (number: TableNumber, kind: TableKind)?
    /// How many bytes of the current chunk were checked.
    @exclusivity(unchecked) private var checked = 0

    private struct Names {
        var byName: [String: TableNumber] = [:]
        var byClass: [UInt8: TableNumber] = [:]

        init(_ definitions: [TableDefinition]) {
            for definition in definitions where definition.number >= .firstFree {
                byName[definition.foldedName] = definition.number
                if definition.kind == .record {
                    byClass[definition.classNumber] = definition.number
                }
            }
        }
    }

    /// A draft of the tables as they are now.
    /// - Parameters:
    ///   - limits: what keys may be put.
    ///   - sharesClassNumbers: whether two record tables may have one class number: in a store whose
    ///     damage is being repaired.
    public init(
        of tables: any TableDirectory, limits: BackendLimits = BackendLimits(),
        sharesClassNumbers: Bool = false
    ) {
        self.tables = tables
        self.limits = limits
        self.sharesClassNumbers = sharesClassNumbers
    }

    /// Goes through what is new in `operations`, the current chunk behind its headroom.
    /// - Throws: ``BackendError/noTable(_:)``, ``BackendError/badTableName(_:)``,
    ///   ``BackendError/classNumberTaken(_:)`` or ``BackendError/tooLarge(limit:)`` for the first
    ///   operation that cannot be applied. The draft is of no use then.
    public func check(_ operations: UnsafeRawBufferPointer) throws(BackendError) {
        var reader = OperationReader(UnsafeRawBufferPointer(rebasing: operations[checked...]))
        while let operation = reader.next() {
            switch operation {
            case .putRow(let table, _, _), .deleteRow(let table, _):
                guard try kind(of: table) == .record else { throw .noTable(table) }
            case .putKey(let table, let key, _):
                switch try kind(of: table) {
                case .record: throw .noTable(table)
                case .ordered where key.count > limits.longestOrderedKey:
                    throw .tooLarge(limit: limits.longestOrderedKey)
                case .ordered, .named: break
                }
            case .deleteKey(let table, _):
                guard try kind(of: table) != .record else { throw .noTable(table) }
            case .define(let definition): try define(definition)
            case .drop(let table): try drop(table)
            case .note, .unknown: break
            }
        }
        checked = operations.count
    }

    /// The next chunk, or the next batch, begins.
    public func startNextChunk() { checked = 0 }

    /// Whether the tables will be other ones than now.
    public var changesTables: Bool { !defined.isEmpty || !dropped.isEmpty }

    @inline(__always)
    private func kind(of number: TableNumber) throws(BackendError) -> TableKind {
        if let latest, latest.number == number { return latest.kind }
        let kind = defined[number]?.kind ?? tables.kind(of: number)
        guard let kind, !dropped.contains(number) else { throw .noTable(number) }
        latest = (number, kind)
        return kind
    }

    private func definition(of number: TableNumber) -> TableDefinition? {
        if dropped.contains(number) { return nil }
        return defined[number] ?? tables.definition(of: number)
    }

    private func define(_ definition: TableDefinition) throws(BackendError) {
        let number = definition.number
        guard number >= .firstFree, !dropped.contains(number) else { throw .noTable(number) }
        let old = self.definition(of: number)
        guard old != nil || !tables.isSpent(number) else { throw .noTable(number) }
        guard old == nil || old?.kind == definition.kind else { throw .noTable(number) }
        guard definition.hasValidName else { throw .badTableName(definition.name) }
        let folded = definition.foldedName
        guard known.byName[folded] == nil || known.byName[folded] == number else {
            throw .badTableName(definition.name)
        }
        if definition.kind == .record { try takeClassNumber(of: definition, old) }
        if let old { known.byName[old.foldedName] = nil }
        known.byName[folded] = number
        defined[number] = definition
    }

    private func takeClassNumber(
        of definition: TableDefinition, _ old: TableDefinition?
    ) throws(BackendError) {
        // A table that has its class number already keeps it, even if another table has it too.
        if old?.classNumber == definition.classNumber { return }
        let holder = known.byClass[definition.classNumber]
        guard holder == nil || holder == definition.number || sharesClassNumbers else {
            throw .classNumberTaken(definition.classNumber)
        }
        if let old { free(old) }
        known.byClass[definition.classNumber] = definition.number
    }

    private func free(_ old: TableDefinition) {
        guard old.kind == .record, known.byClass[old.classNumber] == old.number else { return }
        known.byClass[old.classNumber] = nil
    }

    private func drop(_ number: TableNumber) throws(BackendError) {
        guard number >= .firstFree, let old = definition(of: number) else {
            throw .noTable(number)
        }
        known.byName[old.foldedName] = nil
        free(old)
        defined[number] = nil
        dropped.insert(number)
        latest = nil
    }
}
