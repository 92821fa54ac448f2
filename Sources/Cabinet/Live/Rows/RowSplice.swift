import CabinetBackend

/// What leaves the rows of a list, and what enters them, by the indices before.
struct RowSplice {
    /// In ascending order.
    let removed: [Int]
    /// The numbers that enter, in their order, each before what stands at the index, which may be removed.
    let inserted: [(index: Int, number: UInt64)]

    var count: Int { removed.count + inserted.count }

    /// Where the number that enters in that place among all comes to stand.
    func newIndex(ofInserted place: Int) -> Int {
        let index = inserted[place].index
        return index - removed.partitioningIndex { $0 >= index } + place
    }

    /// Where a number comes to stand that stays.
    func newIndex(of index: Int) -> Int {
        index - removed.partitioningIndex { $0 >= index }
            + inserted.partitioningIndex { $0.index > index }
    }
}

extension RowTree {
    /// Cost: for each number logarithmic, but not more than for a new tree.
    mutating func apply(_ splice: RowSplice) {
        if splice.count > 64, splice.count * 8 > count { return rebuild(splice) }
        for index in splice.removed.reversed() { remove(at: index) }
        for (place, entry) in splice.inserted.enumerated() {
            insert(entry.number, at: splice.newIndex(ofInserted: place))
        }
    }

    private mutating func rebuild(_ splice: RowSplice) {
        var numbers: [UInt64] = []
        numbers.reserveCapacity(count + splice.inserted.count - splice.removed.count)
        var index = 0
        var (removed, inserted) = (splice.removed[...], splice.inserted[...])
        forEach(in: 0..<count) { number in
            while let entry = inserted.first, entry.index <= index {
                numbers.append(entry.number)
                inserted.removeFirst()
            }
            if removed.first == index { removed.removeFirst() } else { numbers.append(number) }
            index += 1
        }
        for entry in inserted { numbers.append(entry.number) }
        self = RowTree(numbers)
    }
}
