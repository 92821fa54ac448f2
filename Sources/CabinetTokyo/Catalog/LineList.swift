import CabinetBackend

/// The catalog's entry of the lines, under `lines`: for each line, the oldest first, its number and
/// the number of its first commit, UInt64 each, little-endian.
enum LineList {
    private static let entrySize = 16

    static func bytes(of lines: [CommitLine]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: lines.count * entrySize)
        bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            for (index, line) in lines.enumerated() {
                base.put(line.number, at: index * entrySize)
                base.put(line.first.rawValue, at: index * entrySize + 8)
            }
        }
        return bytes
    }

    /// `nil` if the bytes are no such entry.
    static func lines(from bytes: UnsafeRawBufferPointer) -> [CommitLine]? {
        guard bytes.count % entrySize == 0, let base = bytes.baseAddress else { return nil }
        var lines: [CommitLine] = []
        for offset in stride(from: 0, to: bytes.count, by: entrySize) {
            let line = CommitLine(
                number: base.get(at: offset), first: CommitNumber(base.get(at: offset + 8)))
            guard line.number != 0, line.first > lines.last?.first ?? 0 else { return nil }
            lines.append(line)
        }
        return lines
    }
}
