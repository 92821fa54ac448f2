/// A relationship that was edited, and what stood in it before, if that matters.
struct UnreconciledEdit {
    let object: StoredObject
    // The store owns its classes, and they own their relationships.
    unowned(unsafe) let relation: RelationCoder
    let number: UInt32
    /// What stood there; kept if the other side or a step must know.
    var old: EditStart?

    /// Whether the edit is still the field's last: it was not read again or reconciled since.
    var isCurrent: Bool {
        guard object.classReference != nil, object.state.isDisjoint(with: .fault) else {
            return false
        }
        let found = relation.edit(at: UnsafeRawPointer(object.address(of: relation)))
        return found == nil || found == number
    }

    var isUnderWay: Bool {
        relation.isBeingEdited(at: UnsafeRawPointer(object.address(of: relation)))
    }
}

/// What stood in a relationship before an edit, and the step that records the edit.
final class EditStart: FormerList {
    /// The step that the edit belongs to and that records it; `nil` if none does.
    @exclusivity(unchecked) var log: ChangeLog?
    /// The index of the edit in the step, unless the step has changed since.
    @exclusivity(unchecked) private(set) var index: Int
    /// The members of a unique list without inverse, during appends; `nil` for one at most.
    @exclusivity(unchecked) var members: Set<ObjectIdentifier>?

    init(_ objects: [StoredObject], in log: ChangeLog? = nil, at index: Int = 0) {
        (self.log, self.index) = (log, index)
        super.init(objects)
    }

    func reset(to objects: [StoredObject], in log: ChangeLog?, at index: Int) {
        (self.log, self.index, members) = (log, index, nil)
        reset(to: objects)
    }

    func empty() {
        (log, members) = (nil, nil)
        reset(to: [])
    }
}
