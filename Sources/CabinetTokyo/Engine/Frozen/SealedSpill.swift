import CabinetBackend

/// A ``NamelessFile`` whose bytes are sealed, in pieces of at most 16 KiB behind each other. Where they are
/// is known in memory alone.
///
/// `@unchecked Sendable`: all that changes is under the lock.
final class SealedSpill: SpillFile, @unchecked Sendable {
    private let file: NamelessFile
    private let sealer: any Sealer
    private let number = UInt64.random(in: 0...(.max))
    private let lock = Lock()
    private var pieces: [Piece] = []

    private static let longest = 16 << 10

    private struct Piece {
        /// Where its bytes are for who reads them.
        var start: UInt64
        var count: Int
        /// Where it is in the file.
        var place: UInt64

        var end: UInt64 { start + UInt64(count) }
        var size: Int { count + SealedPiece.overhead }
    }

    init(_ file: NamelessFile, _ sealer: any Sealer) {
        self.file = file
        self.sealer = sealer
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(BackendError) {
        let last = lock.withLock { pieces.last }
        var next = last.map { $0.place + UInt64($0.size) } ?? 0
        // What was written before a failure is written again.
        guard offset == last?.end ?? 0 else { throw .corrupt(path: "window", offset: offset) }
        var added: [Piece] = []
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.longest + SealedPiece.overhead, alignment: 16)
        defer { room.deallocate() }
        var done = 0
        while done < bytes.count, let target = room.baseAddress {
            let count = min(bytes.count - done, Self.longest)
            let piece = Piece(start: offset + UInt64(done), count: count, place: next)
            sealer.seal(
                UnsafeRawBufferPointer(rebasing: bytes[done..<done + count]), binding(piece),
                to: target)
            try file.write(UnsafeRawBufferPointer(rebasing: room[..<piece.size]), at: next)
            added.append(piece)
            next += UInt64(piece.size)
            done += count
        }
        lock.withLock { pieces += added }
    }

    func read(
        at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) {
        let end = offset + UInt64(bytes.count)
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 2 * Self.longest + SealedPiece.overhead, alignment: 16)
        defer { room.deallocate() }
        guard let opened = room.baseAddress else { return }
        let stored = UnsafeMutableRawBufferPointer(rebasing: room[Self.longest...])
        for piece in wanted(offset..<end) {
            let source = UnsafeMutableRawBufferPointer(rebasing: stored[..<piece.size])
            try file.read(at: piece.place, into: source)
            guard sealer.open(UnsafeRawBufferPointer(source), binding(piece), to: opened) else {
                throw .corrupt(path: "window", offset: piece.place)
            }
            let range = max(offset, piece.start)..<min(end, piece.end)
            guard let target = bytes.baseAddress else { return }
            (target + Int(range.lowerBound - offset)).copyMemory(
                from: opened + Int(range.lowerBound - piece.start), byteCount: range.count)
        }
    }

    private func binding(_ piece: Piece) -> SealBinding {
        SealBinding(.spilled, 0, number, piece.start, piece.place)
    }

    /// The pieces that have bytes of `range`, in their order.
    private func wanted(_ range: Range<UInt64>) -> [Piece] {
        lock.withLock {
            var (low, high) = (0, pieces.count)
            while low < high {
                let middle = (low + high) / 2
                if pieces[middle].end > range.lowerBound { high = middle } else { low = middle + 1 }
            }
            return Array(pieces[low...].prefix { $0.start < range.upperBound })
        }
    }
}

extension TokyoBackend {
    /// The file of the window, sealed if the store is.
    static func spillFile(
        in directory: String, _ files: any FileLayer
    ) throws(BackendError) -> any SpillFile {
        let file = try NamelessFile(in: directory, files)
        return files.sealer.map { SealedSpill(file, $0) } ?? file
    }
}
