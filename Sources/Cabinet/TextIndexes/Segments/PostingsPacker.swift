import CLibrary

/// Packs postings into a block, as ``PostingsBlock`` reads it, in memory that it uses again from block to
/// block.
///
/// Not `Sendable`: one thread at a time. It looks at no bounds: ``begin(_:length:frequency:)`` is called
/// for no posting beyond a full block.
///
/// A class: the compiler cannot build a struct that frees its memory for the thread sanitizer.
final class PostingsPacker {
    let hasLengths: Bool
    @exclusivity(unchecked) private(set) var count = 0
    /// The row of the first posting.
    @exclusivity(unchecked) private(set) var first: UInt32 = 0
    @exclusivity(unchecked) private var last: UInt32 = 0
    /// Of each posting the distance from the row before less one, then of each the length of its text, then
    /// of each the frequency less one.
    private let numbers: UnsafeMutablePointer<UInt32>
    /// First positions, and distances less one.
    @exclusivity(unchecked) private var positions = PlainList<UInt32>()
    @exclusivity(unchecked) private var bytes = PlainList<UInt8>()
    /// All bits that numbers of a kind have.
    @exclusivity(unchecked) private var bits:
        (gap: UInt32, length: UInt32, other: UInt32, position: UInt32) = (0, 0, 0, 1)

    init(hasLengths: Bool) {
        self.hasLengths = hasLengths
        numbers = .allocate(capacity: 3 * PostingsBlock.limit)
    }

    deinit {
        numbers.deallocate()
        positions.deallocate()
        bytes.deallocate()
    }

    /// Whether the block takes no further posting.
    var isFull: Bool {
        @inline(__always) get {
            count == PostingsBlock.limit || positions.count >= PostingsBlock.positionsLimit
        }
    }

    /// Begins a posting, of which `frequency` positions follow.
    @inline(__always)
    func begin(_ row: UInt32, length: UInt32, frequency: UInt32) {
        if count == 0 {
            first = row
        } else {
            let gap = row &- last &- 1
            numbers[count] = gap
            bits.gap |= gap
        }
        last = row
        if hasLengths {
            numbers[PostingsBlock.limit &+ count] = length
            bits.length |= length
        }
        numbers[2 &* PostingsBlock.limit &+ count] = frequency &- 1
        bits.other |= frequency &- 1
        count &+= 1
    }

    /// Adds a position of the posting that was begun last: the first one itself, of each further one the
    /// distance from the one before less one.
    @inline(__always)
    func append(_ position: UInt32) {
        positions.append(position)
        bits.position |= position
    }

    /// Adds a further position to the posting that was begun last, beside those that were said to follow.
    @inline(__always)
    func append(further distance: UInt32) {
        let place = 2 &* PostingsBlock.limit &+ count &- 1
        numbers[place] &+= 1
        bits.other |= numbers[place]
        append(distance)
    }

    /// Ends the block, which has a posting at least. Its bytes live until the next one is ended.
    func finish() -> UnsafeRawBufferPointer {
        let hasSeveral = bits.other > 0
        let (gap, length) = (Self.width(bits.gap), Self.width(bits.length))
        let (other, position) = (Self.width(bits.other), Self.width(bits.position))
        bytes.removeAll()
        bytes.append(
            UInt8(truncatingIfNeeded: count - 1) | (hasSeveral ? PostingsBlock.several : 0))
        if count > 1 { bytes.append(UInt8(gap)) }
        if hasLengths { bytes.append(UInt8(length)) }
        if hasSeveral { bytes.append(UInt8(other)) }
        bytes.append(UInt8(position))
        let head = bytes.count
        let all =
            (count - 1) * Int(gap) + count * Int(length + other) + positions.count * Int(position)
        bytes.append(uninitialized: (all + 7) / 8 + BitWriter.padding)
        var writer = BitWriter(at: bytes.base + head)
        for index in 1..<max(count, 1) { writer.append(numbers[index], width: gap) }
        let (lengths, others) = (numbers + PostingsBlock.limit, numbers + 2 * PostingsBlock.limit)
        if hasLengths { for index in 0..<count { writer.append(lengths[index], width: length) } }
        if hasSeveral { for index in 0..<count { writer.append(others[index], width: other) } }
        for index in 0..<positions.count { writer.append(positions[index], width: position) }
        writer.finish()
        count = 0
        positions.removeAll()
        bits = (0, 0, 0, 1)
        return UnsafeRawBufferPointer(start: bytes.base, count: head + (all + 7) / 8)
    }

    private static func width(_ bits: UInt32) -> UInt64 { UInt64(PackedNumbers.width(of: bits)) }
}
