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
        guard backend.access == .readWrite, !isSnapshot, !backend.isFollower else {
            throw BackendError.readOnly(path: backend.location)
        }
        let count = try StoreSchema.giveUpIndexes(found: report, in: backend)
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
        let schema = try StoreSchema(backend)
        var wrong: [UInt8: Set<String>] = [:]
        var wrongTexts: [UInt8: Set<String>] = [:]
        for index in report.wrongIndexes {
            guard let number = schema[index.className]?.number else { continue }
            if index.isOfText {
                wrongTexts[number, default: []].insert(index.name)
            } else {
                wrong[number, default: []].insert(index.name)
            }
        }
        var count = 0
        for (number, names) in wrong {
            count += try giveUp(names, IndexEntries.key(ofClass: number), in: backend) {
                try backend.indexEntries(ofClass: number)
            }
        }
        for (number, names) in wrongTexts {
            count += try giveUp(names, IndexEntries.textKey(ofClass: number), in: backend) {
                try backend.textEntries(ofClass: number)
            }
        }
        return count
    }

    /// So many times others may commit between a look and the commit.
    private static let attempts = 1_000

    private static func giveUp(
        _ names: Set<String>, _ key: [UInt8], in backend: any Backend,
        _ read: () throws -> IndexEntries
    ) throws -> Int {
        for _ in 0..<attempts {
            let last = try backend.lastCommit()
            var entries = try read()
            let count = entries.giveUp(names)
            if count == 0 { return 0 }
            let batch = try batch(putting: entries, under: key, as: last, in: backend)
            do {
                try backend.commit(batch)
                return count
            } catch {
                guard case .conflict = error else { throw error }
            }
        }
        throw BackendError.conflict([])
    }

    private static func batch(
        putting entries: IndexEntries, under key: [UInt8], as last: CommitNumber,
        in backend: any Backend
    ) throws -> WriteBatch {
        let buffer = DataBuffer()
        entries.write(to: buffer)
        let batch = backend.makeBatch()
        do {
            try batch.put(buffer.withUnsafeBytes { Array($0) }, for: key, in: .catalog)
        } catch {
            backend.discard(batch)
            throw error
        }
        if backend.features.contains(.bases) {
            batch.basis = last
            key.withUnsafeBytes { batch.require(.unchanged, key: $0, in: .catalog) }
        }
        return batch
    }
}

extension IndexEntries {
    /// Says of complete indexes that they are to be made anew. Returns how many there were.
    fileprivate mutating func giveUp(_ names: Set<String>) -> Int {
        var count = 0
        for var entry in all where names.contains(entry.name) && entry.state == .complete {
            entry.state = .behind
            entry.since = CommitNumber(0)
            self[entry.name] = entry
            count += 1
        }
        return count
    }
}
