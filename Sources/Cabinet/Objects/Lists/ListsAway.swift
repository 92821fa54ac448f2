/// Changes of lists that are no edits of theirs: those from the other side, of undo and redo.
///
/// In an array, such a change searches and moves the whole list. A list that has cost about as much
/// as taking it apart is kept as a ``LongList``, away from its field, until the field is read,
/// written or edited.
final class ListsAway {
    private struct Entry {
        /// Held, so that the field stays where it is.
        let owner: StoredObject
        let many: ManyCoder
        let list: LongList
    }

    // Unchecked: no access lasts while a list changes.
    @exclusivity(unchecked) private var entries: [UnsafeMutableRawPointer: Entry] = [:]
    /// What changes of lists in their arrays have cost, in elements visited.
    @exclusivity(unchecked) private var costs: [UnsafeMutableRawPointer: Int] = [:]
    /// The list that was asked for last, and where its field lies.
    @exclusivity(unchecked) private var latest: LongList?
    @exclusivity(unchecked) private var latestPlace: UnsafeMutableRawPointer?

    /// How many elements were compared, moved or copied: a measure of work on any machine.
    @exclusivity(unchecked) var visits = 0

    /// Shorter lists stay where they are.
    var leastCount = 512
    /// A list goes away when its changes cost as much as visiting each of its elements so often.
    var costOfLeaving = 16

    // MARK: Looking

    func count(in owner: StoredObject, _ many: ManyCoder) -> Int {
        let address = owner.address(of: many)
        return existing(at: address)?.count ?? many.list(at: address).count
    }

    func contains(_ object: StoredObject, in owner: StoredObject, _ many: ManyCoder) -> Bool {
        position(of: object, in: owner, many) != nil
    }

    /// The first position of `object`; `nil` if there is none. It is not before `start`.
    func position(
        of object: StoredObject, in owner: StoredObject, _ many: ManyCoder, from start: Int = 0
    ) -> Int? {
        let address = owner.address(of: many)
        let count = many.list(at: address).count
        if let list = list(in: owner, many, cost: max(count - start, 0)) {
            return list.position(of: object)
        }
        return start < count ? many.list(at: address).position(of: object, from: start) : nil
    }

    /// Whether `object` stands at `position`, which may be any number.
    func isThere(
        _ object: StoredObject, at position: Int, in owner: StoredObject, _ many: ManyCoder
    ) -> Bool {
        guard position >= 0, position < count(in: owner, many) else { return false }
        let address = owner.address(of: many)
        if let list = existing(at: address) { return list.object(at: position) === object }
        return many.list(at: address)[position] === object
    }

    /// The list, if it is away: the caller changes it directly.
    func list(awayFrom owner: StoredObject, _ many: ManyCoder) -> LongList? {
        existing(at: owner.address(of: many))
    }

    /// Whether the list of the field at `address`, which is away, holds nothing. It stays away.
    func isEmpty(awayFrom address: UnsafeMutableRawPointer) -> Bool {
        existing(at: address)?.count == 0
    }

    /// Whether it is `list` that is away from there.
    func isAway(_ list: LongList, from owner: StoredObject, _ many: ManyCoder) -> Bool {
        let address = owner.address(of: many)
        return address == latestPlace ? latest === list : entries[address]?.list === list
    }

    // MARK: Changing

    /// Puts `object` at `position`, which is at most the list's count.
    func insert(
        _ object: StoredObject, at position: Int, in owner: StoredObject, _ many: ManyCoder
    ) {
        let address = owner.address(of: many)
        owner.noteReferenceChange()
        let moved = many.list(at: address).count - position
        if let list = list(in: owner, many, cost: moved / 8) {
            list.insert(object, at: position)
        } else {
            many.insert(object, at: position, address)
        }
    }

    /// Takes out what stands at `position`, which is less than the list's count.
    func remove(at position: Int, in owner: StoredObject, _ many: ManyCoder) {
        let address = owner.address(of: many)
        owner.noteReferenceChange()
        let moved = many.list(at: address).count - position
        if let list = list(in: owner, many, cost: moved / 8) {
            list.remove(at: position)
        } else {
            many.remove(at: position, address)
        }
    }

    // MARK: Away and back

    private func existing(at address: UnsafeMutableRawPointer) -> LongList? {
        if address == latestPlace { return latest }
        if entries.isEmpty { return nil }
        guard let list = entries[address]?.list else { return nil }
        (latestPlace, latest) = (address, list)
        return list
    }

    /// The list, if it is away or leaves now; `nil` if it stays, as the change costs only `cost`.
    private func list(in owner: StoredObject, _ many: ManyCoder, cost: Int) -> LongList? {
        let address = owner.address(of: many)
        if let list = existing(at: address) {
            visits += 1
            return list
        }
        visits += cost
        let count = many.list(at: address).count
        // What is being edited, or waits to be reconciled, stands where its user put it.
        guard count >= leastCount, many.isAtRest(at: address), let storedClass = owner.storedClass
        else {
            return nil
        }
        let paid = costs[address, default: 0] + cost
        guard paid >= costOfLeaving * count else {
            costs[address] = paid
            return nil
        }
        costs[address] = nil
        visits += count
        let list = LongList(many.list(at: address))
        entries[address] = Entry(owner: owner, many: many, list: list)
        (latestPlace, latest) = (address, list)
        many.leave(address)
        storedClass.listsAway += 1
        return list
    }

    /// Puts the list back into the field at `address`, if it is away.
    func bringBack(to address: UnsafeMutableRawPointer) {
        guard let entry = entries[address] else { return }
        forget(at: address)
        visits += entry.list.count
        entry.many.comeBack(entry.list.objects, to: address)
    }

    func bringAllBack() {
        if !costs.isEmpty { costs = [:] }
        for address in Array(entries.keys) { bringBack(to: address) }
    }

    /// Drops the list of the field at `address`, which gets another one.
    func forget(at address: UnsafeMutableRawPointer) {
        (latestPlace, latest) = (nil, nil)
        guard let entry = entries.removeValue(forKey: address) else { return }
        entry.owner.storedClass?.listsAway -= 1
    }
}
