import CabinetBackend

extension RowPlanner {
    /// More targets are not looked up.
    private static var mostTargets: Int { 1000 }

    /// The rows of the objects that refer to a target that meets a condition: what the index of the
    /// relationship has of the targets that their own indexes name. `nil` if there are no such indexes, or
    /// too many targets.
    ///
    /// Pending targets are asked themselves, so the targets are those that meet the condition now.
    func plan(_ condition: TargetCondition, isWhole: Bool, _ all: Int) throws -> RowPlan? {
        // A subclass has the relationship by another key path.
        let relation = store.fields(of: storedClass).declaredName(of: condition.keyPath)
        let owning = indexes.first { index in
            guard index.index.subset == nil, let source = index.sources.first else { return false }
            let type = source.column.valueType
            let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
            return source.name == relation && wrapped is StoredObject.Type
        }
        guard relation != nil, let owning, let table = owning.table,
            let targets = try targets(of: condition, atMost: min(Self.mostTargets, max(all, 1)))
        else { return nil }
        var ranges: [KeyRange] = []
        var builder = OrderedKeyBuilder()
        for (storedClass, row) in targets.rows {
            builder.removeAll()
            builder.appendReference(toRow: row, ofClass: storedClass.number)
            ranges.append(KeyRange(prefix: builder.key.bytes))
        }
        ranges.sort { ($0.lower ?? []).lexicographicallyPrecedes($1.lower ?? []) }
        guard let count = try count(of: ranges, in: table, upTo: .max) else { return nil }
        let scan = IndexScan(
            index: owning, table: table, ranges: ranges, point: nil, count: count, limits: [],
            targets: targets.rows.count)
        // An object has several keys there if several of its targets meet the condition.
        return RowPlan(
            source: owning.index.isMultiple ? .union([RowPlan(scan)]) : .index(scan),
            isExact: isWhole && targets.areAsked, estimatedRows: min(count, all),
            entries: count + targets.rows.count)
    }

    /// Objects that a relationship may lead to.
    private struct Targets {
        var rows: [(StoredClass, RowID)] = []
        /// Whether each is there and was asked: one that a condition names by its row was not.
        var areAsked = true
    }

    /// The targets that meet a condition, pending changes counted; `nil` if no index names few.
    private func targets(of condition: TargetCondition, atMost most: Int) throws -> Targets? {
        guard
            let classes = try? store.classesToScan(
                condition.target, includingSubclasses: true,
                where: { $0.isKind(of: condition.target) })
        else { return nil }
        var found = Targets()
        for storedClass in classes {
            if let row = condition.row(store.fields(of: storedClass)) {
                found.rows.append((storedClass, row))
                found.areAsked = false
                continue
            }
            let count = try store.countOfAll(storedClass)
            if count == 0 { continue }
            // A part that an object is evaluated for may speak of the object that refers to it.
            guard let asked = condition.condition(store.fields(of: storedClass)),
                !asked.needsObject
            else { return nil }
            var counts = ScanCounts()
            func add(_ candidate: Candidate) -> Bool {
                found.rows.append((storedClass, candidate.row))
                return found.rows.count <= most
            }
            switch try store.accessPath(asked, storedClass) {
            case .rows(let plan) where plan.estimatedRows <= most - found.rows.count:
                try store.seek(plan, storedClass, asked.filter, &counts, add)
            // A few targets are all looked at.
            case .scan where count <= most - found.rows.count:
                try store.scan(storedClass, asked.filter, &counts, add)
            default: return nil
            }
        }
        return found.rows.count <= most ? found : nil
    }
}

extension RowPlan {
    fileprivate init(_ scan: IndexScan) {
        self.init(
            source: .index(scan), isExact: false, estimatedRows: scan.count, entries: scan.count)
    }
}
