import CabinetBackend

/// Finds out what other stores have changed of what this one is about to save.
extension Store {
    /// Before a commit: moves the basis to the last commit, so that what others have changed is not
    /// lost. Throws with nothing changed, or merges. With `isAnyones`, also what no store has
    /// committed.
    func takeUpOthers(_ policy: ConflictPolicy, isAnyones: Bool = false) throws {
        guard isIsolated, isAnyones || frozen != nil || slot.isShared else { return }
        if conflicting.isEmpty, conflictingNames.isEmpty,
            referrerTable?.hasUncheckedDeletes != true, try backend.lastCommit() == basis
        {
            return
        }
        let newer = try newer()
        let taking = TakingUp(newer, in: self)
        try taking.look()
        var conflicts = taking.takeConflicts()
        let targets = try DeletedTargets(newer, except: conflicts, in: self)
        conflicts += targets.conflicts
        var plan = try taking.withReturned { try self.plan(conflicts, taking, policy) }
        plan.forgotten = targets.forgotten
        plan.ownedByRevived = try ownedByRevived(in: plan, newer)
        // The delegate is called once, after the merge.
        beginChange()
        defer { endChange() }
        busyCalls += 1
        defer { busyCalls -= 1 }
        moveBasis(taking, keepingConflicts: false)
        try resolve(conflicts, by: plan, taking)
        referrerTable?.noteCheckedDeletes()
    }

    /// Objects that others have deleted and pending objects newly refer to, without an inverse.
    /// - Throws: why a saved record could not be read.
    func newReferences(toGoneOf taking: TakingUp) throws -> [ObjectConflict] {
        var found: [ObjectConflict] = []
        guard taking.hasGone else { return found }
        try changes.objects.forEachHeld { object in
            guard object.isChanged, object.state.isDisjoint(with: [.fault, .unreadable, .deleted]),
                let storedClass = object.storedClass
            else { return }
            for relation in storedClass.fields.relations {
                let gone = object.objects(in: relation).filter(taking.isGone)
                if gone.isEmpty { continue }
                let isNew = object.state.contains(.inserted)
                let before =
                    isNew ? nil : try taking.copyToCompare(of: object.rowID, storedClass)
                let former = before?.objects(in: relation) ?? []
                for target in gone where former.position(of: target) == nil {
                    guard let its = target.storedClass else { continue }
                    found.append(
                        ObjectConflict(
                            className: its.name, rowID: target.rowID, kind: .deletedElsewhere))
                }
            }
        }
        return found
    }

    /// Requires of a commit that the record in a row is still there: an object refers to it newly.
    /// `false`, and nothing is required, if it is not there for this store.
    func require(_ target: WrittenReferences.Target, in batch: WriteBatch) throws -> Bool {
        // A new record is not there yet, and old ones may refer to records that are gone.
        guard let storedClass = classesByNumber[Int(target.classNumber)],
            try hasSavedRecord(target.row, of: storedClass)
        else { return false }
        batch.require(.present, row: target.row, in: storedClass.table)
        return true
    }

    func describe(_ conflict: PendingConflict, _ taking: TakingUp) throws -> ObjectConflict {
        let (object, storedClass) = (conflict.object, conflict.storedClass)
        var fields: [FieldConflict] = []
        if conflict.kind == .changed, storedClass.isDeclared,
            object.state.isDisjoint(with: [.fault, .unreadable]),
            let theirs = try savedCopy(of: object.rowID, storedClass, in: taking.newer.reader)
        {
            let base = try baseCopy(of: conflict, taking)
            for entry in storedClass.fields.entries {
                let mine = try value(of: entry, in: object)
                let saved = try value(of: entry, in: theirs)
                let before = try base.map { try value(of: entry, in: $0) }
                if mine == before && saved == before { continue }
                fields.append(
                    FieldConflict(name: entry.name, base: before, mine: mine, theirs: saved))
            }
        }
        return ObjectConflict(
            className: storedClass.name, rowID: object.rowID, kind: conflict.kind, fields: fields)
    }

    /// A plain object with what `reader` has of the object in `row`; `nil` if it has no record.
    func savedCopy(
        of row: RowID, _ storedClass: StoredClass, in reader: any BackendReader
    ) throws -> StoredObject? {
        try withBuffer { record in
            guard try reader.value(of: row, in: storedClass.table, into: record) else {
                return nil
            }
            return try withBuffer { buffer in
                try copy(
                    of: UnsafeRawBufferPointer(record.memory), at: row, of: storedClass, by: buffer)
            }
        }
    }

    /// A plain object with what the pending changes of a conflicting object are based on.
    func baseCopy(of conflict: PendingConflict, _ taking: TakingUp) throws -> StoredObject? {
        guard let base = conflict.base else { return nil }
        return try withBuffer { buffer in
            try taking.bases[base].withUnsafeBytes { record in
                try copy(
                    of: record, at: conflict.object.rowID, of: conflict.storedClass, by: buffer)
            }
        }
    }

    /// What stands in a field of an object.
    /// - Throws: ``StoreError/cannotRead(class:row:reason:)``
    func value(of entry: FieldTable.Entry, in object: StoredObject) throws -> FieldValue {
        if let relation = entry.coder as? RelationCoder {
            let references = object.objects(in: relation).filter { !$0.isPassedOver() }.map {
                FieldValue.Reference(
                    className: $0.storedClass?.name, classNumber: $0.storedClass?.number,
                    row: $0.rowID)
            }
            if relation.isMany { return .references(references) }
            return references.first.map { .reference($0) } ?? .none
        }
        do {
            return try withBuffer { buffer in
                buffer.context = self
                entry.coder.write(
                    at: UnsafeRawPointer(object.address(at: entry.offset)), to: buffer)
                if let error = buffer.writeError { throw error }
                var reader = FieldReader(
                    buffer, className: className, limit: RecordDecoder.valueLimit)
                return try reader.read(entry.coder.type)
            }
        } catch let error as DataBufferError {
            throw StoreError.cannotRead(
                class: type(of: object).storageName, row: object.rowID, reason: error)
        }
    }

    /// The storage name of the class of a number, registered or not.
    func className(_ number: UInt8) -> String? {
        classesByNumber[Int(number)]?.name ?? unregisteredNames[number]
    }
}
