import CabinetBackend

/// The lengths of texts by their rows, of an index whose postings have none: read as they are asked for.
/// Segments never change, so they are good as long as the index consists of the same ones.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
final class TextLengths {
    /// So many rows are read at once, and kept, as a number of 4 bytes each.
    private static let rowsOfChunk: UInt32 = 1 << 16
    /// So many chunks are kept: 16 MiB.
    private static let chunksLimit = 64

    /// The lengths of the rows of a chunk, 0 for a row without a text, by the numbers of the chunks.
    private var chunks: [UInt32: [UInt32]] = [:]

    /// The lengths of the texts of some rows, in their order.
    /// - Parameter rows: in ascending order.
    /// - Throws: a ``BackendError``; `DataBufferError` for entries that are none.
    func lengths(of rows: [UInt32], _ snapshot: TextSnapshot) throws -> [UInt32] {
        var lengths: [UInt32] = []
        lengths.reserveCapacity(rows.count)
        var place = 0
        while place < rows.count {
            let number = rows[place] / Self.rowsOfChunk
            let chunk = try chunk(number, snapshot)
            while place < rows.count, rows[place] / Self.rowsOfChunk == number {
                lengths.append(chunk[Int(rows[place] % Self.rowsOfChunk)])
                place += 1
            }
        }
        return lengths
    }

    private func chunk(_ number: UInt32, _ snapshot: TextSnapshot) throws -> [UInt32] {
        if let known = chunks[number] { return known }
        var chunk = [UInt32](repeating: 0, count: Int(Self.rowsOfChunk))
        for segment in snapshot.segments.map(\.number) {
            try read(number, of: segment, snapshot, into: &chunk)
        }
        if chunks.count == Self.chunksLimit { chunks.removeAll() }
        chunks[number] = chunk
        return chunk
    }

    /// Reads what one segment says of the rows of a chunk, but for those that do not count there.
    private func read(
        _ number: UInt32, of segment: UInt32, _ snapshot: TextSnapshot,
        into chunk: inout [UInt32]
    ) throws {
        let start = number * Self.rowsOfChunk
        let last = start + (Self.rowsOfChunk - 1)
        var stem = TextTerms.end.withUnsafeBytes { TextKeys.postings(of: $0) }
        TextKeys.append(segment, to: &stem)
        func key(_ row: UInt32) -> [UInt8] {
            var key = stem
            TextKeys.append(row, to: &key)
            return key
        }
        // A block may begin before the chunk.
        let end = key(last) + [0]
        let former = try snapshot.entries.lastKey(of: KeyRange(from: stem, to: key(start) + [0]))
        let range = KeyRange(from: former ?? key(start), to: end)
        let passed = snapshot.state.passed(in: segment) ?? []
        var place = passed.withUnsafeBufferPointer { $0.lowerBound(of: start) }
        var bytes: [UInt8] = []
        var rows = [UInt32](repeating: 0, count: PostingsBlock.limit)
        try snapshot.entries.forEach(range, first: 512) { key, value in
            guard let first = TextKeys.number(in: key, at: key.count - 4) else { return true }
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: value)
            bytes.appendPadding()
            let isBlock = bytes.withUnsafeBytes { bytes in
                rows.withUnsafeMutableBufferPointer { rows in
                    let own = UnsafeRawBufferPointer(rebasing: bytes[..<value.count])
                    guard let rows = rows.baseAddress,
                        let block = PostingsBlock(own, from: first, hasLengths: false),
                        !block.hasSeveral, block.copyRows(to: rows)
                    else { return false }
                    Self.set(block, rows, passed, &place, from: start, in: &chunk)
                    return true
                }
            }
            guard isBlock else { throw DataBufferError.invalidValue(type: "lengths", offset: 0) }
            return true
        }
    }

    /// Sets the lengths of the texts of a block, but for rows that do not count or are not in the chunk.
    /// - Parameters:
    ///   - rows: those of the block.
    ///   - passed: those that do not count, in ascending order.
    ///   - place: the first among these that may be in the block.
    ///   - start: the first row of the chunk.
    private static func set(
        _ block: PostingsBlock, _ rows: UnsafeMutablePointer<UInt32>, _ passed: [UInt32],
        _ place: inout Int, from start: UInt32, in chunk: inout [UInt32]
    ) {
        for index in 0..<block.count {
            let row = rows[index]
            // A row before the chunk wraps around.
            guard row &- start < rowsOfChunk else { continue }
            while place < passed.count, passed[place] < row { place &+= 1 }
            if place < passed.count, passed[place] == row { continue }
            chunk[Int(row &- start)] = block.onlyPosition(of: index)
        }
    }
}
