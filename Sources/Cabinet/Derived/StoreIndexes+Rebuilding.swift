import CabinetBackend

extension StoreIndexes {
    /// Has the indexes, the text indexes and the table of referrers made anew of which a check has found that
    /// they do not agree with their records, and waits until they are complete. Queries and searches scan
    /// meanwhile.
    ///
    /// ```swift
    /// let report = try await store.check()
    /// if !report.isSound { try store.indexes.rebuild(found: report) }
    /// ```
    /// - Parameter report: what ``Store/check(progress:isolation:)`` gave.
    /// - Returns: how many there were.
    /// - Throws: what ``build(progress:)`` throws: what is not complete then is built at the next
    ///   opening.
    @discardableResult
    public func rebuild(found report: CheckReport) throws -> Int {
        try store.checkOpen()
        guard store.maySave else {
            throw BackendError.readOnly(path: store.backend.location)
        }
        let count = try StoreSchema.giveUpIndexes(
            report.wrongTables, in: store.backend, of: store.slot)
        guard count > 0 else { return 0 }
        _ = store.hub.didCommit()
        try build()
        return count
    }

    /// Has all tables of a kind made anew.
    /// - Returns: the names of tables that are still the same, as those of indexes that the program does not
    ///   declare.
    func remakeAll(ofKind kind: UInt8) throws -> [String] {
        try buildAsFarAsPossible()
        let former = try tables(ofKind: kind)
        guard !former.isEmpty else { return [] }
        let given = try StoreSchema.giveUpIndexes(
            Set(former.keys), in: store.backend, of: store.slot)
        if given > 0 {
            _ = store.hub.didCommit()
            try buildAsFarAsPossible()
        }
        return try tables(ofKind: kind).filter { former[$0.key] == $0.value }.values.sorted()
    }

    /// What an index cannot be built for is no matter of the others.
    private func buildAsFarAsPossible() throws {
        do { try build() } catch let error as StoreError {
            store.log(.notice, "An index of \(store.backend.location) is not complete: \(error)")
        }
    }

    private func tables(ofKind kind: UInt8) throws -> [CheckReport.WrongTable: String] {
        var tables: [CheckReport.WrongTable: String] = [:]
        for storedClass in try StoreSchema(store.backend).classes {
            for entry in try store.backend.derivedEntries(ofClass: storedClass.number).all
            where entry.kind == kind {
                tables[.init(className: storedClass.name, kind: kind, name: entry.name)] =
                    entry.table
            }
        }
        return tables
    }
}

extension StoreSchema {
    /// Notes in the catalog that the indexes, the text indexes and the table of referrers of which a check
    /// has found that they are wrong are to be made anew, which their program does when it next opens the store.
    ///
    /// - Returns: how many there were.
    /// - Throws: a ``BackendError``.
    package static func giveUpIndexes(
        found report: CheckReport, in backend: any Backend
    ) throws -> Int {
        try giveUpIndexes(report.wrongTables, in: backend, of: nil)
    }

    fileprivate static func giveUpIndexes(
        _ wrong: Set<CheckReport.WrongTable>, in backend: any Backend, of slot: BasisSlot?
    ) throws -> Int {
        let schema = try StoreSchema(backend)
        return try Dictionary(grouping: wrong, by: \.className).reduce(0) {
            let number = $1.key.flatMap { schema[$0]?.number }
            if $1.key != nil, number == nil { return $0 }
            return try $0 + giveUp($1.value, ofClass: number, in: backend, of: slot)
        }
    }

    private static func giveUp(
        _ wrong: [CheckReport.WrongTable], ofClass number: UInt8?, in backend: any Backend,
        of slot: BasisSlot?
    ) throws -> Int {
        var count = 0
        _ = try backend.changeEntries(ofClass: number, of: slot) { entries in
            let complete = entries.all.filter { entry in
                entry.state == .complete
                    && wrong.contains { $0.kind == entry.kind && $0.name == entry.name }
            }
            count = complete.count
            if complete.isEmpty { return nil }
            for var entry in complete {
                (entry.state, entry.since) = (.behind, 0)
                entries[entry.kind, entry.name] = entry
            }
            return { batch in
                // What is behind for good has no table.
                for table in try backend.tables()
                where number == nil && complete.contains(where: { $0.table == table.name }) {
                    try batch.drop(table.number)
                }
            }
        }
        return count
    }
}
