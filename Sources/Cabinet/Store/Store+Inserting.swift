import CabinetBackend

extension Store {
    /// Takes `object` into the store and gives it a row; the next save writes it. Objects that it
    /// leads to by its declared relationships, and that are in no store, are taken in with it.
    ///
    /// An object that is in the store already stays as it is; one that was deleted from it comes
    /// back. An object that cannot be taken (its class is not registered, it is in another store,
    /// its class has no rows left) stays outside, and every `save()` throws the reason until
    /// `rollback()`.
    public func insert(_ object: StoredObject) {
        if takeInPlain(object) { return }
        insertAlone(object)
        if hasUnreconciledEdits, let storedClass = object.storedClass {
            reconcileObserved(storedClass.fields.relations)
        }
    }

    /// Takes in what nearly all inserted objects are: new ones of the class asked for last, with
    /// nothing to call or to follow. `false`: it is another. Does what ``insertAlone(_:)`` does in
    /// a third of the instructions.
    @inline(__always)
    private func takeInPlain(_ object: StoredObject) -> Bool {
        guard isUnobserved, !isClosed, object.state == .plain, object.classReference == nil else {
            return false
        }
        return withLastClass(type(of: object)) { storedClass in
            guard storedClass.reservedCount > 0, !storedClass.reportsReads,
                storedClass.fields.relations.isEmpty
            else {
                return false
            }
            storedClass.reservedCount &-= 1
            storedClass.take(object, at: storedClass.firstReserved)
            storedClass.firstReserved = storedClass.firstReserved.next
            changes.appendInserted(object, of: storedClass)
            return true
        } ?? false
    }

    /// Takes in `object` and the outsiders that it leads to. The rest is reconciled later.
    func insertAlone(_ object: StoredObject) {
        beginChange()
        defer { endChange() }
        // What follows for its relationships belongs to the same step.
        let isStep = beginEditStep()
        defer { if isStep { endEditStep() } }
        // What was appended to lists came before what the object has in its relationships.
        if hasAppends, isRelated(object) { reconcileEdits() }
        takeInOrRefuse(object)
        takeInAll(relatedOutsiders(of: object))
    }

    /// Takes `objects` in as ``insert(_:)`` does, in one step: rows ascend in their order, whatever
    /// leads where.
    func insertAll(_ objects: [StoredObject]) {
        beginChange()
        defer { endChange() }
        let isStep = beginEditStep()
        defer { if isStep { endEditStep() } }
        for object in objects { takeInOrRefuse(object) }
        for object in objects { takeInAll(relatedOutsiders(of: object)) }
    }

    /// Takes in objects that are in no store, and those that they lead to.
    private func takeInAll(_ outsiders: [StoredObject]) {
        // A list, so that a long chain needs no deep stack.
        var waiting = outsiders
        var next = 0
        while next < waiting.count {
            let other = waiting[next]
            next += 1
            guard other.classReference == nil else { continue }
            takeInOrRefuse(other)
            waiting += relatedOutsiders(of: other)
        }
    }

    private func isRelated(_ object: StoredObject) -> Bool {
        storedClass(of: type(of: object))?.fields.relations.contains {
            !$0.isEmpty(at: UnsafeRawPointer(object.address(of: $0)))
        } == true
    }

    private func takeInOrRefuse(_ object: StoredObject) {
        do {
            try takeIn(object)
        } catch {
            // What is read there is no change that a save could be asked for.
            if upgrades > 0, backend.access == .readOnly { return }
            if refusal == nil { refusal = error }
            log(.error, "An object was not inserted: \(error)")
        }
    }

    /// The objects in relationships of `object` that are in no store; none if it was not taken in.
    private func relatedOutsiders(of object: StoredObject) -> [StoredObject] {
        guard let storedClass = object.storedClass, storedClass.context === self,
            object.state.isDisjoint(with: [.deleted, .fault, .unreadable])
        else { return [] }
        var outsiders: [StoredObject] = []
        storedClass.fields.forEachRelation { relation in
            let address = UnsafeRawPointer(object.address(of: relation))
            guard relation.isMany else {
                let other = unsafeDowncast(relation, to: OneCoder.self).object(in: object)
                if let other, other.classReference == nil { outsiders.append(other) }
                return
            }
            if relation.isBeingEdited(at: address) || relation.isEmpty(at: address) { return }
            relation.objects(at: address).forEachHeld { other in
                if other.classReference == nil { outsiders.append(other) }
            }
        }
        return outsiders
    }

    private func takeIn(_ object: StoredObject) throws {
        if hasEnded { throw StoreError.closed }
        if let storedClass = object.storedClass {
            guard storedClass.context === self else {
                throw StoreError.wrongStore(class: storedClass.name)
            }
            guard object.state.contains(.deleted) else { return }
            return bringBack(object, of: storedClass)
        }
        let storedClass = try registered(type(of: object))
        announceChange()
        announce { $0.store(self, willInsert: object) }
        // The delegate may have inserted it itself.
        guard object.storedClass == nil else { return }
        let row = try nextRow(of: storedClass)
        storedClass.take(object, at: row)
        if changes.isRecording { noteInsert(object, of: storedClass, priorState: .plain) }
        changes.set(object, of: storedClass, to: .inserted)
        if !storedClass.fields.relations.isEmpty { noteRelations(of: object, storedClass) }
        changes.stopReporting(object)
    }

    /// Inserts an object that was deleted, in its old row, with the content it has.
    private func bringBack(_ object: StoredObject, of storedClass: StoredClass) {
        announceChange()
        announce { $0.store(self, willInsert: object) }
        guard object.state.contains(.deleted) else { return }
        let prior = object.state
        if changes.isRecording { noteInsert(object, of: storedClass, priorState: prior) }
        let isSaved = prior.contains(.saved)
        if isSaved, !prior.isDisjoint(with: [.fault, .unreadable]) {
            // Its record is still as it was, and nothing else is known.
            let kept = prior.intersection([.fault, .unreadable])
            changes.set(object, of: storedClass, to: kept.union([.saved, .reportsChange]))
        } else {
            let kept = prior.intersection(.unreadable)
            changes.set(
                object, of: storedClass, to: kept.union(isSaved ? [.saved, .updated] : .inserted))
            if !storedClass.fields.relations.isEmpty { noteRelations(of: object, storedClass) }
            changes.stopReporting(object)
        }
        tell(notices(among: [object]))
    }

    private func noteInsert(
        _ object: StoredObject, of storedClass: StoredClass, priorState: ObjectState
    ) {
        changes.note(
            .init(
                kind: .inserted, storedClass: storedClass, row: object.rowID,
                priorState: priorState,
                image: nil, object: object))
    }

    @inline(__always)
    private func nextRow(of storedClass: StoredClass) throws -> RowID {
        guard storedClass.reservedCount > 0 else { return try reserveRows(of: storedClass) }
        storedClass.reservedCount &-= 1
        let row = storedClass.firstReserved
        storedClass.firstReserved = row.next
        return row
    }

    /// After many inserts, as many more are likely to follow.
    private func reserveSpace() {
        let count = changes.pendingCount
        // Of a text of some length, mostly.
        if count >= 16384 { heapGrowth.prepare(after: count, more: count, size: 128) }
    }

    @inline(never)
    private func reserveRows(of storedClass: StoredClass) throws -> RowID {
        let rows: ClosedRange<RowID>
        do {
            rows = try backend.reserveRows(256, in: storedClass.table)
        } catch BackendError.rowsExhausted {
            rows = try backend.reserveRows(1, in: storedClass.table)
        }
        storedClass.reservedCount = UInt32(rows.count)
        storedClass.firstReserved = rows.lowerBound
        reserveSpace()
        return try nextRow(of: storedClass)
    }
}
