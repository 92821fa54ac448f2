import CabinetBackend

extension Store {
    /// Has the indexes and text indexes made anew of which a check has found that they do not agree with
    /// their records, and waits until they are complete. Queries and searches scan meanwhile.
    ///
    /// ```swift
    /// let report = try await store.check()
    /// if !report.isSound { try store.rebuildIndexes(found: report) }
    /// ```
    /// - Parameter report: what ``check(progress:isolation:)`` gave.
    /// - Returns: how many there were.
    /// - Throws: what ``buildIndexes(progress:)`` throws: what is not complete then is built at the next
    ///   opening.
    @discardableResult
    public func rebuildIndexes(found report: GraphReport) throws -> Int {
        try checkOpen()
        guard maySave else {
            throw BackendError.readOnly(path: backend.location)
        }
        let (backend, slot) = (backend, slot)
        let count = try StoreSchema.giveUpIndexes(found: report, in: backend) {
            try slot.commit($0, to: backend)
        }
        guard count > 0 else { return 0 }
        _ = hub.didCommit()
        try buildIndexes()
        return count
    }
}

extension StoreSchema {
    /// Notes in the catalog that the indexes and text indexes of which a check has found that they are wrong
    /// are to be made anew, which their program does when it next opens the store.
    ///
    /// - Returns: how many there were.
    /// - Throws: a ``BackendError``.
    package static func giveUpIndexes(
        found report: GraphReport, in backend: any Backend
    ) throws -> Int {
        try giveUpIndexes(found: report, in: backend) { try backend.commit($0) }
    }

    fileprivate static func giveUpIndexes(
        found report: GraphReport, in backend: any Backend, _ commit: (WriteBatch) throws -> Void
    ) throws -> Int {
        let schema = try StoreSchema(backend)
        var wrong: [UInt8: Set<DerivedName>] = [:]
        for index in report.wrongIndexes {
            guard let number = schema[index.className]?.number else { continue }
            let kind = index.isOfText ? TextKeeper.kind : IndexKeeper.kind
            wrong[number, default: []].insert(DerivedName(kind: kind, name: index.name))
        }
        return try wrong.reduce(0) {
            try $0 + giveUp($1.value, ofClass: $1.key, in: backend, commit)
        }
    }

    /// So many times others may commit between a look and the commit.
    private static let attempts = 1_000

    private static func giveUp(
        _ names: Set<DerivedName>, ofClass number: UInt8, in backend: any Backend,
        _ commit: (WriteBatch) throws -> Void
    ) throws -> Int {
        for _ in 0..<attempts {
            let last = try backend.lastCommit()
            var entries = try backend.derivedEntries(ofClass: number)
            let count = entries.giveUp(names)
            if count == 0 { return 0 }
            let batch = backend.makeBatch()
            do { try entries.put(ofClass: number, in: batch) } catch {
                backend.discard(batch)
                throw error
            }
            if backend.features.contains(.bases) {
                batch.basis = last
                DerivedEntries.requireUnchanged(ofClass: number, in: batch)
            }
            do {
                try commit(batch)
                return count
            } catch BackendError.conflict { continue }
        }
        throw BackendError.conflict([])
    }
}

/// How the catalog names a derived table of a class.
private struct DerivedName: Hashable {
    let kind: UInt8
    let name: String
}

extension DerivedEntries {
    /// Says of complete tables that they are to be made anew. Returns how many there were.
    fileprivate mutating func giveUp(_ names: Set<DerivedName>) -> Int {
        var count = 0
        for var entry in all
        where entry.state == .complete
            && names.contains(DerivedName(kind: entry.kind, name: entry.name))
        {
            (entry.state, entry.since) = (.behind, 0)
            self[entry.kind, entry.name] = entry
            count += 1
        }
        return count
    }
}
