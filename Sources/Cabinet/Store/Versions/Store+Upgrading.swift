import CabinetBackend
import Foundation

extension Store {
    private static let upgradeStep = 10_000

    /// Rewrites the records of class `type` that an older version of the class wrote, and returns
    /// how many the walk over them met; one that another object's upgrade had rewritten before is
    /// not counted.
    ///
    /// Objects with pending changes are left to their own save. Records are committed 10,000 at a
    /// time, so an error or a cancellation leaves a valid store with the rest still old: call again
    /// to go on.
    ///
    /// Where ``StoredObject/upgrade(from:)`` inserts or changes other objects, those commits are
    /// saves that write them too, if the store has no pending changes when this is called. If it
    /// has some, such objects stay pending, are not counted, and the next ``save()`` writes them.
    /// - Parameters:
    ///   - type: the class; its subclasses are not looked at.
    ///   - progress: counts the records looked at; cancel it to stop.
    /// - Throws: `CancellationError`, ``StoreError/enumerating``, ``StoreError/stepUnderWay``, why a
    ///   record could not be read or written, or a ``BackendError``.
    @discardableResult
    public func upgradeAll<Object: StoredObject>(
        of type: Object.Type, progress: Progress? = nil
    ) throws -> Int {
        try checkIdle()
        guard backend.access == .readWrite, !isSnapshot else {
            throw BackendError.readOnly(path: backend.location)
        }
        return try upgrade(try registered(type), progress)
    }

    /// Rewrites the old records of all registered classes, as ``upgradeAll(of:progress:)`` does.
    @discardableResult
    public func upgradeAll(progress: Progress? = nil) throws -> Int {
        try checkOpen()
        let storedClasses = classesByNumber.compactMap { $0 }
        progress?.totalUnitCount = Int64(storedClasses.count)
        var count = 0
        for storedClass in storedClasses {
            if progress?.isCancelled == true { throw CancellationError() }
            let part = progress.map { Progress(totalUnitCount: 1, parent: $0, pendingUnitCount: 1) }
            count += try upgradeAll(of: storedClass.type, progress: part)
        }
        return count
    }

    private func upgrade(_ storedClass: StoredClass, _ progress: Progress?) throws -> Int {
        try checkOutcomeKnown()
        progress?.totalUnitCount = Int64(max(try reader.count(of: storedClass.table), 1))
        let total =
            codec.versioning == .perClass
            ? try upgradeAtOnce(storedClass) : try upgradeInSteps(storedClass, progress)
        progress?.completedUnitCount = progress?.totalUnitCount ?? 0
        return total
    }

    /// One version stands for all records, so all of them change in one commit.
    private func upgradeAtOnce(_ storedClass: StoredClass) throws -> Int {
        guard storedClass.definition != nil, storedClass.needsDefinition else { return 0 }
        var total = 0
        try commitUpgrade { commit in
            try define(storedClass, in: commit)
            total = Int(commit.batch.operationCount) - commit.batch.definitions.count
        }
        return total
    }

    private func upgradeInSteps(_ storedClass: StoredClass, _ progress: Progress?) throws -> Int {
        var waiting = PendingObjects()
        var total = 0
        // All that is pending later is what upgrades have changed.
        reconcileEdits()
        let maySave = !hasChanges && refusal == nil
        var changed = 0
        func rewrite() throws {
            reconcileEdits()
            // A later object's upgrade may have changed them.
            let count = waiting.count
            waiting.removeAll { $0.state.isPending }
            changed += count - waiting.count
            if maySave {
                if hasChanges { try writeChanges() }
                total += changed
            }
            changed = 0
            try commitUpgrade { commit in
                if storedClass.definition != nil, storedClass.needsDefinition {
                    var defined = ClassNumbers()
                    try defineAll(storedClass, in: commit, &defined)
                }
                try forEachAhead(waiting) { object in
                    guard try isReadAnew(object, storedClass) else { return }
                    try commit.put(object, of: storedClass)
                }
            }
            total += waiting.count
            waiting = PendingObjects()
        }
        let leftOut = try forEachOldObject(of: storedClass, progress) { object in
            if object.state.isPending { changed += 1 } else { waiting.append(object) }
            if waiting.count + changed >= Self.upgradeStep { try rewrite() }
        }
        try rewrite()
        // Another object's upgrade has changed those that were left out, and the save wrote them.
        return maySave ? total + leftOut : total
    }

    /// Whether `object` is to be written: beside other stores it is read once more, as these may
    /// have changed it.
    private func isReadAnew(_ object: StoredObject, _ storedClass: StoredClass) throws -> Bool {
        guard frozen != nil || slot.isShared else { return true }
        guard object.state.isDisjoint(with: .deleted), !object.state.isPending else { return false }
        changes.set(object, of: storedClass, to: [.saved, .fault, .reportsChange])
        fetchContent(of: object)
        return object.state.isDisjoint(with: [.fault, .unreadable, .deleted])
    }

    private func commitUpgrade(_ body: (Commit) throws -> Void) throws {
        try retrying {
            _ = try run(Commit(store: self, batch: backend.makeBatch(), isSave: false), body)
        }
    }

    /// Calls `body` with every object whose record an older version wrote, without those with
    /// pending changes or, with `pendingToo`, with copies of their records. Returns how many were
    /// left out. `body` may save: what others have saved by then counts.
    @discardableResult
    func forEachOldObject(
        of storedClass: StoredClass, _ progress: Progress? = nil, pendingToo: Bool = false,
        _ body: (StoredObject) throws -> Void
    ) throws -> Int {
        var leftOut = 0
        let (buffer, run, again) = (DataBuffer(), RecordRun(), RecordRun())
        let begun = basis
        func look(at records: RecordRun) throws -> Int64 {
            var looked: Int64 = 0
            while let (row, record) = records.next() {
                looked += 1
                guard codec.isOld(record, in: storedClass) else { continue }
                if records === run, basis != begun {
                    _ = try reader.values(of: [row], in: storedClass.table, into: again)
                    _ = try look(at: again)
                } else if !overlay.covers(row, of: storedClass) {
                    let object = try meet(record, at: row, of: storedClass, by: buffer)
                    if let object { try body(object) }
                } else if pendingToo {
                    try body(try copy(of: record, at: row, of: storedClass, by: buffer))
                } else {
                    leftOut += 1
                }
            }
            return looked
        }
        let cursor = try readerForWalk().records(in: storedClass.table)
        while try cursor.next(run) {
            if progress?.isCancelled == true { throw CancellationError() }
            let looked = try look(at: run)
            progress?.completedUnitCount += looked
        }
        return leftOut
    }
}
