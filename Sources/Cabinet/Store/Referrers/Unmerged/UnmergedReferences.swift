import CabinetBackend

/// What the unmerged blocks of a table of referrers say, as of one commit.
///
/// Making it reads all blocks: some 20 ms for 100,000 owners, and 40 bytes of memory for each.
struct UnmergedReferences: Sendable {
    typealias ClassRow = WrittenReferences.Target

    private struct Owner {
        let classRow: ClassRow
        let start: Int
        let count: Int
    }

    private struct Pair {
        let target: ClassRow
        let owner: ClassRow
    }

    /// Each once and in ascending order.
    private var owners: [Owner] = []
    private var targets: [ClassRow] = []
    /// By target, then by owner.
    private var pairs: [Pair] = []
    /// Whether something is left out, as a block is damaged.
    private(set) var isDamaged = false

    init() {}

    /// - Parameter passesOverDamage: whether of a damaged block what is behind the damage is left out.
    /// - Throws: a ``BackendError``; otherwise a ``DataBufferError`` if a block is damaged.
    init(
        in table: TableNumber, _ reader: any BackendReader, passesOverDamage: Bool = false
    ) throws {
        var written = WrittenOwners()
        do {
            try UnmergedBlock.forEach(in: table, reader) { _, value in
                do {
                    try UnmergedBlock.forEachOwner(in: value) {
                        written.append($0, $1, isNew: false)
                    }
                } catch is DataBufferError where passesOverDamage { isDamaged = true }
                return true
            }
        } catch is DataBufferError where passesOverDamage { isDamaged = true }
        written.forEachInOrder { owner, found, _ in
            owners.append(Owner(classRow: owner, start: targets.count, count: found.count))
            targets.append(contentsOf: found)
            for target in found { pairs.append(Pair(target: target, owner: owner)) }
        }
        pairs.sort { ($0.target, $0.owner) < ($1.target, $1.owner) }
    }

    var isEmpty: Bool { owners.isEmpty }

    /// What `owner` refers to; `nil` if no block says it, and keys do.
    func targets(of owner: ClassRow) -> ArraySlice<ClassRow>? {
        let index = owners.partitioningIndex { $0.classRow >= owner }
        guard index < owners.count, owners[index].classRow == owner else { return nil }
        let found = owners[index]
        return targets[found.start..<found.start + found.count]
    }

    /// The owners that refer to `target` according to blocks, in ascending order.
    func owners(of target: ClassRow) -> [ClassRow] {
        let first = pairs.partitioningIndex { $0.target >= target }
        return pairs[first...].prefix { $0.target == target }.map(\.owner)
    }

    /// The owners of `target`, of which keys say `entered`: in ascending order, as those are.
    func owners(of target: ClassRow, entered: [ClassRow]) -> [ClassRow] {
        if isEmpty { return entered }
        return (entered.filter { targets(of: $0) == nil } + owners(of: target)).sorted()
    }
}
