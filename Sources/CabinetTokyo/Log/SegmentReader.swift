import CLibrary
import CabinetBackend

/// Reads the frames of one segment, believing none before it is checked.
package final class SegmentReader {
    package let path: String
    package let header: SegmentHeader
    /// Where the segment ends: as its successor says, or else with the file. A file that a power
    /// cut has left may be shorter: its frames then stop before the limit.
    package let limit: UInt64

    let window: ByteWindow
    private let sealer: (any Sealer)?
    /// Where the body of the latest frame was opened to.
    private lazy var opened = OpenedRecord()

    package struct Frame {
        package let header: FrameHeader
        /// The CRC behind the body.
        let bodySum: UInt32
        /// Until the next reading.
        package let body: UnsafeRawBufferPointer

        package var end: UInt64 { header.offset + header.frameSize }
    }

    /// Opens the segment. `store` is `nil` where the store's number is not known yet.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` for a header that is not the right one.
    package convenience init(
        files: any FileLayer, path: String, number: UInt64, store: UInt64?, limit: UInt64? = nil
    ) throws(BackendError) {
        try self.init(
            files: files, file: try files.open(path, for: .reading), number: number, store: store,
            limit: limit)
    }

    /// Reads a segment that is open already, whether it still has its name or not.
    init(
        files: any FileLayer, file: OpenFile, number: UInt64, store: UInt64?, limit: UInt64? = nil
    ) throws(BackendError) {
        path = file.path
        window = try ByteWindow(files: files, file: file)
        let head = try window.bytes(at: 0, min(window.size, UInt64(SegmentHeader.size)))
        header = try SegmentHeader(head ?? UnsafeRawBufferPointer(start: nil, count: 0), path: path)
        guard header.segment == number, store == nil || header.store == store else {
            throw .corrupt(path: path, offset: 0)
        }
        try files.checkSealing(header.isSealed, of: path)
        sealer = files.sealer
        self.limit = limit ?? window.size
    }

    /// Reads a segment whose own header is damaged, as if it were `header`.
    init(
        files: any FileLayer, path: String, assuming header: SegmentHeader, limit: UInt64
    ) throws(BackendError) {
        self.path = path
        self.header = header
        self.limit = limit
        sealer = files.sealer
        window = try ByteWindow(files: files, path: path)
    }

    /// The frame that begins at `offset`, whole and with right sums, or `nil`.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` also for a whole frame whose body is not what was
    ///   sealed.
    package func frame(at offset: UInt64) throws(BackendError) -> Frame? {
        guard let frame = try storedFrame(at: offset) else { return nil }
        guard let sealer, frame.header.isOfSealedKind else { return frame }
        guard
            let body = sealer.open(
                frame.body, of: frame.header, store: header.store, in: opened)
        else { throw .corrupt(path: path, offset: offset) }
        return Frame(header: frame.header, bodySum: frame.bodySum, body: body)
    }

    /// Likewise, with the body as it stands, which may be sealed.
    func storedFrame(at offset: UInt64) throws(BackendError) -> Frame? {
        guard let (header, sum) = try frameHeader(at: offset),
            header.frameSize <= limit - offset,
            let bytes = try window.bytes(
                at: offset + UInt64(FrameHeader.size), header.length + 4)
        else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
        guard let end = body.baseAddress.map({ $0 + body.count }) ?? bytes.baseAddress else {
            return nil
        }
        let bodySum = end.get(UInt32.self, at: 0)
        guard body.checksum(from: sum) == bodySum else { return nil }
        return Frame(header: header, bodySum: bodySum, body: body)
    }

    /// The header that stands at `offset`, with a right sum of its own, or `nil`.
    func header(at offset: UInt64) throws(BackendError) -> FrameHeader? {
        try frameHeader(at: offset)?.header
    }

    private func frameHeader(
        at offset: UInt64
    ) throws(BackendError) -> (header: FrameHeader, sum: UInt32)? {
        guard offset <= limit, limit - offset >= UInt64(FrameHeader.size),
            let bytes = try window.bytes(at: offset, UInt64(FrameHeader.size)),
            let base = bytes.baseAddress
        else { return nil }
        return FrameHeader.read(
            base, store: header.store, segment: header.segment, offset: offset)
    }

    /// What can still be learned from a bad frame at `offset` and the frames behind it: looks at
    /// every byte for the headers of frames. A header at `offset` itself stands before a body that
    /// is not there, as a kill in the midst of writing leaves it.
    package func evidence(from offset: UInt64) throws(BackendError) -> Evidence {
        var evidence = Evidence()
        var position = offset
        let limit = min(limit, window.size)
        let first = CInt(FrameHeader.magic & 0xFF)
        while position <= limit, limit - position >= UInt64(FrameHeader.size) {
            let length = min(limit - position, 1 << 20)
            guard let bytes = try window.bytes(at: position, length) else { break }
            var index = 0
            let last = bytes.count - FrameHeader.size
            while index <= last {
                guard let base = bytes.baseAddress,
                    let found = memchr(base + index, first, last + 1 - index)
                else { break }
                index = UnsafeRawPointer(found) - base
                if let (frame, _) = FrameHeader.read(
                    base + index, store: header.store, segment: header.segment,
                    offset: position + UInt64(index))
                {
                    let start = position + UInt64(index)
                    evidence.add(frame, isWhole: start > offset)
                }
                index += 1
            }
            position += UInt64(max(last, 0) + 1)
        }
        return evidence
    }
}

/// What frames say about commits that are not among them.
package struct Evidence {
    /// The highest number that was durable when one of the frames was written.
    package var syncedCommit: CommitNumber = 0
    /// The highest number of a commit frame.
    package var writtenCommit: CommitNumber = 0

    mutating func add(_ frame: FrameHeader, isWhole: Bool) {
        syncedCommit = max(syncedCommit, frame.syncedCommit)
        if isWhole, frame.kind == .commit { writtenCommit = max(writtenCommit, frame.commitNumber) }
    }
}
