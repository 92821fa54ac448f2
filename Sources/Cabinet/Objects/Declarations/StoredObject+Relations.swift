import CabinetBackend

extension StoredObject {
    /// Where a field lies in the object.
    final func offset<Object: StoredObject, Storage>(
        of storage: ReferenceWritableKeyPath<Object, Storage>
    ) -> Int {
        let base = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        let object = unsafeDowncast(self, to: Object.self)
        return withUnsafePointer(to: &object[keyPath: storage]) { UnsafeRawPointer($0) - base }
    }

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

    /// The object in the relationship at `offset` has become another.
    @usableFromInline
    final func didRelate(_ offset: Int, from old: StoredObject?, to new: StoredObject?) {
        guard let home, !state.contains(.deleted), let relation = relation(at: offset) else {
            return
        }
        home.context.didRelate(self, relation, from: old, to: new)
    }

    /// An object that the object refers to belongs in its store.
    @usableFromInline
    final func takeIn(_ other: StoredObject) {
        guard let home, other.home == nil, !state.contains(.deleted) else { return }
        home.context.takeInRelated(other)
    }

    /// Whether relationships were edited and nothing followed from it yet.
    @usableFromInline
    final var awaitsEdits: Bool {
        @inline(never) get { home?.context.hasUnsettledEdits ?? false }
    }

    /// What follows from earlier edits for the relationship at `offset` is done now.
    @usableFromInline
    final func settle(beforeReading offset: Int) {
        guard let home, home.context.hasUnsettledEdits, let relation = relation(at: offset) else {
            return
        }
        if relation.isUnique || relation.awaitsInverse { home.context.settle() }
    }

    /// What follows from earlier edits for the relationships of the object is done now.
    @usableFromInline @inline(never)
    final func settleBeforeReading() {
        guard let home, home.context.hasUnsettledEdits else { return }
        if home.fields.relations.contains(where: { $0.isUnique || $0.awaitsInverse }) {
            home.context.settle()
        }
    }

    /// The objects in some relationship to many are about to change. All of the object's are noted:
    /// which of them it is, is seen when they are settled.
    final func noteEdits() {
        settleBeforeReading()
        guard let home, !state.contains(.deleted) else { return }
        for relation in home.fields.relations where relation.isMany {
            home.context.noteEdit(of: relation, in: self)
        }
    }

    /// Objects in relationships to many that are in no store are taken in: all, or those at the
    /// ends.
    final func takeInOthers(all: Bool) {
        guard let home else { return }
        for relation in home.fields.relations where relation.isMany {
            let others = objects(in: relation)
            if all {
                for other in others where other.rowID == 0 { takeIn(other) }
            } else {
                let tail = others.reversed().prefix { $0.rowID == 0 }.count
                for other in others.suffix(tail) { takeIn(other) }
                for other in others.prefix(while: { $0.rowID == 0 }) { takeIn(other) }
            }
        }
    }

    private final func relation(at offset: Int) -> RelationCoder? {
        home?.fields.relations.first { $0.offset == offset }
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
    /// What stood there; kept if the other side must know.
    let old: [StoredObject]

    /// Whether the edit is still the field's last: the field was not read anew or settled since.
    var isCurrent: Bool {
        guard object.home != nil, object.state.isDisjoint(with: .fault) else { return false }
        let found = relation.edit(at: UnsafeRawPointer(object.place(of: relation)))
        return found == nil || found == number
    }
}
