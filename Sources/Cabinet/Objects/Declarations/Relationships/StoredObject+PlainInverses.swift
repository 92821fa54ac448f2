import CabinetBackend

// Both sides of relationships between objects in no store follow one another as in a store, without
// undo and observers.
extension StoredObject {
    /// The object, which is in no store, is about to change the list at `address` in place.
    @usableFromInline @inline(never)
    final func beginPlainEdit(at address: UnsafeMutableRawPointer) {
        guard PlainInverses.followsList(of: type(of: self), offset(of: address)) else { return }
        EditedLists.begin(
            FormerList(address.plainMany.pointee.stored), at: UnsafeRawPointer(address))
    }

    /// The object, which is in no store, changed the list at `address`, which was as `mark` says.
    @usableFromInline @inline(never)
    final func endPlainEdit(at address: UnsafeMutableRawPointer, _ mark: ListMark) {
        noteReferenceChange()
        let list = address.plainMany.pointee.stored
        guard let former = EditedLists.end(at: UnsafeRawPointer(address)) else {
            for range in mark.newcomers(in: list) {
                for index in range where list[index].rowID != 0 {
                    if follow(list[index], by: address) { return }
                }
            }
            return
        }
        let change = ListChange(from: former, to: list)
        for other in change.gone() { part(from: other, at: address) }
        var mayFollow = true
        // Of a list that is only added to, what stood there before leads back already.
        for other in change.isOnlyAdded ? Array(list[change.newMiddle]) : change.added() {
            if other.rowID == 0 {
                meet(other, at: address)
            } else if mayFollow, follow(other, by: address) {
                // What else it holds was inserted with it.
                if classReference != nil { return }
                mayFollow = false
            }
        }
        for other in former.passedBy { catchUp(with: other, at: address) }
    }

    /// The object, which is in no store, has `new` in its relationship to one at `address`.
    @usableFromInline @inline(never)
    final func relatePlain(
        at address: UnsafeMutableRawPointer, from old: StoredObject?, to new: StoredObject?
    ) {
        noteReferenceChange()
        if let old, old !== new { part(from: old, at: address) }
        guard let new else { return }
        if new.rowID != 0 {
            _ = follow(new, by: address)
        } else {
            meet(new, at: address, isNew: new !== old)
        }
    }

    /// `other` has come into the relationship at `address`: it leads back.
    /// - Parameter isNew: whether it is known not to have led back.
    private final func meet(
        _ other: StoredObject, at address: UnsafeMutableRawPointer, isNew: Bool = false
    ) {
        guard let side = side(of: other, at: address) else { return }
        let place = other.place(of: side)
        guard side.isMany else {
            let former = place.plainOne.pointee
            if former === self { return }
            other.noteReferenceChange()
            place.plainOne.pointee = self
            if let former { other.part(from: former, at: place) }
            return
        }
        guard other.isAtRest(place, for: self),
            isNew || place.plainMany.pointee.stored.position(of: self) == nil
        else { return }
        other.noteReferenceChange()
        place.plainMany.pointee.stored.appendOnly(self)
    }

    /// `other` has left the relationship at `address`: it does not lead back any more.
    private final func part(from other: StoredObject, at address: UnsafeMutableRawPointer) {
        guard let side = side(of: other, at: address) else { return }
        let place = other.place(of: side)
        guard side.isMany else {
            guard place.plainOne.pointee === self else { return }
            other.noteReferenceChange()
            place.plainOne.pointee = nil
            return
        }
        guard other.isAtRest(place, for: self),
            place.plainMany.pointee.stored.position(of: self) != nil
        else { return }
        other.noteReferenceChange()
        place.plainMany.pointee.stored.removeAll { $0 === self }
    }

    /// `other` has changed what leads to the object while the list at `address` was edited.
    private final func catchUp(with other: StoredObject, at address: UnsafeMutableRawPointer) {
        if address.plainMany.pointee.stored.position(of: other) != nil {
            return meet(other, at: address)
        }
        guard let side = side(of: other, at: address) else { return }
        let place = other.place(of: side)
        let leadsBack =
            side.isMany
            ? place.plainMany.pointee.stored.position(of: self) != nil
            : place.plainOne.pointee === self
        if leadsBack { address.plainMany.pointee.stored.appendOnly(other) }
    }

    /// What leads back from `other`; `nil` if nothing does, or if `other` is in a store.
    private final func side(
        of other: StoredObject, at address: UnsafeMutableRawPointer
    ) -> PlainInverses.Side? {
        guard other.rowID == 0, rowID == 0 else { return nil }
        return PlainInverses.side(of: type(of: self), offset(of: address), from: type(of: other))
    }

    /// Whether the list at `place` is not being edited; the end of an edit looks at `other`.
    private final func isAtRest(
        _ place: UnsafeMutableRawPointer, for other: StoredObject
    ) -> Bool {
        guard place.plainMany.pointee.isBeingEdited else { return true }
        EditedLists.list(at: UnsafeRawPointer(place))?.passedBy.append(other)
        return false
    }

    private final func place(of side: PlainInverses.Side) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + side.offset
    }

    private final func offset(of address: UnsafeMutableRawPointer) -> Int {
        address - Unmanaged.passUnretained(self).toOpaque()
    }
}

// References have one layout for all classes.
extension UnsafeMutableRawPointer {
    fileprivate var plainMany: UnsafeMutablePointer<Many<StoredObject>> {
        assumingMemoryBound(to: Many<StoredObject>.self)
    }
    fileprivate var plainOne: UnsafeMutablePointer<StoredObject?> {
        assumingMemoryBound(to: StoredObject?.self)
    }
}
