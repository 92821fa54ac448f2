import CabinetBackend

/// Merges two lists that were made from one, by element.
///
/// An element stands for one occurrence: the second one of the same value is another element. What
/// either side has removed goes, what either has added comes, and what one has moved stands where
/// that side has put it. Where both have moved an element, or have added different ones at one
/// place, mine stand after theirs or, of one element, where mine has it.
///
/// Elements that mine has moved are those outside a longest ascending sequence of their former
/// positions. Cost: in proportion to the lists' lengths, and a logarithm for that sequence.
struct ListMerge<Value: Hashable> {
    private struct Element: Hashable {
        let value: Value
        /// How many of the same value stand before it.
        let occurrence: Int
    }

    private let base: [Element]
    private let mine: [Element]
    private let theirs: [Element]

    init(base: [Value], mine: [Value], theirs: [Value]) {
        self.base = Self.elements(base)
        self.mine = Self.elements(mine)
        self.theirs = Self.elements(theirs)
    }

    private static func elements(_ values: [Value]) -> [Element] {
        var counts: [Value: Int] = [:]
        counts.reserveCapacity(values.count)
        return values.map { value in
            defer { counts[value, default: 0] += 1 }
            return Element(value: value, occurrence: counts[value, default: 0])
        }
    }

    var result: [Value] {
        let before = Set(base)
        let (here, there) = (Set(mine), Set(theirs))
        let moved = movedByMine
        func stays(_ element: Element) -> Bool {
            (here.contains(element) || !before.contains(element)) && !moved.contains(element)
        }
        // What mine has added or moved, behind the last element before it that stays.
        var first: [Element] = []
        var following: [Element: [Element]] = [:]
        var anchor: Element?
        for element in mine {
            if there.contains(element), stays(element) {
                anchor = element
            } else if there.contains(element) || !before.contains(element) {
                if let anchor {
                    following[anchor, default: []].append(element)
                } else {
                    first.append(element)
                }
            }
        }
        var result: [Value] = []
        result.reserveCapacity(theirs.count + mine.count)
        var waiting = first
        for element in theirs where stays(element) {
            // What theirs has added at the same place comes first.
            if before.contains(element) || here.contains(element) {
                result += waiting.map(\.value)
                waiting = following[element] ?? []
            }
            result.append(element.value)
        }
        return result + waiting.map(\.value)
    }

    /// The elements of all three lists that mine has put into another order than the base has.
    private var movedByMine: Set<Element> {
        let there = Set(theirs)
        var positions: [Element: Int] = [:]
        for (position, element) in base.enumerated() where there.contains(element) {
            positions[element] = position
        }
        let common = mine.filter { positions[$0] != nil }
        var isAscending = true
        var last = -1
        let former = common.map { element -> Int in
            let position = positions[element] ?? 0
            isAscending = isAscending && position > last
            last = position
            return position
        }
        if isAscending { return [] }
        var moved = Set(common)
        for index in AscendingSequence.longest(of: former) { moved.remove(common[index]) }
        return moved
    }
}

/// The longest ascending sequence within a list of different numbers: Schensted's algorithm (1961).
enum AscendingSequence {
    /// The positions of its members, in order.
    static func longest(of numbers: [Int]) -> [Int] {
        // Of the sequences of each length, the position of the end that is lowest.
        var ends: [Int] = []
        var predecessors = [Int](repeating: -1, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            let place = ends.partitioningIndex { numbers[$0] >= number }
            if place > 0 { predecessors[position] = ends[place - 1] }
            if place == ends.count { ends.append(position) } else { ends[place] = position }
        }
        var found: [Int] = []
        var next = ends.last ?? -1
        while next >= 0 {
            found.append(next)
            next = predecessors[next]
        }
        return found.reversed()
    }
}
