import CabinetBackend

extension StoreQuery {
    /// How many objects come before `object` among those that the query gives without its limit and
    /// offset; `nil` if `object` is not among them.
    ///
    /// Logarithmic if an index has the order of the query and answers its condition, and nothing of the
    /// class is pending; otherwise as ``rowIDs()``.
    /// - Throws: what ``objects()`` does; ``StoreError/wrongStore(class:)`` for an object of another
    ///   store.
    public func rank(of object: Object) throws -> Int? {
        var query = query
        (query.limit, query.offset, query.includesSubclasses) = (nil, 0, false)
        var run = try QueryRun(store, query)
        guard let storedClass = object.storedClass, storedClass === run.classes[0] else {
            if object.storedClass.map({ $0.withContext { $0 === store } }) ?? true { return nil }
            throw StoreError.wrongStore(class: run.classes[0].name)
        }
        if object.state.contains(.deleted) || store.isGoneElsewhere(object, storedClass) {
            return nil
        }
        do {
            if let scan = try run.orderedScan(onlyRows: true), scan.isExact, scan.isWhole,
                !store.overlay.hasPending(of: storedClass)
            {
                try store.load(object)
                return try store.rank(of: object, by: scan)
            }
        } catch is OrderedWalk.Unusable {}
        return try run.matches().places.firstIndex { $0.row == object.rowID }
    }
}

extension Store {
    fileprivate func rank(of object: StoredObject, by scan: OrderedScan) throws -> Int? {
        scan.index.uses += 1
        let cursor = RowCursor(self, fields(of: scan.index.storedClass))
        cursor.take(object)
        var group: [UInt8] = []
        var own: [UInt8] = []
        try IndexKeys().withKey(of: scan.index, cursor) { key in
            guard let key else { return }
            if key.isCut { throw OrderedWalk.Unusable() }
            own = Array(key.bytes)
            group = Array(key.isAlone ? key.bytes[...] : key.bytes.dropLast(OrderedKey.rowSize))
        }
        guard let place = scan.ranges.firstIndex(where: { $0.contains(own) }) else { return nil }
        func count(_ range: KeyRange) throws -> Int {
            if range.isEmpty { return 0 }
            return try reading { reader throws(BackendError) in
                try reader.count(of: range, in: scan.table)
            }
        }
        let equal = KeyRange(prefix: group)
        let before = try count(equal.intersection(KeyRange(to: own)))
        var rank = before
        if scan.isDescending {
            for range in scan.ranges[(place + 1)...] { rank += try count(range) }
            if let end = equal.upper {
                rank += try count(scan.ranges[place].intersection(KeyRange(from: end)))
            }
        } else {
            for range in scan.ranges[..<place] { rank += try count(range) }
            rank += try count(scan.ranges[place].intersection(KeyRange(to: equal.lower)))
        }
        return rank
    }
}
