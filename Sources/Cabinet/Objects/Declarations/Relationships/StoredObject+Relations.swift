import CabinetBackend

// The accessors pass the field's address, not its key path, which every access would make again.
extension StoredObject {
    /// Whether edits that are not reconciled may change what stands in the object's relationships.
    @inlinable @inline(__always)
    final var awaitsEdits: Bool {
        classReference?._withUnsafeGuaranteedRef { $0.awaitsEdits } ?? false
    }

    /// What follows from earlier edits for the relationship at `address` is done now.
    @usableFromInline @inline(never)
    final func reconcile(beforeReading address: UnsafeMutableRawPointer) {
        guard let storedClass, let relation = relation(at: address) else { return }
        if relation.awaitsEdits(at: UnsafeRawPointer(address)) { storedClass.context.reconcile() }
        relation.bringBack(to: address)
    }

    /// Whether the relationship to one counts as empty, as its `target` is deleted.
    @usableFromInline @inline(never)
    final func passesOver(
        _ target: StoredObject, at address: UnsafeMutableRawPointer
    ) -> Bool {
        guard !state.contains(.deleted), let context, let relation = relation(at: address) else {
            return false
        }
        return relation.isLoose && target.isPassedOver(asWritten: context.readsAsWritten)
    }

    /// The objects in the relationship to many at `address` without deleted ones; `nil` if there are none.
    @usableFromInline @inline(never)
    final func presentObjects(at address: UnsafeMutableRawPointer) -> [StoredObject]? {
        guard let storedClass, storedClass.mayHoldGone, !state.contains(.deleted),
            let relation = relation(at: address), relation.isLoose, relation.isMany
        else { return nil }
        return unsafeDowncast(relation, to: ManyCoder.self).present(
            at: address, asOf: storedClass.loose.deletes,
            asWritten: storedClass.context.readsAsWritten)
    }

    /// Whether a loose relationship passes the object over. With `asWritten`, as records have it:
    /// only what never had a record.
    @inline(__always)
    final func isPassedOver(asWritten: Bool = false) -> Bool {
        state.contains(.deleted) && !(asWritten && state.contains(.wasSaved))
    }

    /// The relationship is about to change, as by ``willChange()``; all that follows is one step.
    /// - Returns: what ``endEdit(_:at:)`` must do.
    @usableFromInline @inline(never)
    final func beginEdit(at address: UnsafeMutableRawPointer) -> ChangeEnd {
        guard let context else { return .nothing }
        var end = context.beginStep() ? ChangeEnd.step : .nothing
        if !state.isDisjoint(with: .needsChange) { end.formUnion(noteChange(at: address)) }
        if context.hasUnreconciledEdits, let relation = relation(at: address) {
            context.reconcile(beforeEditing: relation, of: self)
        }
        noteReferenceChange()
        return end
    }

    /// The relationship to one at `address` has changed, and all that follows from it.
    @usableFromInline @inline(never)
    final func endEdit(_ end: ChangeEnd, at address: UnsafeMutableRawPointer) {
        noteChanged(at: address, end)
        if end.contains(.step) { context?.endStep() }
    }

    /// As ``beginEdit(at:)`` for a list, reconciled later; whether it is the first edit since.
    @usableFromInline @inline(never)
    final func beginListEdit(
        at address: UnsafeMutableRawPointer
    ) -> (isStep: Bool, isFirst: Bool) {
        guard let relation = relation(at: address), let context else { return (false, true) }
        let isStep = context.beginStep()
        context.beginChange()
        if state.contains(.fault) { context.fetch(self) }
        if context.hasUnreconciledEdits { context.reconcile(beforeEditing: relation, of: self) }
        if awaitsEdits { relation.bringBack(to: address) }
        noteListChange(of: relation, byEdit: true)
        noteReferenceChange()
        if state.contains(.deleted) { return (isStep, true) }
        let many = unsafeDowncast(relation, to: ManyCoder.self)
        let isFirst = context.beginEdit(of: many, in: self)
        // An edit is of what the program sees.
        if let present = presentObjects(at: address) { many.replace(with: present, in: self) }
        if !isFirst, !isStep {
            // The end of this edit is not reported.
            context.changesUnderWay &-= 1
            context.dropChange()
        }
        return (isStep, isFirst)
    }

    private final var context: ObjectContext? {
        classReference?._withUnsafeGuaranteedRef { $0.context }
    }

    @usableFromInline @inline(never)
    final func endStep() { storedClass?.context.endStep() }

    /// The object in the relationship at `address` has become another.
    @usableFromInline @inline(never)
    final func didRelate(
        at address: UnsafeMutableRawPointer, from old: StoredObject?, to new: StoredObject?
    ) {
        noteReferenceChange()
        guard let storedClass, !state.contains(.deleted), let relation = relation(at: address)
        else {
            return
        }
        storedClass.context.didRelate(self, relation, from: old, to: new)
        storedClass.context.reconcileForObservers(of: relation)
    }

    /// The content of `relation` is about to change, though the program did not assign to it.
    final func willChange(_ relation: RelationCoder) {
        if state.isDisjoint(with: .needsChange) { return }
        // It is part of a change that goes on.
        if noteChange(at: address(of: relation)).contains(.change) { context?.endChange() }
    }

    /// The relationship at `address` has changed: objects that are in no store are taken in, all of
    /// them after the first edit, those at the ends after a further one, before which it was as
    /// `former` says.
    @usableFromInline @inline(never)
    final func endListEdit(at address: UnsafeMutableRawPointer, from former: ListMark?) {
        let isFirst = former == nil
        if isFirst { EditedLists.end(at: UnsafeRawPointer(address)) }
        guard let relation = relation(at: address), let context else { return }
        defer { if isFirst { context.endChange() } }
        if state.contains(.deleted) { return }
        let many = unsafeDowncast(relation, to: ManyCoder.self)
        if let former {
            takeInEnds(of: many.list(at: address), context)
            context.endFurtherEdit(of: many, in: self, from: former)
        } else {
            let isChanged = context.endFirstEdit(of: many, in: self)
            if !isChanged, !state.contains(.observed) { return }
        }
        context.reconcileForObservers(of: relation)
        if state.contains(.observed) { noteChanged(at: address, .observers) }
    }

    /// The object, in no store, came to refer to `other`, which is in one: it is inserted there if
    /// the relationship has an inverse. `false` if another object in the relationship may still
    /// have it inserted.
    @usableFromInline @inline(never)
    final func follow(_ other: StoredObject, by address: UnsafeMutableRawPointer) -> Bool {
        guard storedClass == nil, let target = other.storedClass, !other.state.contains(.deleted)
        else {
            return storedClass != nil
        }
        let offset = address - Unmanaged.passUnretained(self).toOpaque()
        guard let fields = target.context.storedClass(of: type(of: self))?.fields,
            let relation = fields.relations.first(where: { $0.offset == offset }),
            relation.hasInverse
        else { return true }
        guard relation.inverse(in: target) != nil else { return false }
        target.context.takeInRelated(self)
        for relation in fields.relations { target.context.reconcileForObservers(of: relation) }
        return true
    }

    /// Whether the field has its content, with edits reconciled. `false` if it is unreadable.
    @inlinable @inline(__always)
    final func isUpToDate(at address: UnsafeMutableRawPointer) -> Bool {
        if state.isDisjoint(with: .needsStore), !awaitsEdits { return true }
        return bringUpToDate(at: address)
    }

    @usableFromInline @inline(never)
    final func bringUpToDate(at address: UnsafeMutableRawPointer) -> Bool {
        guard let storedClass else { return false }
        if state.contains(.fault) { storedClass.context.fetch(self) }
        guard state.isDisjoint(with: [.unreadable, .deleted]) else { return false }
        if storedClass.awaitsEdits { reconcile(beforeReading: address) }
        return true
    }

    private final func takeInEnds(of others: [StoredObject], _ context: ObjectContext) {
        func takeIn(_ other: StoredObject) -> Bool {
            guard other.rowID == 0 else { return false }
            if other.storedClass == nil { context.takeInRelated(other) }
            return true
        }
        var (start, end) = (0, others.count)
        while end > 0, takeIn(others[end - 1]) { end -= 1 }
        while start < end, takeIn(others[start]) { start += 1 }
    }

    private final func relation(at address: UnsafeMutableRawPointer) -> RelationCoder? {
        let offset = address - Unmanaged.passUnretained(self).toOpaque()
        return classReference?._withUnsafeGuaranteedRef { $0.fields.relation(at: offset) }
    }

    /// Empties all relationships, which is no change.
    final func emptyRelations() {
        guard let storedClass else { return }
        for relation in storedClass.fields.relations { relation.set([], at: address(of: relation)) }
    }

    /// An unreconciled edit has appended the object to a list. `false`: something may lead to it.
    @inlinable @inline(__always)
    final func arriveUnrelated() -> Bool {
        if state.intersection(.arrival) != .unrelated { return false }
        arrive()
        return true
    }

    /// The object was put into a relationship with an inverse, which is not reconciled yet.
    @inlinable @inline(__always)
    final func arrive() { state = state.subtracting(.unrelated).union(.arriving) }

    /// Something comes into a relationship of the object or leaves it.
    @inline(__always)
    final func noteReferenceChange() { state.subtract(.knownReferences) }

    final func address(of relation: RelationCoder) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + relation.offset
    }

    /// What stands in `relation`; the content has been read.
    final func objects(in relation: RelationCoder) -> [StoredObject] {
        let objects = relation.objects(at: UnsafeRawPointer(address(of: relation)))
        return withExtendedLifetime(self) { objects }
    }
}
