import CabinetBackend

/// The rows of an arrangement, or of one group of it, kept by what commits have changed in its tables.
final class ArrangedRows<Key: OrderedKeyValue, Object: StoredObject>: LiveRows<Object> {
    private let arrangement: ArrangedObjects<Key, Object>
    private let group: Key?
    /// As of which commit the rows are.
    private var known: CommitNumber = 0

    init(_ arrangement: ArrangedObjects<Key, Object>, in group: Key?) throws {
        (self.arrangement, self.group) = (arrangement, group)
        // A key path to this property crashes the compiler 6.3.1 in some orders of files.
        let classes = try arrangement.withKeys { keys in keys.parts.map { $0.storedClass } }
        super.init(arrangement.store, watching: classes, includesPending: false)
        try fill()
    }

    override func makeSame() throws -> LiveRows<Object> { try ArrangedRows(arrangement, in: group) }

    private func prefix(_ keys: ArrangedKeys) throws -> [UInt8] {
        try group.map { try keys.prefix(of: $0) } ?? []
    }

    override func find() throws -> ListVersion {
        try arrangement.withKnownKeys(includingPending: false) { keys in
            let places = try keys.places(of: KeyRange(prefix: prefix(keys)))
            let rows = RowTree(try keys.entries(at: places).map { number($0.key, $0.part, keys) })
            known = store.basis
            return ListVersion(rows: rows, window: 0..<rows.count)
        }
    }

    override func index(of number: UInt64) -> Int? {
        let found = try? arrangement.withKnownKeys(includingPending: false) { keys in
            let prefix = try prefix(keys)
            let row = RowID(UInt32(truncatingIfNeeded: number))
            let part = keys.parts.firstIndex { $0.storedClass.liveNumber(of: row) == number }
            let start = prefix.isEmpty ? 0 : try keys.count(before: prefix)
            return try part.flatMap {
                try keys.places(ofSaved: [row], $0, prefix, in: store).first.map { $0 - start }
            }
        }
        guard let index = found ?? nil, version.window.contains(index) else { return nil }
        return version.rows[index] == number ? index : nil
    }

    private func number(_ key: [UInt8], _ part: Int, _ keys: ArrangedKeys) -> UInt64 {
        let row = key.withUnsafeBytes { OrderedKey.row(of: $0) }
        return keys.parts[part].storedClass.liveNumber(of: row ?? .none)
    }

    override func take(_ news: LiveNews) throws {
        let reason = (news.cause, news.authors)
        if news.isUnknown || failure != nil { return try refill(nil, reason) }
        let isTaken = try arrangement.withKnownKeys(includingPending: false) { keys in
            let touched = try store.touchedKeys(of: keys.parts, after: known) {
                () throws(BackendError) in try store.backend.changes(after: known)
            }
            return try touched.map { try apply($0, keys, reason) } ?? false
        }
        if isTaken { return }
        var changed: Set<UInt64> = []
        for storedClass in watched {
            for summary in news.summaries {
                for change in summary[storedClass]?.all ?? [] {
                    changed.insert(storedClass.liveNumber(of: change.row))
                }
            }
        }
        try refill(NumberSet(changed.inOrder()), reason)
    }

    /// `false`, with nothing changed, if the list is not what the commits have begun with.
    private func apply(
        _ touched: TouchedKeys, _ keys: ArrangedKeys, _ reason: Reason
    ) throws -> Bool {
        let difference = try ArrangementDifference(
            touched, keys, in: store, prefix: prefix(keys))
        // To read the list again takes less.
        if touched.count > 1024, touched.count * 4 > version.rows.count { return false }
        let count = try keys.places(of: KeyRange(prefix: prefix(keys))).count
        guard difference.leads(from: version.rows.count, to: count) else { return false }
        known = store.basis
        if difference.edits.isEmpty { return true }
        var rows = takeRows()
        for index in difference.before.reversed() { rows.remove(at: index) }
        for (entry, index) in zip(difference.entering, difference.after) {
            rows.insert(number(entry.key, entry.part, keys), at: index)
        }
        put(ListVersion(rows: rows, window: 0..<rows.count))
        let changed = NumberSet(difference.edits.updates.map { version.rows[$0] })
        note(changed, reason) { difference.edits }
        return true
    }
}

extension ArrangedObjects {
    /// The objects of the arrangement, or of one group, kept up to date, without pending changes: a list in
    /// the order of the arrangement, group after group.
    ///
    /// A commit costs what it has changed of the arrangement, whatever the length of the list; over an engine that
    /// does not keep the changes of commits, the list is read again and compared.
    /// - Parameter group: `nil` for all groups.
    /// - Throws: ``StoreError/incompleteIndexes(_:)`` while the arrangement is not complete; otherwise
    ///   as ``groups()``.
    public func live(in group: Key? = nil) throws -> LiveObjects<Object> {
        LiveObjects(try ArrangedRows(self, in: group))
    }
}
