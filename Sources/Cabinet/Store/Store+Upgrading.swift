import CabinetBackend
import Foundation

extension Store {
    /// How many records one commit of an upgrade rewrites.
    private static let upgradeStep = 10_000

    /// Rewrites the records of class `type` that an older version of the class wrote, and returns
    /// how many that were.
    ///
    /// Objects with pending changes are left to their own save. Records are committed 10,000 at a
    /// time, so an error or a cancellation leaves a valid store with the rest still old: call again
    /// to go on.
    /// - Parameter progress: counts the records looked at; cancel it to stop.
    /// - Throws: `CancellationError`, ``StoreError/enumerating``, why a record could not be read or
    ///   written, or a ``BackendError``.
    @discardableResult
    public func upgradeAll<Object: StoredObject>(
        of type: Object.Type, progress: Progress? = nil
    ) throws -> Int {
        try checkOpen()
        if enumerations > 0 { throw StoreError.enumerating }
        guard backend.access == .readWrite else {
            throw BackendError.readOnly(path: backend.location)
        }
        return try upgrade(try registered(type), progress)
    }

    /// Rewrites the old records of all registered classes, as ``upgradeAll(of:progress:)`` does.
    @discardableResult
    public func upgradeAll(progress: Progress? = nil) throws -> Int {
        try checkOpen()
        let homes = classesByNumber.compactMap { $0 }
        progress?.totalUnitCount = Int64(homes.count)
        var count = 0
        for home in homes {
            let part = progress.map { Progress(totalUnitCount: 1, parent: $0, pendingUnitCount: 1) }
            count += try upgradeAll(of: home.type, progress: part)
        }
        return count
    }

    private func upgrade(_ home: StoredClass, _ progress: Progress?) throws -> Int {
        progress?.totalUnitCount = Int64(max(try backend.count(of: home.table), 1))
        var total = 0
        var batch = backend.makeBatch()
        do {
            if home.definition != nil, home.needsDefinition { try define(home, in: batch) }
            if codec.versioning == .perInstance {
                try forEachOldObject(of: home, progress) { object in
                    try writeRecord(of: object, home, to: batch)
                    total += 1
                    if total % Self.upgradeStep == 0 {
                        try commitUpgrade(batch)
                        batch = backend.makeBatch()
                    }
                }
            } else {
                total = Int(batch.operationCount) - batch.definitions.count
            }
            try commitUpgrade(batch)
        } catch {
            backend.discard(batch)
            for participant in participants { participant.didEnd(committed: false) }
            throw error
        }
        progress?.completedUnitCount = progress?.totalUnitCount ?? 0
        return total
    }

    private func commitUpgrade(_ batch: WriteBatch) throws {
        if batch.isEmpty { return backend.discard(batch) }
        for participant in participants { try participant.join(ChangeSet(), in: batch) }
        try backend.commit(batch)
        for definition in batch.definitions where definition.kind == .record {
            classesByNumber[Int(definition.classNumber)]?.definition = definition
        }
        for participant in participants { participant.didEnd(committed: true) }
    }

    /// Calls `body` with every object whose record an older version of its class wrote, and that
    /// has no pending changes.
    func forEachOldObject(
        of home: StoredClass, _ progress: Progress? = nil, _ body: (StoredObject) throws -> Void
    ) throws {
        let reader = DataBuffer()
        let run = RecordRun()
        let cursor = try backend.records(in: home.table)
        while try cursor.next(run) {
            if progress?.isCancelled == true { throw CancellationError() }
            var looked: Int64 = 0
            while let (row, record) = run.next() {
                looked += 1
                guard let version = codec.version(of: record, in: home), version < home.version,
                    home.existing(row)?.state.isPending != true,
                    let object = try meet(record, at: row, of: home, by: reader)
                else { continue }
                try body(object)
            }
            progress?.completedUnitCount += looked
        }
    }
}
