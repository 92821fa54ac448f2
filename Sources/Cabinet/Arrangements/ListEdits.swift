/// What leads from one version of a list to the next, as a view of it applies that: first what leaves
/// and what moves goes, by the old indices, then what enters and what has moved comes, by the new
/// ones; all the others stay in their order.
struct ListEdits {
    /// One object that may stand at another index than one whose neighbours alone have changed.
    struct Touched {
        /// `nil`: it was not there.
        var old: Int?
        /// `nil`: it is not there.
        var new: Int?
        /// Whether its content is another.
        var isChanged = false
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

    /// - Parameter touched: all objects that are in one of the versions only, or that may have
    ///   moved against others. The rest stands in one order in both versions.
    init(_ touched: [Touched]) {
        let old = touched.compactMap(\.old).sorted()
        let new = touched.compactMap(\.new).sorted()
        var staying: [(old: Int, new: Int)] = []
        for object in touched {
            switch (object.old, object.new) {
            case (let from?, nil): deletions.append(from)
            case (nil, let to?): insertions.append(to)
            case (let from?, let to?):
                if object.isChanged { updates.append(to) }
                // How many of the rest it stands behind tells whether it has crossed one.
                if from - old.count(before: from) == to - new.count(before: to) {
                    staying.append((from, to))
                } else {
                    moves.append((from, to))
                }
            case (nil, nil): break
            }
        }
        let crossing = Self.moves(among: staying)
        let moved = Set(crossing.map(\.to))
        kept = staying.compactMap { moved.contains($0.new) ? nil : ($0.old, $0.new) }
        moves += crossing
        deletions.sort()
        insertions.sort()
        updates.sort()
        moves.sort { $0.to < $1.to }
    }

    /// Objects that stand in an unchanged part of the list have other content.
    mutating func add(updatesAt indices: [Int]) {
        if indices.isEmpty { return }
        updates = (updates + indices).sorted()
    }

    /// The fewest of `objects` whose move leaves the others in their order: all but a longest run of
    /// ascending new indices, in the order of the old ones.
    private static func moves(
        among objects: [(old: Int, new: Int)]
    ) -> [(from: Int, to: Int)] {
        if objects.count < 2 { return [] }
        let objects = objects.sorted { $0.old < $1.old }
        /// The last object of the best run of each length, and what comes before each object in its run.
        var (ends, previous): ([Int], [Int]) = ([], [])
        for (index, object) in objects.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if objects[ends[middle]].new < object.new {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            previous.append(low == 0 ? -1 : ends[low - 1])
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        if ends.count == objects.count { return [] }
        var stays = [Bool](repeating: false, count: objects.count)
        var index = ends.last ?? -1
        while index >= 0 {
            stays[index] = true
            index = previous[index]
        }
        return objects.indices.filter { !stays[$0] }.map { (objects[$0].old, objects[$0].new) }
    }
}

extension [Int] {
    /// How many of the numbers, which are in order, are less than one.
    fileprivate func count(before number: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
