extension ObjectContext {
    /// Takes back what `edit` made of a list of `object`, whose content is there.
    ///
    /// The list may differ from then: its record was read again, or another store has changed it.
    /// It then loses and gets the same objects, as near to their positions as possible.
    /// - Returns: what takes that back.
    final func takeBack(_ edit: borrowing ListEdit, in object: StoredObject) -> ListEdit {
        guard let many = edit.relation else { return .none }
        if let (place, isInsertion) = edit.only, let member = edit.object(in: self) {
            if !isInsertion, place <= lists.count(in: object, many) {
                lists.insert(member, at: place, in: object, many)
                return .insertion(of: member, at: place, many, in: self)
            }
            if isInsertion, lists.isThere(member, at: place, in: object, many) {
                lists.remove(at: place, in: object, many)
                return .removal(of: member, at: place, many, in: self)
            }
        }
        let old = object.objects(in: many)
        var new = old
        for part in edit.parts.reversed() {
            let inserted = part.inserted.objects(in: self)
            let end = part.start + inserted.count
            if end <= new.count, new[part.start..<end].elementsEqual(inserted, by: ===) {
                new.removeSubrange(part.start..<end)
            } else {
                for object in inserted {
                    if let place = new.position(of: object) { new.remove(at: place) }
                }
            }
            new.insert(
                contentsOf: part.removed.objects(in: self), at: min(part.start, new.count))
        }
        many.replace(with: new, in: object)
        lists.visits += old.count + new.count
        return ListEdit(ListChange(from: FormerList(old), to: new), of: many, in: self)
    }
}
