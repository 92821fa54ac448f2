import CabinetBackend

/// Numbers of objects, each once.
struct NumberSet {
    /// In ascending order.
    let all: [UInt64]

    init(_ numbers: [UInt64] = []) {
        if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) {
            all = numbers
            return
        }
        var kept: [UInt64] = []
        for number in numbers.sorted() where kept.last != number { kept.append(number) }
        all = kept
    }

    var isEmpty: Bool { all.isEmpty }

    func contains(_ number: UInt64) -> Bool {
        let place = all.partitioningIndex { $0 >= number }
        return place < all.count && all[place] == number
    }
}
