import CabinetBackend

// A condition on the targets of a relationship is planned in two steps: indexes of the targets' class name
// these, and an index of the relationship has who refers to them.

extension RowPlanner {
    /// More targets are not looked up.
    private static var mostTargets: Int { 1000 }

    // MARK: Relationships to one

    /// `condition`, in which parts about the targets of a relationship to one say which these are: what they
    /// leave of the relationship, as of any field. Only where an index has a column of the relationship, and
    /// no other part leaves few rows.
    func resolvingTargets(_ condition: Condition) throws -> Condition {
        guard !indexes.isEmpty, condition.contains(where: isResolvable) else { return condition }
        let all = try countOfAll()
        if let plan = try plan(condition, all), plan.estimatedRows <= Self.few { return condition }
        return try resolved(condition, all)
    }

    private func isResolvable(_ expression: Condition.Expression) -> Bool {
        expression.limit == nil && expression.target.flatMap(column) != nil
    }

    /// The relationship, if an index has a column of it.
    private func column(of condition: TargetCondition) -> ClassFields.Field? {
        guard let field = store.fields(of: storedClass).field(named: condition.relation),
            field.targets != nil
        else { return nil }
        let isIndexed = indexes.contains { index in
            !index.index.isMultiple && index.index.subset == nil
                && index.sources.contains { $0.field?.index == field.index }
        }
        return isIndexed ? field : nil
    }

    private func resolved(_ condition: Condition, _ all: Int) throws -> Condition {
        switch condition {
        case .all(let parts): return .all(try parts.map { try resolved($0, all) })
        case .any(let parts): return .any(try parts.map { try resolved($0, all) })
        case .expression(var expression) where isResolvable(expression):
            guard let target = expression.target, let field = column(of: target) else {
                return condition
            }
            // Once is enough.
            expression.target = nil
            let most = min(Self.mostTargets, max(all, 1))
            guard let targets = try targets(of: target, atMost: most) else {
                return .expression(expression)
            }
            let values = targets.rows.map { TargetRow?.some($0) as Any }
            expression.limit = FieldLimit(
                field: field, kind: .equal(values), isWhole: targets.areAsked)
            return .expression(expression)
        default: return condition
        }
    }

    // MARK: Relationships to many

    /// The rows of the objects that refer to a target that meets a condition: what the index of the
    /// relationship's elements has of the targets that their own indexes name. `nil` if there are no such
    /// indexes, or too many targets.
    ///
    /// Pending targets are asked themselves, so the targets are those that meet the condition now.
    func plan(_ condition: TargetCondition, isWhole: Bool, _ all: Int) throws -> RowPlan? {
        let owning = indexes.first { index in
            guard index.index.isMultiple, index.index.subset == nil,
                let source = index.sources.first
            else { return false }
            let type = source.column.valueType
            let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
            return source.name == condition.relation && wrapped is StoredObject.Type
        }
        guard let owning, let table = owning.table,
            let targets = try targets(of: condition, atMost: min(Self.mostTargets, max(all, 1)))
        else { return nil }
        var ranges: [KeyRange] = []
        var builder = OrderedKeyBuilder()
        for target in targets.rows {
            builder.removeAll()
            target.write(to: &builder)
            ranges.append(KeyRange(prefix: builder.key.bytes))
        }
        ranges.sort { ($0.lower ?? []).lexicographicallyPrecedes($1.lower ?? []) }
        guard let count = try count(of: ranges, in: table, besideScanOf: .max) else { return nil }
        let scan = IndexScan(
            span: IndexSpan(owning, table, ranges: ranges), count: count,
            targets: targets.rows.count)
        // An object has several keys there if several of its targets meet the condition.
        return RowPlan(
            source: .union([RowPlan(scan, isExact: false)]), isExact: isWhole && targets.areAsked,
            estimatedRows: min(count, all), entries: count + targets.rows.count)
    }

    // MARK: Targets

    /// Objects that a relationship may lead to.
    private struct Targets {
        var rows: [TargetRow] = []
        /// Whether each is there and was asked: one that a condition names by its row was not.
        var areAsked = true
    }

    /// The targets that meet a condition, pending changes counted; `nil` if no index names few.
    private func targets(of condition: TargetCondition, atMost most: Int) throws -> Targets? {
        guard let classes = try? condition.targets(store) else { return nil }
        var found = Targets()
        for storedClass in classes {
            let number = storedClass.number
            if let row = condition.row(store.fields(of: storedClass)) {
                found.rows.append(TargetRow(classNumber: number, row: row))
                found.areAsked = false
                continue
            }
            let count = try store.countOfAll(storedClass)
            if count == 0 { continue }
            // A part that an object is evaluated for may speak of the object that refers to it.
            guard let asked = condition.condition(store.fields(of: storedClass)),
                !asked.needsObject
            else { return nil }
            if case .constant(false) = asked { continue }
            var counts = ScanCounts()
            func add(_ cursor: RowCursor) -> Bool {
                found.rows.append(TargetRow(classNumber: number, row: cursor.row))
                return found.rows.count <= most
            }
            let path = try store.accessPath(asked, storedClass)
            switch path {
            case .rows(let plan) where plan.estimatedRows <= most - found.rows.count: break
            // A few targets are all looked at.
            case .scan where count <= most - found.rows.count: break
            default: return nil
            }
            try store.source(by: path, of: storedClass, asked.filter).use(&counts) {
                try $0.forEachMatch(add)
            }
        }
        return found.rows.count <= most ? found : nil
    }
}

extension Condition {
    /// Whether one of the expressions that plans are made of is such a one.
    fileprivate func contains(where isSuch: (Expression) -> Bool) -> Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains { $0.contains(where: isSuch) }
        case .expression(let expression): isSuch(expression)
        case .constant, .test, .not: false
        }
    }
}
