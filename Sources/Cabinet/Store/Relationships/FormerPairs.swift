import CabinetBackend

/// Which objects of one class stand in a relationship of another class's objects, by the saved
/// records of these owners. Needed to read a record that was written while the inverse was not
/// maintained.
///
/// Made by one pass over the owners, and kept at 8 bytes a pair. It stays right: where a pair
/// changes, a save writes both records again, and these do not need it any more.
final class FormerPairs {
    /// Target row and owner row in one number, ascending.
    private var byTarget: [UInt64] = []
    /// Owner row and target row, for a relationship to one.
    private var byOwner: [UInt64] = []
    /// Owners whose relationship is empty and whose record may have been written without it.
    private(set) var silent = RowSet()
    /// Owners whose record was written while the relationship was maintained.
    private(set) var kept = RowSet()

    /// The rows of the owners whose relationship holds `target`, ascending.
    func owners(of target: RowID) -> [RowID] { Self.seconds(of: target, in: byTarget) }

    func target(of owner: RowID) -> RowID? { Self.seconds(of: owner, in: byOwner).first }

    func contains(_ target: RowID, of owner: RowID) -> Bool {
        let pair = Self.pair(target, owner)
        let position = byTarget.partitioningIndex { $0 >= pair }
        return position < byTarget.count && byTarget[position] == pair
    }

    // MARK: While it is made

    /// The record of `owner` has `targets` of the one class; whether it has any, of any class.
    func note(
        _ targets: [RowID], anyThere: Bool, of owner: RowID, word: RelationWord, isMany: Bool
    ) {
        for target in targets {
            byTarget.append(Self.pair(target, owner))
            if !isMany { byOwner.append(Self.pair(owner, target)) }
        }
        if word == .unknown, !anyThere { silent.insert(owner) }
        if word == .maintained { kept.insert(owner) }
    }

    func finish() {
        byTarget.sort()
        byOwner.sort()
    }

    private static func pair(_ first: RowID, _ second: RowID) -> UInt64 {
        UInt64(first.rawValue) << 32 | UInt64(second.rawValue)
    }

    private static func seconds(of first: RowID, in pairs: [UInt64]) -> [RowID] {
        var found: [RowID] = []
        var position = pairs.partitioningIndex { $0 >= pair(first, 0) }
        while position < pairs.count, pairs[position] >> 32 == UInt64(first.rawValue) {
            let second = RowID(UInt32(truncatingIfNeeded: pairs[position]))
            if found.last != second { found.append(second) }
            position += 1
        }
        return found
    }
}

/// The pairs that a store has looked up, by owner class, relationship and target class.
final class FormerPairsCache {
    struct Key: Hashable {
        let owner: UInt8
        let relation: ObjectIdentifier
        let target: UInt8
    }
    var found: [Key: FormerPairs] = [:]
    /// How many passes over the owners of a relationship are under way.
    var passes = 0
    /// Objects that were read meanwhile, without what a pass finds out: they are read again.
    var provisional: [(storedClass: StoredClass, row: RowID)] = []
}

extension Store {
    /// Whether `object` is read while a pass over the owners of a relationship is under way, as a
    /// class may ask for it in `upgrade(from:)`. It is read again when touched after the pass: a
    /// pass for it, and one for what that reads, could recurse as deep as there are objects.
    func readsProvisionally(_ object: StoredObject) -> Bool {
        let cache = annex(FormerPairsCache.self) { _ in FormerPairsCache() }
        guard cache.passes > 0, let storedClass = object.storedClass else { return false }
        cache.provisional.append((storedClass, object.rowID))
        return true
    }

    private func endPass(_ cache: FormerPairsCache) {
        cache.passes -= 1
        guard cache.passes == 0 else { return }
        for (storedClass, row) in cache.provisional {
            guard let object = storedClass.existing(row), !object.state.isPending,
                object.state.isDisjoint(with: [.deleted, .unreadable])
            else { continue }
            object.state.formUnion(.fault)
        }
        cache.provisional = []
    }
}

extension Store {
    /// The objects of `other` that stand in `relation` of the saved objects of `storedClass`.
    ///
    /// Records that cannot be read are left out, with a message to the log sink.
    func formerPairs(
        _ relation: RelationCoder, of storedClass: StoredClass, to other: StoredClass
    ) throws -> FormerPairs {
        let cache = annex(FormerPairsCache.self) { _ in FormerPairsCache() }
        let key = FormerPairsCache.Key(
            owner: storedClass.number, relation: ObjectIdentifier(relation), target: other.number)
        if let known = cache.found[key] { return known }
        let pairs = FormerPairs()
        cache.passes += 1
        defer { endPass(cache) }
        let reader = DataBuffer()
        let run = RecordRun()
        let cursor = try readerForWalk().records(in: storedClass.table)
        while try cursor.next(run) {
            while let (row, record) = run.next() {
                let objects: [StoredObject]
                do {
                    objects = try copyForReferences(
                        of: record, at: row, of: storedClass, by: reader
                    )
                    .objects(in: relation)
                } catch let error as StoreError {
                    log(.warning, "Left out of '\(relation.name)': \(error)")
                    continue
                }
                pairs.note(
                    objects.filter { $0.storedClass === other }.map(\.rowID),
                    anyThere: !objects.isEmpty,
                    of: row,
                    word: codec.number(of: record).flatMap {
                        storedClass.layouts?.word($0, on: relation, with: other)
                    } ?? .maintained,
                    isMany: relation.isMany)
            }
        }
        pairs.finish()
        cache.found[key] = pairs
        return pairs
    }
}
