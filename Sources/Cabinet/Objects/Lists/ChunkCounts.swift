/// How many objects each chunk of a ``LongList`` holds, and where a position of the list lies.
///
/// The counts are summed in groups: a search passes some groups, and the chunks of one, so a list
/// of 100,000 objects is searched as fast as one of 10,000.
struct ChunkCounts {
    private static let groupSize = 32

    private var counts: [Int32] = []
    private var groups: [Int] = []

    subscript(index: Int) -> Int { Int(counts[index]) }

    mutating func append(_ count: Int) {
        if counts.count % Self.groupSize == 0 { groups.append(0) }
        counts.append(Int32(count))
        groups[groups.count - 1] += count
    }

    /// Chunk `index` holds `more` objects more, or fewer.
    @inline(__always)
    mutating func add(_ more: Int, at index: Int) {
        counts[index] += Int32(more)
        groups[index / Self.groupSize] += more
    }

    /// The second half of chunk `index`, `moved` objects, becomes a chunk of its own behind it.
    mutating func split(_ index: Int, moving moved: Int) {
        counts[index] -= Int32(moved)
        counts.insert(Int32(moved), at: index + 1)
        let old = counts
        (counts, groups) = ([], [])
        counts.reserveCapacity(old.count + 1)
        for count in old { append(Int(count)) }
    }

    func count(before index: Int) -> Int {
        let group = index / Self.groupSize
        return Self.sum(groups, 0, group) &+ Self.sum(counts, group &* Self.groupSize, index)
    }

    /// The sum of what stands from `start` up to `end`.
    @inline(__always)
    private static func sum<Number: FixedWidthInteger>(
        _ numbers: [Number], _ start: Int, _ end: Int
    ) -> Int {
        numbers.withUnsafeBufferPointer { numbers in
            precondition(start >= 0 && end <= numbers.count, "no chunk \(end)")
            var (sum, next) = (Number.zero, start)
            while next < end {
                sum &+= numbers[next]
                next &+= 1
            }
            return Int(sum)
        }
    }

    /// The chunk of `position`, which is less than the sum of all counts, and the offset in it.
    func find(_ position: Int) -> (chunk: Int, offset: Int) {
        let (group, rest) = Self.find(position, in: groups, from: 0)
        let (chunk, offset) = Self.find(Int32(rest), in: counts, from: group &* Self.groupSize)
        return (chunk, Int(offset))
    }

    @inline(__always)
    private static func find<Number: FixedWidthInteger>(
        _ position: Number, in numbers: [Number], from start: Int
    ) -> (index: Int, rest: Number) {
        numbers.withUnsafeBufferPointer { numbers in
            var (index, rest) = (start, position)
            while index < numbers.count, rest >= numbers[index] {
                rest &-= numbers[index]
                index &+= 1
            }
            return (index, rest)
        }
    }
}
