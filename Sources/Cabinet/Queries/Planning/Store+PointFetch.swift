import CabinetBackend
import Foundation

/// What a store keeps for queries of one field's value.
private final class PointLookUps {
    struct Entry {
        /// Held, so that no other one has its address.
        let keyPath: AnyKeyPath
        let index: ClassIndex
        let column: PlannedColumn
        /// Whether no two entries have the same value.
        let isAlone: Bool
        let isOptional: Bool
    }

    /// By the address of the key path: a literal of a program is one object.
    var entries: [ObjectIdentifier: Entry] = [:]
    var builder = OrderedKeyBuilder()
}

extension Store {
    /// What `query` gives, if it asks for one value of an indexed field and nothing else, and few objects
    /// have it; `nil` otherwise, for the planner.
    func pointFetch<Object: StoredObject>(_ query: ObjectQuery<Object>) throws -> [Object]? {
        guard case .predicate(let predicate) = query.criterion, let keeper = indexKeeper,
            query.sortedBy.isEmpty, query.limit == nil, query.offset <= 0,
            !query.includesSubclasses,
            let equality = predicate.expression as? any FieldEquality,
            let (keyPath, value) = equality.parts(of: predicate.variable.key)
        else { return nil }
        let storedClass = try classToRead(Object.self)
        guard let indexes = try keeper.indexes(of: storedClass), !indexes.all.isEmpty else {
            return nil
        }
        let lookUps = annex(PointLookUps.self) { _ in PointLookUps() }
        let address = ObjectIdentifier(keyPath)
        let entry: PointLookUps.Entry
        if let known = lookUps.entries[address] {
            entry = known
        } else {
            guard let found = pointIndex(keyPath, indexes) else { return nil }
            lookUps.entries[address] = found
            entry = found
        }
        guard let table = entry.index.table, entry.index.isComplete,
            indexes.all.contains(where: { $0 === entry.index }),
            !entry.column.isNotANumber(value), !entry.isOptional || !PlannedColumn.isNil(value),
            !overlay.hasPending(of: storedClass)
        else { return nil }
        lookUps.builder.removeAll()
        guard entry.column.append(value, &lookUps.builder), !lookUps.builder.isCut else {
            return nil
        }
        // Over a remote engine the planner's count is to be the only one.
        if !entry.isAlone, backend.isRemote { return nil }
        let key = lookUps.builder.key.bytes
        let range = KeyRange(prefix: key)
        let count =
            entry.isAlone
            ? 1
            : try reading { reader throws(BackendError) in
                try reader.count(of: range, in: table, upTo: Self.mostRows + 1)
            }
        guard count <= Self.mostRows else { return nil }
        let scan = IndexScan(
            span: IndexSpan(entry.index, table, ranges: [range]),
            point: entry.isAlone ? key : nil, count: count)
        let plan = RowPlan(scan, isExact: true)
        var objects: [Object] = []
        var counts = ScanCounts()
        try PlannedSource(self, storedClass, ConstantFilter(true), plan).use(&counts) { source in
            while try source.next() {
                objects.append(unsafeDowncast(try source.cursor.object(), to: Object.self))
            }
        }
        return objects
    }

    /// More objects of one value are left to the planner.
    private static var mostRows: Int { 64 }

    /// The first index that tells exactly which objects have a value of that key path.
    private func pointIndex(
        _ keyPath: AnyKeyPath, _ indexes: ClassIndexes
    ) -> PointLookUps.Entry? {
        guard let field = fields(of: indexes.storedClass).field(at: keyPath) else { return nil }
        let usable = indexes.all.filter { !$0.index.isMultiple && $0.index.subset == nil }
        for index in usable.filter(\.index.isUnique) + usable where index.isComplete {
            guard let source = index.sources.first, let column = index.plannedColumns[0],
                column.field?.index == field.index, column.isExactEqual
            else { continue }
            return PointLookUps.Entry(
                keyPath: keyPath, index: index, column: column,
                isAlone: index.index.isUnique && index.sources.count == 1,
                isOptional: source.column.valueType is any OptionalValue.Type)
        }
        return nil
    }
}
