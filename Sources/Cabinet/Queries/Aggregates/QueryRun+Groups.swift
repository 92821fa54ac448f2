extension QueryRun {
    /// The index by whose order the objects of one class come in groups of equal values of `key`;
    /// `nil` if there is none, or another way is quicker.
    mutating func groupScan<Key>(
        of index: Int, by key: KeyPath<Object, Key>, reading read: FieldsRead?
    ) throws -> GroupScan? {
        let storedClass = classes[index]
        guard let read = permitted(read),
            let field = store.fields(of: storedClass).field(at: key)
        else { return nil }
        try resolveTargets(of: index)
        return try RowPlanner(store, storedClass, .records)
            .groupScan(conditions[index], by: field.index, reading: read)
    }

    /// Puts each object that meets the condition into the group of its key, and adds it to `results`.
    ///
    /// Within ``replanning(_:)``.
    mutating func forEachGroup<Key: Hashable>(
        _ keys: GroupKeys<Key>, by key: KeyPath<Object, Key>,
        reading read: (ClassFields) -> FieldsRead?, _ results: [any GroupedResults]
    ) throws {
        if query.isCut {
            var find: ((RowCursor) throws -> Int)?
            func turn(_ fields: ClassFields, _: Int) {
                find = keys.finder(fields)
                for result in results { result.turn(to: fields) }
            }
            return try forEachMatch(turn: turn) {
                guard let group = try find?($0) else { return true }
                for result in results { try result.add($0, to: group) }
                return true
            }
        }
        for (index, storedClass) in classes.enumerated() {
            if case .constant(false) = conditions[index] { continue }
            let fields = store.fields(of: storedClass)
            let find = keys.finder(fields)
            for result in results { result.turn(to: fields) }
            let wanted = read(fields)
            if let groups = try groupScan(of: index, by: key, reading: wanted) {
                let isCount = results.allSatisfy(\.isCount)
                let walk = try GroupWalk(
                    store, groups, conditions[index].filter,
                    GroupWalk.Sink(
                        find: find,
                        add: isCount
                            ? nil
                            : { cursor, group in
                                for result in results { try result.add(cursor, to: group) }
                            },
                        addCount: results.isEmpty
                            ? nil
                            : { count, group in
                                for result in results { result.add(count, to: group) }
                            }))
                try walk.run(&counts)
                continue
            }
            var all = wanted
            if let field = fields.field(at: key) {
                all?.exactly.insert(field.index)
            } else {
                all = nil
            }
            try withSource(by: accessPath(of: index, reading: all), of: index) {
                try $0.forEachMatch { cursor in
                    let group = try find(cursor)
                    for result in results { try result.add(cursor, to: group) }
                    return true
                }
            }
        }
    }
}
