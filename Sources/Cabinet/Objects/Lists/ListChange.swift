/// What an edit has made of a list of objects.
struct ListChange {
    private let old: ArraySlice<StoredObject>
    private let new: [StoredObject]
    /// How many objects at the front are the same.
    private let start: Int
    /// How many objects at the back are the same.
    private let end: Int
    /// How many positions were compared.
    let visits: Int

    /// Without a former list, all of `new` is new. If it only goes on, nothing is compared.
    init(from former: FormerList?, to new: [StoredObject]) {
        let array = former?.array ?? []
        old = array[..<(former?.count ?? 0)]
        self.new = new
        var (start, end) = (0, 0)
        let shorter = min(old.count, new.count)
        if let former, former.isStart(of: new) {
            start = former.count
            visits = 0
        } else {
            while start < shorter, array[start] === new[start] { start += 1 }
            while end < shorter - start, array[old.count - 1 - end] === new[new.count - 1 - end] {
                end += 1
            }
            visits = start + end
        }
        (self.start, self.end) = (start, end)
    }

    init(from old: [StoredObject], to new: [StoredObject]) {
        self.init(from: FormerList(old), to: new)
    }

    private var oldMiddle: Range<Int> { start..<(old.count - end) }
    var newMiddle: Range<Int> { start..<(new.count - end) }

    /// The object that was added, and where, if nothing else has happened.
    var onlyAddition: (object: StoredObject, position: Int)? {
        oldMiddle.isEmpty && newMiddle.count == 1 ? (new[start], start) : nil
    }

    var isEmpty: Bool { oldMiddle.isEmpty && newMiddle.isEmpty }

    /// Whether nothing was taken out: what is new is in `newMiddle`, where others may repeat.
    var isOnlyAdded: Bool { oldMiddle.isEmpty }

    /// The objects that left the list, each once.
    func gone() -> [StoredObject] {
        oldMiddle.isEmpty ? [] : Self.missing(old[oldMiddle], in: new[...], newMiddle)
    }

    func added() -> [StoredObject] {
        newMiddle.isEmpty ? [] : Self.missing(new[newMiddle], in: old, oldMiddle)
    }

    /// The objects of `middle`, each once, that are not in `other`: most others are in
    /// `otherMiddle`.
    private static func missing(
        _ middle: ArraySlice<StoredObject>, in other: ArraySlice<StoredObject>,
        _ otherMiddle: Range<Int>
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

// MARK: - Parts

extension ListChange {
    struct Part {
        let start: Int
        let removed: ArraySlice<StoredObject>
        let inserted: ArraySlice<StoredObject>
    }

    /// What to replace, one after the other, to get the new list: little for one move.
    var parts: [Part] {
        let (former, present) = (old[oldMiddle], new[newMiddle])
        if former.isEmpty, present.isEmpty { return [] }
        guard former.count == present.count, former.count > 1 else {
            return [Part(start: start, removed: former, inserted: present)]
        }
        let last = former.endIndex - 1
        if former[start] === present[last],
            former[(start + 1)...].elementsEqual(present[..<last], by: ===)
        {
            return move(from: start, to: last)
        }
        if former[last] === present[start],
            former[..<last].elementsEqual(present[(start + 1)...], by: ===)
        {
            return move(from: last, to: start)
        }
        if former.count > 2,
            former[(start + 1)..<last].elementsEqual(present[(start + 1)..<last], by: ===)
        {
            return [start, last].map { position in
                Part(
                    start: position, removed: former[position...position],
                    inserted: present[position...position])
            }
        }
        return [Part(start: start, removed: former, inserted: present)]
    }

    private func move(from position: Int, to other: Int) -> [Part] {
        let object = old[position...position]
        return [
            Part(start: position, removed: object, inserted: []),
            Part(start: other, removed: [], inserted: object),
        ]
    }
}
