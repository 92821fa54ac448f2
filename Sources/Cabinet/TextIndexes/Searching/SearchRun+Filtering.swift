import CabinetBackend

extension SearchRun {
    /// What indexes said of the condition of a search.
    struct Narrowing {
        let plan: RowPlan
        /// How many rows the texts have left, and how many of these the indexes name.
        let searched: Int
        let rows: Int
    }

    /// So few rows are asked themselves sooner than an index is.
    private static var few: Int { 16 }
    /// And so few sooner than a plan is made that itself looks many things up.
    private static var many: Int { 1000 }

    /// Those of some rows, none of which is pending, that meet the condition.
    mutating func filtered(_ rows: [UInt32]) throws -> [UInt32] {
        guard let condition, let filter else { return rows }
        var left = rows
        if let plan = try plan(condition, for: rows.count) {
            left = RowList.intersection(rows, try named(by: plan))
            narrowing = Narrowing(plan: plan, searched: rows.count, rows: left.count)
            if plan.isExact { return left }
        }
        let cursor = RowCursor(store, store.fields(of: storedClass))
        return try store.withSeekMemory { memory in
            memory.rows.append(contentsOf: left.lazy.map { RowID($0) })
            var records = RowRecords(store, storedClass, memory.rows, memory.records)
            return try left.filter { row in
                guard let record = try records.record(of: RowID(row)) else { return false }
                return try cursor.take(record, at: RowID(row)) && filter.accepts(cursor)
            }
        }
    }

    /// The rows for the condition by indexes, if reading them costs less than asking `count` records.
    private func plan(_ condition: Condition, for count: Int) throws -> RowPlan? {
        let costs = store.plannerCosts
        let least = condition.isCostlyToPlan ? Self.many : Self.few
        guard Double(count) * costs.step >= Double(least), count > 0,
            let plan = try RowPlanner(store, storedClass, .rows).plan(condition)
        else { return nil }
        let asked = Double(count * costs.lookUp) * costs.step
        var cost = Double(costs.start) + Double(plan.entries) * costs.entry
        if !plan.isExact {
            let all = try store.reading { reader throws(BackendError) in
                try reader.count(of: storedClass.table)
            }
            cost += asked * Double(plan.estimatedRows) / Double(max(all, 1))
        }
        return cost < asked ? plan : nil
    }

    private func named(by plan: RowPlan) throws -> [UInt32] {
        try store.withSeekMemory { memory in
            try store.readRows(of: plan, into: &memory.rows, memory)
            return memory.rows.map(\.rawValue)
        }
    }
}

extension Condition {
    /// Whether planning it looks for targets of relationships, or counts the keys of many values.
    fileprivate var isCostlyToPlan: Bool {
        conjuncts.contains { part in
            switch part {
            case .any: true
            case .expression(let expression) where expression.target != nil: true
            default:
                if case .equal(let values)? = part.limit?.kind { values.count > 16 } else { false }
            }
        }
    }
}
