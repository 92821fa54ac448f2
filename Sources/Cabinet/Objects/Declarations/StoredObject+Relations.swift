import CabinetBackend

extension StoredObject {
    /// A relationship of the object is about to change: what ``willChange()`` does, and all that
    /// follows from the change is part of the same step. `true` if that step must be ended.
    @usableFromInline @inline(never)
    final func beginEdit() -> Bool {
        let isStep = home?.context.beginStep() ?? false
        willChange()
        return isStep
    }

    @usableFromInline @inline(never)
    final func endStep() { home?.context.endStep() }

    /// `other` was assigned to a relationship of the object.
    @usableFromInline @inline(never)
    final func endEdit(relatingTo other: StoredObject?, isStep: Bool) {
        if let other, other.home == nil, let home, !state.contains(.deleted) {
            home.context.takeInRelated(other)
        }
        if isStep { endStep() }
    }

    /// Everything that follows from earlier edits is done now.
    @usableFromInline @inline(never)
    final func settle() { home?.context.settle() }

    /// The objects in the relationship at `offset` are about to change.
    @usableFromInline
    final func noteEdit(ofFieldAt offset: Int) {
        guard let home, !state.contains(.deleted) else { return }
        guard let relation = home.fields.relations.first(where: { $0.offset == offset }) else {
            return
        }
        home.context.noteEdit(of: relation, in: self)
    }

    /// Empties all relationships, which is no change.
    final func emptyRelations() {
        guard let home else { return }
        for relation in home.fields.relations { relation.set([], at: place(of: relation)) }
    }

    /// Where the field of `relation` lies.
    final func place(of relation: RelationCoder) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + relation.offset
    }

    /// What stands in `relation`; the content has been read.
    final func objects(in relation: RelationCoder) -> [StoredObject] {
        let objects = relation.objects(at: UnsafeRawPointer(place(of: relation)))
        return withExtendedLifetime(self) { objects }
    }
}

/// A relationship that was edited, and what stood in it before, if that matters.
struct UnsettledEdit {
    let object: StoredObject
    let relation: RelationCoder
    let number: UInt32

    /// Whether the edit is still the field's last: the field was not read anew or settled since.
    var isCurrent: Bool {
        guard object.home != nil, object.state.isDisjoint(with: .fault) else { return false }
        let found = relation.edit(at: UnsafeRawPointer(object.place(of: relation)))
        return found == nil || found == number
    }
}
