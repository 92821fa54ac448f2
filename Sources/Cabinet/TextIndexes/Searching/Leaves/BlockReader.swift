import CabinetBackend

/// Memory in which one block of postings after the other is read.
final class BlockReader {
    // Unchecked: nothing that is called meanwhile comes back here.

    @exclusivity(unchecked) private var bytes = PlainList<UInt8>()
    private let rows = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingsBlock.limit)

    deinit {
        bytes.deallocate()
        rows.deallocate()
    }

    /// Calls `body` with a block of an index with lengths and its rows, of which those among `passed` are 0.
    /// - Throws: `DataBufferError` for bytes that are no block.
    @inline(__always)
    func read<Result>(
        _ value: UnsafeRawBufferPointer, from first: UInt32, passed: [UInt32],
        _ body: (PostingsBlock, UnsafeBufferPointer<UInt32>) -> Result
    ) throws(DataBufferError) -> Result {
        bytes.removeAllKeepingMemory()
        bytes.append(value)
        bytes.append(zeros: PackedNumbers.padding)
        let own = UnsafeRawBufferPointer(start: bytes.base, count: value.count)
        guard
            let block = PostingsBlock(own, from: first, hasLengths: true),
            block.copyRows(to: rows)
        else { throw DataBufferError.invalidValue(type: "postings", offset: 0) }
        if !passed.isEmpty { leaveOut(passed, block.count) }
        return body(block, UnsafeBufferPointer(start: rows, count: block.count))
    }

    private func leaveOut(_ passed: [UInt32], _ count: Int) {
        passed.withUnsafeBufferPointer { passed in
            var place = passed.lowerBound(of: rows[0])
            var index = 0
            let last = rows[count - 1]
            while place < passed.count, passed[place] <= last {
                while index < count, rows[index] < passed[place] { index += 1 }
                if index < count, rows[index] == passed[place] {
                    rows[index] = 0
                    index += 1
                }
                place += 1
            }
        }
    }
}
