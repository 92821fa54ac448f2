/// What an edit has made of a list of objects.
struct ListChange {
    private let old: [StoredObject]
    private let new: [StoredObject]
    /// How many objects at the front are the same.
    private let start: Int
    /// How many objects at the back are the same.
    private let end: Int

    init(from old: [StoredObject], to new: [StoredObject]) {
        var (start, end) = (0, 0)
        let shorter = min(old.count, new.count)
        while start < shorter, old[start] === new[start] { start += 1 }
        while end < shorter - start, old[old.count - 1 - end] === new[new.count - 1 - end] {
            end += 1
        }
        (self.old, self.new, self.start, self.end) = (old, new, start, end)
    }

    /// Where the lists differ.
    private var oldMiddle: Range<Int> { start..<(old.count - end) }
    var newMiddle: Range<Int> { start..<(new.count - end) }

    /// Whether nothing was taken out. Then the objects that are new are among those in `newMiddle`,
    /// where others may stand again: a list that is only added to needs no look-ups.
    var isOnlyAdded: Bool { oldMiddle.isEmpty }

    /// The objects that are in the list no more, each once.
    func gone() -> [StoredObject] {
        oldMiddle.isEmpty ? [] : Self.missing(old[oldMiddle], in: new, newMiddle)
    }

    /// The objects that are new in the list, each once.
    func added() -> [StoredObject] {
        newMiddle.isEmpty ? [] : Self.missing(new[newMiddle], in: old, oldMiddle)
    }

    /// The objects of `middle`, each once, that are not in `other`, of which `otherMiddle` is where
    /// they would mostly be.
    private static func missing(
        _ middle: ArraySlice<StoredObject>, in other: [StoredObject], _ otherMiddle: Range<Int>
    ) -> [StoredObject] {
        var known = Set(other[otherMiddle].map { ObjectIdentifier($0) })
        var found = middle.filter { known.insert(ObjectIdentifier($0)).inserted }
        guard !found.isEmpty, otherMiddle.count < other.count else { return found }
        let ends = [other[..<otherMiddle.lowerBound], other[otherMiddle.upperBound...]]
        if found.count == 1 {
            let one = found[0]
            return ends.contains { $0.contains { $0 === one } } ? [] : found
        }
        var rest = Set(found.map { ObjectIdentifier($0) })
        for object in ends.joined() { rest.remove(ObjectIdentifier(object)) }
        if rest.count < found.count { found.removeAll { !rest.contains(ObjectIdentifier($0)) } }
        return found
    }
}
