import CabinetBackend

// What the contract knows of commits.
extension RuleBreakingBackend {
    var features: BackendFeatures { fault == .deniesFeatures ? [] : .all }

    func lastCommit() throws(BackendError) -> CommitNumber {
        try check()
        let number = try inner.lastCommit()
        if fault == .overlooksOthers { return own.withLock { $0.commits.max() ?? 0 } }
        return fault == .lagsBehind && number > 1 ? number.previous : number
    }

    func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        try check()
        if fault == .remembersClaims {
            let found = try inner.claim(wanted)
            return shelf.state.withLock { state in
                let known = state.claimed[found.foldedName] ?? found
                state.claimed[found.foldedName] = known
                return known
            }
        }
        if fault == .reusesTables {
            return TableDefinition(
                number: .firstFree, kind: wanted.kind, name: wanted.name, flags: wanted.flags)
        }
        guard fault == .claimsAnew else { return try inner.claim(wanted) }
        return TableDefinition(
            number: try inner.reserveTable(), kind: wanted.kind, name: wanted.name)
    }

    var hasOtherWriters: Bool { true }

    var openSnapshots: [OpenSnapshot] { inner.openSnapshots }

    func snapshot(label: String) throws(BackendError) -> any BackendReader {
        try check()
        let reader = try inner.snapshot(label: label)
        guard fault == .sharesSnapshots else { return FaultyReader(self, reader) }
        return shelf.state.withLock { state in
            let first = state.reader ?? FaultyReader(self, reader)
            state.reader = first
            return first
        }
    }

    func changes(after number: CommitNumber) throws(BackendError) -> any ChangeCursor {
        try check()
        do {
            return FaultyChangeCursor(self, try inner.changes(after: number))
        } catch {
            guard case .changesGone(let oldest) = error, fault == .feedSkips else { throw error }
            return FaultyChangeCursor(self, try inner.changes(after: oldest))
        }
    }

    func lines() throws(BackendError) -> [CommitLine] {
        try check()
        let lines = try inner.lines()
        return switch fault {
        case .sharesLines: lines.map { CommitLine(number: 1, first: $0.first) }
        case .losesLines: []
        case .drawsLinesAnew: lines.map { CommitLine(number: ownNumber, first: $0.first) }
        default: lines
        }
    }

    func claimWork(_ name: String) throws(BackendError) -> WorkClaim? {
        try check()
        if fault == .grantsAllWork { return WorkClaim() }
        let claim = try inner.claimWork(name)
        // Freed by the caller or with the front, whichever is first.
        if let claim { own.withLock { $0.works.append(claim) } }
        return claim.map { claim in WorkClaim { claim.end() } }
    }

    func erasePast(upTo number: CommitNumber) throws(BackendError) {
        try check()
        try inner.erasePast(upTo: fault == .erasesNothing ? .none : number)
    }

    func onCommit(_ body: @escaping @Sendable (CommitNumber) -> Void) -> Subscription {
        switch fault {
        case .announcesEarly: return announced.add(body)
        case .announcesNested:
            bodies.withLock { $0.append(body) }
            return Subscription {}
        case .announcesTwice:
            return inner.onCommit { number in
                body(number)
                body(number)
            }
        case .ignoresCancelling:
            let subscription = inner.onCommit(body)
            endless.withLock { $0.append(subscription) }
            return Subscription {}
        default: return inner.onCommit(body)
        }
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        try check()
        let rows = fault == .sortsRows ? rows.sorted()[...] : rows
        return try inner.values(of: rows, in: mixed(table), into: run)
    }

    func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID] {
        try check()
        if fault == .presentsAll { return Array(rows) }
        return try inner.presentRows(among: rows, in: mixed(table))
    }

    func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int {
        try check()
        let isOrdered = fault == .sortsKeys
        let keys =
            isOrdered ? keys.sorted { $0.lexicographicallyPrecedes($1) }[...] : keys
        return try inner.values(forKeys: keys, in: mixed(table), into: run)
    }

    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        try check()
        return try inner.count(
            of: fault == .countsWholeTables ? .everything : range, in: mixed(table))
    }

    func rank(
        of key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws(BackendError) -> Int {
        try check()
        let rank = try inner.rank(of: key, in: mixed(table))
        guard fault == .ranksKeysItself else { return rank }
        return try inner.value(forKey: key, in: table, into: DataBuffer()) ? rank + 1 : rank
    }

    func key(at offset: Int, in table: TableNumber) throws(BackendError) -> [UInt8]? {
        try check()
        let offset = fault == .countsPositionsFromOne ? offset - 1 : offset
        return try inner.key(at: offset, in: mixed(table))
    }

    // MARK: Demands

    /// Commits `batch` with what `original` demands, or with what the fault makes of that.
    func commit(
        _ batch: WriteBatch, withDemandsOf original: WriteBatch
    ) throws(BackendError) -> CommitNumber {
        guard original.hasDemands else { return try inner.commit(batch) }
        let changes = Collector.changes(of: original)
        let demands = original.demands ?? WriteBatch.Demands()
        batch.basis = original.basis
        batch.requiresLastBasis = original.requiresLastBasis && fault != .ignoresLastBases
        batch.demands = demands
        switch fault {
        case .ignoresRequirements:
            demands.rows.removeAll { $0.requirement == .absent }
            demands.keys.removeAll { $0.requirement == .absent }
        case .ignoresBases:
            batch.basis = nil
            demands.rows.removeAll { $0.requirement == .unchanged }
            demands.keys.removeAll { $0.requirement == .unchanged }
        case .losesBlindDeletes: demands.blindDeletes = []
        case .seesBlindDeletes:
            for place in demands.blindDeletes {
                try Change.deleteKey(place.table, place.key).write(to: batch)
            }
            demands.blindDeletes = []
        case .putsAdditions:
            for (place, amount) in demands.additions {
                let value = DataBuffer()
                value.writeInt64(amount)
                let bytes = value.withUnsafeBytes { Array($0) }
                try Change.putKey(place.table, place.key, bytes).write(to: batch)
            }
            demands.additions = [:]
        default: break
        }
        do {
            return try inner.commit(batch)
        } catch {
            switch (error, fault) {
            case (.badAddition, .forgivesAdditions), (.changesGone, .forgivesOldBases):
                let other = inner.makeBatch()
                for change in changes { try change.write(to: other) }
                return try inner.commit(other)
            default: throw error
            }
        }
    }
}
