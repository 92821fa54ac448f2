/// What leads from one version of a list to the next, as a view of it applies that: first what leaves
/// and what moves goes, by the old indices, then what enters and what has moved comes, by the new
/// ones; all the others stay in their order.
struct ListEdits {
    /// An object, and where it stands in a version.
    struct Placed {
        let index: Int
        /// Its number, below how often it stands before that.
        let number: UInt64
    }

    private(set) var deletions: [Int] = []
    private(set) var insertions: [Int] = []
    private(set) var moves: [(from: Int, to: Int)] = []
    private(set) var updates: [Int] = []
    /// Where those of the touched objects stood and stand that do not move.
    private(set) var kept: [(from: Int, to: Int)] = []

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }

    init() {}

    /// The number of an object without how often it stands before that.
    static func object(_ number: UInt64) -> UInt64 { number & 0xFF_FFFF_FFFF }

    /// Cost: that of sorting the given objects.
    /// - Parameters:
    ///   - old: the objects of the former version that are not in the next one or may have moved against
    ///     others, in their order. The rest stands in one order in both versions.
    ///   - new: those of the next version.
    ///   - changed: the objects whose content is another.
    init(from old: [Placed], to new: [Placed], changed: NumberSet) {
        var places = NumberTable(capacity: old.count)
        for (place, object) in old.enumerated() { places[object.number] = place }
        var isThere = [Bool](repeating: false, count: old.count)
        for (place, object) in new.enumerated() {
            guard let former = places[object.number] else {
                insertions.append(object.index)
                continue
            }
            isThere[former] = true
            if changed.contains(Self.object(object.number)) {
                updates.append(object.index)
            }
            let step = (from: old[former].index, to: object.index)
            // How many of the rest it stands behind tells whether it has crossed one.
            if step.from - former == step.to - place {
                kept.append(step)
            } else {
                moves.append(step)
            }
        }
        for (place, object) in old.enumerated() where !isThere[place] {
            deletions.append(object.index)
        }
        let stays = Self.stays(among: kept)
        if stays.isEmpty { return }
        for (place, step) in kept.enumerated() where !stays[place] { moves.append(step) }
        kept = kept.indices.filter { stays[$0] }.map { kept[$0] }
        moves.sort { $0.to < $1.to }
    }

    /// Objects that stand in an unchanged part of the list have other content.
    mutating func add(updatesAt indices: [Int]) {
        if indices.isEmpty { return }
        updates = (updates + indices).sorted()
    }

    /// Which of `steps`, which are in the order of the new indices, make a longest run of ascending old
    /// ones, so that the fewest others move; empty if all do.
    private static func stays(among steps: [(from: Int, to: Int)]) -> [Bool] {
        if zip(steps, steps.dropFirst()).allSatisfy({ $0.from < $1.from }) { return [] }
        var stays = [Bool](repeating: false, count: steps.count)
        for index in AscendingSequence.longest(of: steps.map(\.from)) { stays[index] = true }
        return stays
    }
}
