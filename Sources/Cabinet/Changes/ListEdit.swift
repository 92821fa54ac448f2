/// What a step has made of one list: the parts of it that were replaced.
///
/// Objects of the store are kept by their rows, so that no step keeps them in memory.
final class ListEdit {
    /// Some objects of a list, side by side.
    struct Part {
        let start: Int
        let removed: ObjectReferences
        let inserted: ObjectReferences

        /// How much memory it takes, in bytes.
        var size: Int { 64 + (removed.count + inserted.count) * 8 }
    }

    // The store owns its classes and its steps.
    unowned(unsafe) let relation: ManyCoder
    // Mostly there is one part, and no array is made for it.
    @exclusivity(unchecked) private var first: Part?
    @exclusivity(unchecked) private var others: [Part] = []

    init(_ relation: ManyCoder, _ part: Part? = nil) { (self.relation, first) = (relation, part) }

    /// What was replaced, in that order.
    var parts: [Part] { first.map { [$0] + others } ?? [] }

    /// The only part, if there is just one.
    var onlyPart: Part? { others.isEmpty ? first : nil }

    /// Whether the list is the same afterwards.
    var isEmpty: Bool { first == nil }

    /// How much memory it takes, in bytes.
    var size: Int {
        others.reduce(64 + (first?.size ?? 0)) { $0 + $1.size }
    }

    /// What an edit that was under way has made of the list.
    func end(with change: ListChange, in context: ObjectContext) {
        if let (object, place) = change.onlyAddition {
            let inserted = ObjectReferences(object, in: context)
            first = Part(start: place, removed: .none, inserted: inserted)
            return
        }
        let parts = change.parts.map { part in
            Part(
                start: part.start, removed: ObjectReferences(part.removed, in: context),
                inserted: ObjectReferences(part.inserted, in: context))
        }
        first = parts.first
        others = Array(parts.dropFirst())
    }

    static func insertion(
        of object: StoredObject, at place: Int, _ relation: ManyCoder, in context: ObjectContext
    ) -> ListEdit {
        let inserted = ObjectReferences(object, in: context)
        return ListEdit(relation, Part(start: place, removed: .none, inserted: inserted))
    }

    static func removal(
        of object: StoredObject, at place: Int, _ relation: ManyCoder, in context: ObjectContext
    ) -> ListEdit {
        let removed = ObjectReferences(object, in: context)
        return ListEdit(relation, Part(start: place, removed: removed, inserted: .none))
    }
}

extension ObjectContext {
    /// Takes back what `edit` made of a list of `object`, whose content is there.
    ///
    /// A list that is not what it was then, because its record was read anew and refers to what is
    /// gone, or because another store has changed it, loses and gets the same objects, as near to
    /// their places as it goes.
    /// - Returns: what takes that back.
    final func takeBack(_ edit: ListEdit, in object: StoredObject) -> ListEdit {
        let many = edit.relation
        if let part = edit.onlyPart, part.removed.count + part.inserted.count == 1 {
            if let inserted = part.inserted.single(in: self) {
                if lists.isThere(inserted, at: part.start, in: object, many) {
                    lists.remove(at: part.start, in: object, many)
                    return .removal(of: inserted, at: part.start, many, in: self)
                }
            } else if let removed = part.removed.single(in: self),
                part.start <= lists.count(in: object, many)
            {
                lists.insert(removed, at: part.start, in: object, many)
                return .insertion(of: removed, at: part.start, many, in: self)
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
                    if let place = new.place(of: object) { new.remove(at: place) }
                }
            }
            new.insert(
                contentsOf: part.removed.objects(in: self), at: min(part.start, new.count))
        }
        many.replace(with: new, in: object)
        let inverse = ListEdit(many)
        let change = ListChange(from: FormerList(old), to: new)
        lists.visits += old.count + new.count
        inverse.end(with: change, in: self)
        return inverse
    }
}
