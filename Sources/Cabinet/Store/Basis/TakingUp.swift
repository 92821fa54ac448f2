import CabinetBackend

/// Brings the objects of a store up to what others have saved: first ``look()``, which may fail and
/// changes nothing, then ``finish(keepingConflicts:)``.
final class TakingUp {
    let store: Store
    let newer: Store.Newer
    /// What others have changed of objects in steps, and which objects those are.
    var foreignEdits: [UInt64: ForeignEdits.Edit] = [:]
    var keysInSteps: Set<UInt64> = []

    /// Objects without pending changes whose records have changed.
    private(set) var reloaded: [StoredObject] = []
    /// Those of them whose records are gone.
    private var gone: Set<ObjectIdentifier> = []
    var hasGone: Bool { !gone.isEmpty }
    func isGone(_ object: StoredObject) -> Bool { gone.contains(ObjectIdentifier(object)) }
    /// Objects with pending changes whose records others have changed.
    @exclusivity(unchecked) private var conflicting: [Store.PendingConflict] = []
    /// Objects that others have deleted, as this store is about to.
    private var deletedTwice: [StoredObject] = []
    /// What the pending changes of conflicting objects are based on, one record after the other.
    @exclusivity(unchecked) private(set) var bases: [UInt8] = []
    let run = RecordRun(capacity: 256)
    /// From so many on, room is made for all at once.
    private static let many = 100

    /// Known conflicting objects, unless changed again, and those found, by class and row.
    func takeConflicts() -> [Store.PendingConflict] {
        var found = conflicting
        conflicting = []
        if !store.conflicting.isEmpty {
            var keys = Set(found.map(\.key))
            for object in deletedTwice {
                guard let storedClass = object.storedClass else { continue }
                keys.insert(ChangeLog.key(storedClass, object.rowID))
            }
            for (key, row) in store.conflicting where !keys.contains(key) {
                let number = RowID(UInt32(truncatingIfNeeded: key))
                guard let object = store.classesByNumber[Int(key >> 32)]?.existing(number),
                    let storedClass = object.storedClass, object.state.isPending,
                    !(row.isDeleted && object.state.contains(.deleted))
                else { continue }
                found.append(
                    Store.PendingConflict(
                        object: object, storedClass: storedClass, isDeleted: row.isDeleted,
                        base: row.base.map { $0.withUnsafeBytes(keep) }))
            }
        }
        let isInOrder = found.indices.dropFirst().allSatisfy {
            found[$0 &- 1].key < found[$0].key
        }
        return isInOrder ? found : found.inOrder { $0.key < $1.key }
    }

    func row(of conflict: Store.PendingConflict) -> ConflictingRow {
        ConflictingRow(base: conflict.base.map { bases[$0] }, isDeleted: conflict.isDeleted)
    }

    /// Named buffers with pending changes that others have saved.
    private(set) var names: NameConflicts

    /// Whether the store has moved its basis while objects with pending changes were in conflict.
    /// These then say what they did, and objects without pending changes what others have saved, so
    /// one side of a relationship may lead to an object that does not lead back, and an edit since
    /// may have changed one side only, as the other one had it already. Otherwise both sides of
    /// each relationship that was edited have pending changes.
    let mayBeOneSided: Bool

    init(_ newer: Store.Newer, in store: Store) {
        self.newer = newer
        mayBeOneSided = !store.conflicting.isEmpty
        names = store.conflictingNames
        self.store = store
        existingRows.ahead = newer.reader
    }

    deinit { existingRows.ahead = nil }

    /// Finds the objects in memory, and in steps, that others have changed or deleted.
    func look() throws {
        lookAtSteps()
        try names.look(for: newer, in: store)
        for storedClass in store.classes {
            let first = conflicting.count
            if newer.changes.isUnknown {
                var objects: [StoredObject] = []
                storedClass.forEachObject { objects.append($0) }
                for object in objects { try lookClosely(at: object, storedClass) }
                try readBases(from: first, storedClass)
                continue
            }
            reloaded += objectsReadTooLate(in: storedClass)
            guard let rows = newer.changes.tables[storedClass.table] else { continue }
            let most = min(rows.all.count, store.changes.pendingCount)
            if most > Self.many { conflicting.reserveCapacity(conflicting.count + most) }
            if rows.all.count <= storedClass.liveObjects {
                for (index, row) in rows.all.enumerated() {
                    guard let object = storedClass.existing(row) else { continue }
                    note(
                        object, storedClass, isDeleted: rows.hasDeleted(row),
                        newer.changes.record(at: index, of: rows))
                }
            } else {
                var objects: [StoredObject] = []
                storedClass.forEachObject { if rows.contains($0.rowID) { objects.append($0) } }
                for object in objects {
                    note(object, storedClass, isDeleted: rows.hasDeleted(object.rowID))
                }
            }
            try readBases(from: first, storedClass)
        }
    }

    /// Takes all objects for changed, and reads none of their records.
    func takeAllForChanged() {
        lookAtSteps()
        names.takeAllForChanged(in: store)
        for storedClass in store.classes {
            var objects: [StoredObject] = []
            storedClass.forEachObject { objects.append($0) }
            for object in objects { note(object, storedClass, isDeleted: false) }
        }
    }

    /// The engine does not know what was changed: whether the record is another one tells.
    private func lookClosely(at object: StoredObject, _ storedClass: StoredClass) throws {
        let (before, after) = (DataBuffer(), DataBuffer())
        let row = object.rowID
        let was = try readBase(of: object, storedClass, into: before)
        let isThere = try newer.reader.value(of: row, in: storedClass.table, into: after)
        let isSame = was == isThere && before.memory.elementsEqual(after.memory)
        if !isSame { note(object, storedClass, isDeleted: !isThere) }
    }

    private func note(
        _ object: StoredObject, _ storedClass: StoredClass, isDeleted: Bool,
        _ theirs: Range<Int>? = nil
    ) {
        guard object.state.isPending else {
            reloaded.append(object)
            if isDeleted { gone.insert(ObjectIdentifier(object)) }
            return
        }
        // Its row was reserved for it alone, so this is a delete that was undone here.
        if object.state.contains(.inserted), !object.state.contains(.buried) { return }
        if isDeleted, object.state.contains(.deleted) { return deletedTwice.append(object) }
        conflicting.append(
            Store.PendingConflict(
                object: object, storedClass: storedClass, isDeleted: isDeleted, theirs: theirs))
    }

    /// Copies what conflicting objects from `first` on, all of one class, are based on.
    private func readBases(from first: Int, _ storedClass: StoredClass) throws(BackendError) {
        var wanted: [Int] = []
        wanted.reserveCapacity(conflicting.count - first)
        if conflicting.count - first > Self.many {
            bases.reserveCapacity(newer.changes.operations?.count ?? 0)
        }
        for index in first..<conflicting.count {
            let row = conflicting[index].object.rowID
            if let known = store.conflicting.isEmpty
                ? nil : store.conflicting[conflicting[index].key]
            {
                conflicting[index].base = known.base.map { $0.withUnsafeBytes(keep) }
            } else if let own = newer.changes.ownRecord(of: row, in: storedClass.table) {
                conflicting[index].base = own.withUnsafeBytes(keep)
            } else {
                wanted.append(index)
            }
        }
        // A store that was alone, and still is, has read what is there now.
        guard !wanted.isEmpty, store.frozen != nil || store.slot.isShared else { return }
        let lookup = RecordLookup(of: storedClass, by: run)
        lookup.begin(wanted.map { conflicting[$0].object.rowID })
        do throws(BackendError) {
            for index in wanted {
                conflicting[index].base = try lookup.next(in: store.reader).map(keep)
            }
        } catch {
            guard case .snapshotTooOld = error else { throw error }
        }
    }

    private func keep(_ record: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bases.count
        bases.append(contentsOf: record)
        return start..<bases.count
    }

    /// Copies what the pending changes of an object are based on; `false` if that is not known.
    private func readBase(
        of object: StoredObject, _ storedClass: StoredClass, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        if let own = newer.changes.ownRecord(of: object.rowID, in: storedClass.table) {
            buffer.removeAll()
            own.withUnsafeBytes { buffer.writeRawBytes($0) }
            return true
        }
        // A store that was alone, and still is, has read what is there now.
        guard store.frozen != nil || store.slot.isShared else { return false }
        do throws(BackendError) {
            return try store.readRecord(object.rowID, of: storedClass, into: buffer)
        } catch {
            guard case .snapshotTooOld = error else { throw error }
            return false
        }
    }

    /// Calls `body` while rows that others brought back count as there, as lists need it.
    func withReturned<Result>(_ body: () throws -> Result) rethrows -> Result {
        let returned = reloaded.filter { $0.state.contains(.deleted) && !isGone($0) }
        let goneRows = store.classes.map { ($0, $0.goneRows) }
        for object in returned { object.state.subtract(.deleted) }
        forgetGoneRows()
        defer {
            for object in returned { object.state.formUnion(.deleted) }
            for (storedClass, rows) in goneRows { storedClass.goneRows = rows }
        }
        return try body()
    }

    /// Rows that are known to be gone may be there again.
    private func forgetGoneRows() {
        for storedClass in store.classes {
            if newer.changes.isUnknown {
                storedClass.goneRows = RowSet()
            } else if !storedClass.goneRows.isEmpty {
                for row in newer.changes.tables[storedClass.table]?.all ?? [] {
                    storedClass.goneRows.remove(row)
                }
            }
        }
    }

    /// Takes up what was found, conflicting objects too unless resolved. The basis has moved.
    func finish(keepingConflicts: Bool) {
        store.changes.foreign.append(foreignEdits, of: keysInSteps)
        if !newer.changes.isEmpty { store.changes.foreign.mayPart = true }
        store.conflictingNames = names
        forgetGoneRows()
        for object in reloaded { reload(object) }
        for conflict in conflicting where !conflict.isDeleted { noteRecord(of: conflict.object) }
        noteLooseReferences()
        for object in deletedTwice {
            if let storedClass = object.storedClass { bury(object, storedClass) }
        }
        if keepingConflicts {
            for conflict in conflicting { store.conflicting[conflict.key] = row(of: conflict) }
        }
        if newer.changes.isUnknown {
            store.upgradedContents = [:]
        } else if !store.upgradedContents.isEmpty {
            for storedClass in store.classes {
                for row in newer.changes.tables[storedClass.table]?.all ?? [] {
                    store.upgradedContents[ChangeLog.key(storedClass, row)] = nil
                }
            }
        }
    }

    /// An object that others had deleted, and that a save was to insert again, has a record again: others have
    /// brought it back, too.
    private func noteRecord(of object: StoredObject) {
        guard let storedClass = object.storedClass, object.state.contains(.inserted) else { return }
        let state = object.state.subtracting([.inserted, .buried]).union([.saved, .updated])
        object.state.subtract(.buried)
        store.changes.set(object, of: storedClass, to: state)
    }

    private func reload(_ object: StoredObject) {
        guard let storedClass = object.storedClass, !object.state.isPending else { return }
        storedClass.fetchErrors[object.rowID] = nil
        guard gone.contains(ObjectIdentifier(object)) else {
            object.noteReferenceChange()
            object.state.subtract(.buried)
            store.changes.set(object, of: storedClass, to: [.saved, .fault, .reportsChange])
            return
        }
        bury(object, storedClass)
    }

    /// The object's record is gone. What was read of it stays.
    func bury(_ object: StoredObject, _ storedClass: StoredClass) {
        if object.state.contains(.fault) {
            object.state.formUnion(.unreadable)
            storedClass.fetchErrors[object.rowID] = StoreError.rowGone(
                class: storedClass.name, row: object.rowID)
        }
        store.changes.set(
            object, of: storedClass,
            to: object.state.intersection(.unreadable).union(.deleted))
        object.state.formUnion(.buried)
        store.conflicting[ChangeLog.key(storedClass, object.rowID)] = nil
    }
}
