extension QueryRun {
    /// How many objects meet the condition, limit and offset left aside.
    mutating func countMatches() throws -> Int {
        try replanning { run in
            var sum = 0
            for (index, storedClass) in run.classes.enumerated() {
                switch run.conditions[index] {
                case .constant(true): sum += try run.store.countOfAll(storedClass)
                case .constant(false): continue
                default: sum += try run.countMatches(of: index)
                }
            }
            return sum
        }
    }

    /// How many objects of one class meet the condition.
    private mutating func countMatches(of index: Int) throws -> Int {
        let path = try accessPath(of: index, for: .count, reading: FieldsRead())
        if case .rows(let plan) = path, plan.isExact, let count = try knownCount(plan, of: index) {
            return count
        }
        return try withSource(by: path, of: index) { source in
            if let rows = source.exactRows {
                while try rows.nextRows() != nil {}
            } else {
                try source.forEachMatch { _ in true }
            }
            return source.matched
        }
    }

    /// How many objects of one class an exact plan leaves, if that can be told without reading rows.
    private func knownCount(_ plan: RowPlan, of index: Int) throws -> Int? {
        guard let count = plan.knownCount, case .index(let scan) = plan.source else { return nil }
        if !store.overlay.hasPending(of: classes[index]) {
            scan.index.uses += 1
            return count
        }
        guard permitted(FieldsRead()) != nil, !scan.index.index.isMultiple else { return nil }
        let pending = try PendingKeys(store, scan.index)
        scan.index.uses += 1
        let former = scan.ranges.reduce(0) { $0 + pending.formerCount(in: $1) }
        let cursor = RowCursor(store, store.fields(of: classes[index]))
        let filter = conditions[index].filter
        var all = count - former
        for object in pending.objects where !object.state.contains(.deleted) {
            cursor.take(object)
            if try filter.accepts(cursor) { all += 1 }
        }
        return all
    }
}
