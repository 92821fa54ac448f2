import CabinetBackend

/// What leads from an arrangement as of an earlier commit to the same as of the store's basis.
struct ArrangementDifference {
    /// What has left the list and what has entered it, moved objects among both, in the order of the keys.
    let leaving: [TouchedKeys.Entry]
    let entering: [TouchedKeys.Entry]
    /// Where each of ``leaving`` stood, and each of ``entering`` stands.
    let (before, after): ([Int], [Int])
    /// Where what has another content and the same key stands.
    private let updates: [Int]

    /// - Parameters:
    ///   - keys: the keys as of the basis, without pending changes.
    ///   - range: where the keys of the list lie.
    init(
        _ touched: TouchedKeys, _ keys: ArrangedKeys, in store: Store,
        range: KeyRange = .everything
    ) throws {
        let leaving = touched.leaving.filter { range.contains($0.key) }
        let entering = touched.entering.filter { range.contains($0.key) }
        (self.leaving, self.entering) = (leaving, entering)
        let start = try range.lower.map { try keys.count(before: $0) } ?? 0
        after = try entering.map { try keys.count(before: $0.key, of: $0.part) - start }
        before = try leaving.enumerated().map { place, entry in
            // What it would be now, without what has come before it, and with what has gone.
            let now = try keys.count(before: entry.key, of: entry.part) - start
            return now + place - entering.count(before: entry)
        }
        let changed = NumberSet((leaving + entering).map { Self.placed($0, at: 0).number })
        var updates: [Int] = []
        for part in keys.parts.indices {
            let rows = touched.written[part].filter {
                !changed.contains(Self.number(part: part, row: $0))
            }
            updates += try keys.places(ofSaved: rows.inOrder(), part, range, in: store)
                .map { $0 - start }
        }
        self.updates = updates
    }

    /// What leads from the former list to the present one, with what has another content.
    /// - Parameters:
    ///   - former: where in the former list stands what stands at an index in the order of the keys.
    ///   - present: the same of the present list.
    func edits(
        in former: (Int) -> Int = { $0 }, _ present: (Int) -> Int = { $0 }
    ) -> ListEdits {
        let old = zip(leaving, before).map { Self.placed($0, at: former($1)) }
            .inOrder { $0.index < $1.index }
        let new = zip(entering, after).map { Self.placed($0, at: present($1)) }
            .inOrder { $0.index < $1.index }
        var edits = ListEdits(
            from: old, to: new, changed: NumberSet((old + new).map(\.number)))
        edits.add(updatesAt: updates.map(present))
        return edits
    }

    /// Whether all indices are those of lists of so many objects.
    func leads(from former: Int, to present: Int) -> Bool {
        former - before.count + after.count == present
            && before.allSatisfy { 0..<former ~= $0 } && after.allSatisfy { 0..<present ~= $0 }
            && zip(before, before.dropFirst()).allSatisfy { $0 < $1 }
            && zip(after, after.dropFirst()).allSatisfy { $0 < $1 }
    }

    private static func placed(_ entry: TouchedKeys.Entry, at index: Int) -> ListEdits.Placed {
        let row = entry.key.withUnsafeBytes { OrderedKey.row(of: $0) }
        return ListEdits.Placed(index: index, number: number(part: entry.part, row: row ?? .none))
    }

    /// The number of an object of one part.
    private static func number(part: Int, row: RowID) -> UInt64 {
        UInt64(part) << 32 | UInt64(row.rawValue)
    }
}

extension ArrangedKeys {
    /// Where saved objects stand in the whole list, those whose keys lie in a range.
    func places(
        ofSaved rows: [RowID], _ part: Int, _ range: KeyRange, in store: Store
    ) throws -> [Int] {
        if rows.isEmpty { return [] }
        let index = parts[part]
        let cursor = RowCursor(store, store.fields(of: index.storedClass), ofRecords: true)
        let made = IndexKeys()
        var places: [Int] = []
        try store.forEachRecord(at: rows, of: index.storedClass) { row, bytes in
            guard try cursor.take(bytes, at: row) else { return }
            let key = try made.withKey(of: index, cursor) { key in key.map { [UInt8]($0.bytes) } }
            if let key, range.contains(key) {
                places.append(try count(before: key, of: part))
            }
        }
        return places
    }
}

extension [TouchedKeys.Entry] {
    /// How many of the entries, which are in order, stand before one.
    fileprivate func count(before entry: TouchedKeys.Entry) -> Int {
        partitioningIndex { !TouchedKeys.Entry.isBefore($0, entry) }
    }
}
