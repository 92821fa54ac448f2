import CabinetBackend

/// Collects the index of a run while its blocks are written. ``RunIndex`` has the format.
struct RunIndexBuilder {
    private var records: [UInt8] = []
    private var separators: [UInt8] = []
    private var starts: [Int] = []
    private var entries: UInt64 = 0
    private var weight: Int64 = 0

    var count: Int { starts.count }

    /// Begins a block; the first one's separator is empty.
    mutating func begin(_ separator: UnsafeRawBufferPointer) {
        starts.append(separators.count)
        separators.append(contentsOf: separator)
    }

    /// Ends the block that was begun last and is at `offset`.
    mutating func end(offset: UInt64, entries: Int, weight: Int, greatestWeight: Int) {
        append(offset, separator: starts[starts.count - 1], greatestWeight)
        self.entries += UInt64(entries)
        self.weight += Int64(weight)
    }

    private mutating func append(_ offset: UInt64, separator: Int, _ greatestWeight: Int) {
        records.append(littleEndian: offset)
        records.append(littleEndian: entries)
        records.append(littleEndian: weight)
        records.append(littleEndian: UInt64(separator))
        records.append(littleEndian: UInt64(greatestWeight))
    }

    /// The index, of blocks that end at `offset`, and how many bytes the separators share.
    func encoded(at offset: UInt64) -> (bytes: [UInt8], common: Int) {
        var builder = self
        builder.append(offset, separator: separators.count, 0)
        let ends = starts.dropFirst() + [separators.count]
        let common = commonPrefix
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * count + builder.records.count + separators.count)
        separators.withUnsafeBytes { separators in
            for (number, (start, end)) in zip(starts, ends).enumerated() {
                guard number > 0, let base = separators.baseAddress else {
                    bytes.append(littleEndian: UInt64(0))
                    continue
                }
                bytes.append(littleEndian: RunBytes.prefix(base, from: start + common, to: end))
            }
        }
        return (bytes + builder.records + separators, common)
    }

    /// Sorted separators have in common what the first and the last of them have.
    private var commonPrefix: Int {
        guard count > 1 else { return 0 }
        let first = separators[starts[1]..<(count > 2 ? starts[2] : separators.count)]
        let last = separators[starts[count - 1]...]
        return zip(first, last).prefix { $0 == $1 }.count
    }
}
