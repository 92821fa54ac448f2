/// Changes of lists that are no edits of theirs: those from the other side, of undo and redo.
///
/// In an array, such a change searches and moves the whole list. A list that is changed so again and
/// again is kept as a ``LongList``, away from its field, until the field is read, written or edited.
/// It goes away when the changes in its array have cost about as much as taking it apart.
final class ListsAway {
    private struct Entry {
        /// Held, so that the field stays where it is.
        let owner: StoredObject
        let many: ManyCoder
        let list: LongList
    }

    // Unchecked: no access lasts while a list changes.
    @exclusivity(unchecked) private var entries: [UnsafeMutableRawPointer: Entry] = [:]
    /// What changes of lists in their arrays have cost, in places visited.
    @exclusivity(unchecked) private var costs: [UnsafeMutableRawPointer: Int] = [:]
    /// The list that was asked for last, and where its field lies.
    @exclusivity(unchecked) private var latest: LongList?
    @exclusivity(unchecked) private var latestPlace: UnsafeMutableRawPointer?

    /// How many places of lists were compared, moved or copied: a measure of work that does not
    /// depend on the machine.
    @exclusivity(unchecked) var visits = 0

    /// Shorter lists stay where they are.
    var leastCount = 512
    /// A list goes away when its changes cost as much as visiting each of its places so often.
    var costOfLeaving = 16

    // MARK: Looking

    func count(in owner: StoredObject, _ many: ManyCoder) -> Int {
        let place = owner.place(of: many)
        return existing(at: place)?.count ?? many.list(at: place).count
    }

    func contains(_ object: StoredObject, in owner: StoredObject, _ many: ManyCoder) -> Bool {
        place(of: object, in: owner, many) != nil
    }

    /// The first place of `object` in the list; `nil` if there is none. It is known not to stand
    /// before `start`.
    func place(
        of object: StoredObject, in owner: StoredObject, _ many: ManyCoder, from start: Int = 0
    ) -> Int? {
        let place = owner.place(of: many)
        let count = many.list(at: place).count
        if let list = list(in: owner, many, cost: max(count - start, 0)) {
            return list.place(of: object)
        }
        return start < count ? many.list(at: place).place(of: object, from: start) : nil
    }

    /// Whether `object` stands at `position`, which may be any number.
    func isThere(
        _ object: StoredObject, at position: Int, in owner: StoredObject, _ many: ManyCoder
    ) -> Bool {
        guard position >= 0, position < count(in: owner, many) else { return false }
        let place = owner.place(of: many)
        if let list = existing(at: place) { return list.object(at: position) === object }
        return many.list(at: place)[position] === object
    }

    /// The list, if it is away: then it is to be changed itself.
    func list(awayFrom owner: StoredObject, _ many: ManyCoder) -> LongList? {
        existing(at: owner.place(of: many))
    }

    // MARK: Changing

    /// Puts `object` at `position`, which is at most the list's count.
    func insert(
        _ object: StoredObject, at position: Int, in owner: StoredObject, _ many: ManyCoder
    ) {
        let place = owner.place(of: many)
        let moved = many.list(at: place).count - position
        if let list = list(in: owner, many, cost: moved / 8) {
            list.insert(object, at: position)
        } else {
            many.insert(object, at: position, place)
        }
    }

    /// Takes out what stands at `position`, which is less than the list's count.
    func remove(at position: Int, in owner: StoredObject, _ many: ManyCoder) {
        let place = owner.place(of: many)
        let moved = many.list(at: place).count - position
        if let list = list(in: owner, many, cost: moved / 8) {
            list.remove(at: position)
        } else {
            many.remove(at: position, place)
        }
    }

    // MARK: Away and back

    private func existing(at place: UnsafeMutableRawPointer) -> LongList? {
        if place == latestPlace { return latest }
        if entries.isEmpty { return nil }
        guard let list = entries[place]?.list else { return nil }
        (latestPlace, latest) = (place, list)
        return list
    }

    /// The list, if it is away or goes away now; `nil` if it stays in its array, where what is about
    /// to be done costs `cost`.
    private func list(in owner: StoredObject, _ many: ManyCoder, cost: Int) -> LongList? {
        let place = owner.place(of: many)
        if let list = existing(at: place) {
            visits += 1
            return list
        }
        visits += cost
        let count = many.list(at: place).count
        // What is being edited, or waits for being settled, stands where its user put it.
        guard count >= leastCount, many.isAtRest(at: place), let home = owner.home else {
            return nil
        }
        let paid = costs[place, default: 0] + cost
        guard paid >= costOfLeaving * count else {
            costs[place] = paid
            return nil
        }
        costs[place] = nil
        visits += count
        let list = LongList(many.list(at: place))
        entries[place] = Entry(owner: owner, many: many, list: list)
        (latestPlace, latest) = (place, list)
        many.leave(place)
        home.listsAway += 1
        return list
    }

    /// Puts the list back into the field at `place`, if it is away.
    func bringBack(to place: UnsafeMutableRawPointer) {
        guard let entry = entries[place] else { return }
        forget(at: place)
        visits += entry.list.count
        entry.many.comeBack(entry.list.objects, to: place)
    }

    func bringAllBack() {
        if !costs.isEmpty { costs = [:] }
        for place in Array(entries.keys) { bringBack(to: place) }
    }

    /// Drops the list of the field at `place`, which gets another one.
    func forget(at place: UnsafeMutableRawPointer) {
        (latestPlace, latest) = (nil, nil)
        guard let entry = entries.removeValue(forKey: place) else { return }
        entry.owner.home?.listsAway -= 1
    }
}
