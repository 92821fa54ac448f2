/// Intervals of numbers, each of a live query: finds those in which a number lies in logarithmic time, and
/// what it finds.
///
/// Intervals by their lower ends, as a tree by halving, each node with the highest upper end below it (Cormen
/// et al., Interval trees). New ones wait beside it until they are some.
struct IntervalIndex {
    private struct Interval {
        let range: ClosedRange<UInt64>
        let member: LiveMember
    }

    private var sorted: [Interval] = []
    /// For the middle of each part that halving leaves, the highest upper end in the part.
    private var highest: [UInt64] = []
    private var added: [Interval] = []
    private var removed = 0
    private static var mostAdded: Int { 64 }

    mutating func insert(_ range: ClosedRange<UInt64>, _ member: LiveMember) {
        added.append(Interval(range: range, member: member))
    }

    /// The query of a member whose interval is here has gone.
    mutating func noteRemoval() {
        removed += 1
        if removed * 2 > sorted.count + added.count { settle() }
    }

    /// Calls `body` with the member of each interval in which `number` lies.
    mutating func find(_ number: UInt64, _ body: (LiveMember) -> Void) {
        if added.count > Self.mostAdded { settle() }
        for interval in added where interval.range.contains(number) { body(interval.member) }
        find(number, in: 0..<sorted.count, body)
    }

    private func find(_ number: UInt64, in part: Range<Int>, _ body: (LiveMember) -> Void) {
        var part = part
        while !part.isEmpty {
            let middle = (part.lowerBound + part.upperBound) / 2
            if highest[middle] < number { return }
            find(number, in: part.lowerBound..<middle, body)
            let interval = sorted[middle]
            if interval.range.lowerBound > number { return }
            if interval.range.upperBound >= number { body(interval.member) }
            part = middle + 1..<part.upperBound
        }
    }

    private mutating func settle() {
        sorted = (sorted + added).filter { !$0.member.isRemoved }
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
        (added, removed) = ([], 0)
        highest = [UInt64](repeating: 0, count: sorted.count)
        _ = setHighest(in: 0..<sorted.count)
    }

    private mutating func setHighest(in part: Range<Int>) -> UInt64 {
        if part.isEmpty { return 0 }
        let middle = (part.lowerBound + part.upperBound) / 2
        let found = max(
            sorted[middle].range.upperBound, setHighest(in: part.lowerBound..<middle),
            setHighest(in: middle + 1..<part.upperBound))
        highest[middle] = found
        return found
    }
}
