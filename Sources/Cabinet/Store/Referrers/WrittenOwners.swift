/// Owners of references, and what they refer to, until the table of referrers is changed by them: a
/// bounded number at a time, in the order of its keys, so that one walk finds what it has of all.
struct WrittenOwners {
    typealias ClassRow = WrittenReferences.Target

    private struct Owner {
        let classRow: ClassRow
        let start: Int
        let count: Int
        let isNew: Bool
    }

    /// Some 2 MiB of them.
    private static let limit = 1 << 16

    private var owners: [Owner] = []
    private var targets: [ClassRow] = []
    private var isInOrder = true
    /// How many of them are not new.
    private(set) var changed = 0

    /// How many targets they have together.
    var targetCount: Int { targets.count }

    var isEmpty: Bool { owners.isEmpty }
    var isFull: Bool { owners.count >= Self.limit || targets.count >= Self.limit * 2 }

    /// Adds `owner`, which refers to `found`, each once and in order. Of an owner that is added
    /// twice the later one counts.
    mutating func append(_ owner: ClassRow, _ found: [ClassRow], isNew: Bool) {
        if let last = owners.last, owner < last.classRow { isInOrder = false }
        if !isNew { changed &+= 1 }
        owners.append(
            Owner(classRow: owner, start: targets.count, count: found.count, isNew: isNew))
        targets.append(contentsOf: found)
    }

    /// Calls `body` with each owner once, in order.
    mutating func forEachInOrder(
        _ body: (_ owner: ClassRow, _ targets: ArraySlice<ClassRow>, _ isNew: Bool) throws -> Void
    ) rethrows {
        if !isInOrder {
            // Of equal ones the later comes behind: it starts behind, or where one without targets does.
            owners.sort {
                ($0.classRow, $0.start, $0.count) < ($1.classRow, $1.start, $1.count)
            }
            isInOrder = true
        }
        for (index, owner) in owners.enumerated() {
            if index + 1 < owners.count, owners[index + 1].classRow == owner.classRow { continue }
            try body(
                owner.classRow, targets[owner.start..<owner.start + owner.count], owner.isNew)
        }
    }

    /// Forgets them, and their memory if it is much.
    mutating func removeAll() {
        let keeps = owners.capacity <= 64 && targets.capacity <= 1 << 10
        owners.removeAll(keepingCapacity: keeps)
        targets.removeAll(keepingCapacity: keeps)
        isInOrder = true
        changed = 0
    }
}
