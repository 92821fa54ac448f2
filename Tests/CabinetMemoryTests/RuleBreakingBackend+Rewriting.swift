import CabinetBackend

extension RuleBreakingBackend {
    func commit(
        _ batch: WriteBatch, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitNumber {
        // Nothing is certain yet.
        if fault == .hurries { body() }
        let number = try commit(batch)
        if fault != .hurries { body() }
        return number
    }

    /// The changes that are made in the place of those asked for.
    func rewrite(_ changes: [Change]) throws(BackendError) -> [Change] {
        switch fault {
        case .reversesBatches: return changes.reversed()
        case .endsAtNotes: return Array(changes.prefix { !$0.isNote })
        case .definesLate:
            return changes.filter { !$0.isDefinition } + changes.filter(\.isDefinition)
        case .definesEarly:
            let drops = changes.filter(\.isDrop)
            return changes.filter(\.isDefinition)
                + changes.filter { !$0.isDefinition && !$0.isDrop }
                + (drops.isEmpty ? [] : [drops[0]])
        case .delaysCommits:
            // Values alone are late: a table must be there when the next call names it.
            if changes.contains(where: \.isDefinition) { return changes }
            return shelf.state.withLock { state in
                defer { state.delayed = changes }
                return state.delayed
            }
        default:
            var result: [Change] = []
            for change in changes { result += try rewrite(change) }
            return result
        }
    }

    private func rewrite(_ change: Change) throws(BackendError) -> [Change] {
        switch change {
        case .putRow(let table, let row, let value):
            return try put(value, at: row, in: mixed(table))
        case .deleteRow(let table, let row): return try delete(row, in: mixed(table))
        case .putKey(.catalog, let key, _)
        where fault == .losesNamesOfReaders && key.starts(with: "feed/".utf8):
            return []
        case .putKey(let table, let key, let value):
            return try put(value, for: key, in: mixed(table))
        case .deleteKey(let table, let key):
            if fault == .losesDeletes || fault == .losesWrites { return [] }
            return try with(table, .ordered, [.deleteKey(mixed(table), key)])
        case .define(let definition): return try define(definition)
        case .drop(let table):
            if fault == .losesDrops { return [] }
            return try with(table, .record, [change])
        case .note: return fault == .losesNotes ? [] : [change]
        case .unknown: return []
        }
    }

    private func put(
        _ value: [UInt8], at row: RowID, in table: TableNumber
    ) throws(BackendError) -> [Change] {
        shelf.state.withLock { $0.changed.append(row) }
        switch fault {
        case .losesWrites: return []
        case .losesEmptyValues where value.isEmpty: return []
        case .keepsFirstValue where try inner.value(of: row, in: table, into: DataBuffer()):
            return []
        case .remembersDeletions where shelf.state.withLock({ $0.deleted.contains(row) }):
            return []
        case .shortensRows: return [.putRow(table, RowID(row.rawValue & 0xFFFF), value)]
        default: return try with(table, .record, [.putRow(table, row, altered(value))])
        }
    }

    private func delete(_ row: RowID, in table: TableNumber) throws(BackendError) -> [Change] {
        shelf.state.withLock { _ = $0.deleted.insert(row) }
        switch fault {
        case .losesDeletes, .losesWrites: return []
        case .refusesMissingDeletes where try !inner.value(of: row, in: table, into: DataBuffer()):
            throw .noTable(table)
        default: return try with(table, .record, [.deleteRow(table, row)])
        }
    }

    private func put(
        _ value: [UInt8], for key: [UInt8], in table: TableNumber
    ) throws(BackendError) -> [Change] {
        if fault == .losesWrites || fault == .losesEmptyValues && value.isEmpty { return [] }
        var key = fault == .endsKeysAtZero ? Array(key.prefix { $0 != 0 }) : key
        if fault == .cutsKeys { key = Array(key.prefix(1024)) }
        return try with(table, .ordered, [.putKey(table, key, altered(value))])
    }

    private func altered(_ value: [UInt8]) -> [UInt8] {
        switch fault {
        case .truncatesValues: Array(value.prefix(1000))
        case .endsValuesAtZero: Array(value.prefix { $0 != 0 })
        default: value
        }
    }

    private func define(_ definition: TableDefinition) throws(BackendError) -> [Change] {
        let isThere = try inner.tables().contains { $0.number == definition.number }
        switch fault {
        case .acceptsAnyName:
            shelf.state.withLock { $0.names[definition.number] = definition }
            var plain = definition
            plain.name = "T\(definition.number)"
            return [.define(plain)]
        case .neverRenames where isThere: return []
        case .losesFlags:
            var plain = definition
            plain.flags = []
            return [.define(plain)]
        case .sharesClassNumbers:
            var other = definition
            other.classNumber = UInt8(truncatingIfNeeded: definition.number.rawValue)
            return [.define(other)]
        case .mixesTables where definition.number > 2: return []
        case .redefinitionEmpties where isThere:
            return [.define(definition), .deleteRow(definition.number, 2)]
        default: return [.define(definition)]
        }
    }

    /// Adds or leaves out what the fault wants for a table of which `kind` is expected.
    private func with(
        _ table: TableNumber, _ kind: TableKind, _ changes: [Change]
    ) throws(BackendError) -> [Change] {
        guard fault == .definesOnDemand || fault == .skipsWrongKinds else { return changes }
        let found =
            table < 2 ? TableKind.named : try inner.tables().first { $0.number == table }?.kind
        if fault == .definesOnDemand, found == nil {
            let fresh = TableDefinition(number: table, kind: kind, name: "T\(table)")
            return [.define(fresh)] + changes
        }
        if fault == .skipsWrongKinds, let found, (found == .record) != (kind == .record) {
            return []
        }
        return changes
    }
}

extension Change {
    fileprivate var isDefinition: Bool { if case .define = self { true } else { false } }
    fileprivate var isNote: Bool { if case .note = self { true } else { false } }
    fileprivate var isDrop: Bool { if case .drop = self { true } else { false } }
}
