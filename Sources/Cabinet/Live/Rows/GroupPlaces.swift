import CabinetBackend

/// Where the objects of an arrangement stand in a list of it: in the order of their keys, or group by group with
/// the last group first.
struct GroupPlaces {
    /// Which groups a list has.
    enum Grouping {
        case none, ascending, descending
    }

    private let isDescending: Bool
    /// What the keys of each group begin with, where its objects begin, and at the end how many there are.
    private let prefixes: [[UInt8]]
    private let starts: [Int]
    private var count: Int { starts[prefixes.count] }

    /// - Parameter groups: in the order of their keys; they are of no account unless groups descend.
    init<Key>(_ grouping: Grouping, _ groups: [ArrangedGroup<Key>]) {
        isDescending = grouping == .descending
        prefixes = isDescending ? groups.map(\.prefix) : []
        starts =
            isDescending ? groups.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) } : []
    }

    /// Where in the list the object stands that is at an index in the order of the keys.
    func place(of index: Int) -> Int {
        if !isDescending { return index }
        let group = starts.partitioningIndex { $0 > index } - 1
        guard prefixes.indices.contains(group) else { return index }
        return place(of: index, inGroup: group)
    }

    /// Before what an object comes to stand whose key, at an index in the order of the keys, is not in the list.
    func place(of index: Int, entering key: [UInt8]) -> Int {
        if !isDescending { return index }
        // The last group whose keys begin as this one or with less.
        let group = prefixes.partitioningIndex { key.lexicographicallyPrecedes($0) } - 1
        guard group >= 0, key.starts(with: prefixes[group]) else { return count - index }
        return place(of: index, inGroup: group)
    }

    private func place(of index: Int, inGroup group: Int) -> Int {
        count - starts[group + 1] + index - starts[group]
    }

    /// What stands in the order of the keys, in the order of the list.
    func inOrder(_ numbers: [UInt64]) -> [UInt64] {
        guard isDescending, numbers.count == count else { return numbers }
        return prefixes.indices.reversed().flatMap { numbers[starts[$0]..<starts[$0 + 1]] }
    }
}
