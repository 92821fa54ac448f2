/// A relationship that was edited, and what stood in it before, if that matters.
struct UnsettledEdit {
    let object: StoredObject
    // The store owns its classes, and they own their relationships.
    unowned(unsafe) let relation: RelationCoder
    let number: UInt32
    /// What stood there; kept if the other side or a step must know.
    let old: EditStart?

    /// Whether the edit is still the field's last: the field was not read anew or settled since.
    var isCurrent: Bool {
        guard object.home != nil, object.state.isDisjoint(with: .fault) else { return false }
        let found = relation.edit(at: UnsafeRawPointer(object.place(of: relation)))
        return found == nil || found == number
    }

    /// Whether the edit is being made just now.
    var isUnderWay: Bool {
        relation.isBeingEdited(at: UnsafeRawPointer(object.place(of: relation)))
    }
}

/// What stood in a relationship before an edit, and who wants to know.
final class EditStart: FormerList {
    /// Where the step that the edit belongs to keeps what it changes.
    let record: ListEdit?
    /// That step; `nil` if none is kept.
    let log: ChangeLog?

    init(_ objects: [StoredObject], record: ListEdit? = nil, in log: ChangeLog? = nil) {
        (self.record, self.log) = (record, log)
        super.init(objects)
    }
}
