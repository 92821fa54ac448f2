import CabinetBackend

/// Puts the frames of a segment together to commits, in their order.
package final class CommitReader {
    package enum Item {
        case tables([TableState])
        case session(SessionRecord)
        case commit(Commit)
    }

    /// One commit, whole. Valid until the next call of `next()`.
    package struct Commit {
        package let header: FrameHeader
        /// Where its chunk frames begin.
        let chunks: [UInt64]
        /// How many bytes its operations have.
        let size: UInt64
        fileprivate let reader: SegmentReader

        package var number: CommitNumber { header.commitNumber }
        /// Microseconds since 1970-01-01 00:00 UTC.
        package var time: UInt64 { header.time }
        package var author: UInt32 { header.author }
        /// Where the first of its frames begins.
        package var start: UInt64 { chunks.first ?? header.offset }

        /// Calls `body` with the operations of each chunk and then of the commit frame.
        func forEachBody(
            _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
        ) throws(BackendError) {
            try reader.forEachBody(at: chunks + [header.offset], body)
        }

        /// The same to be read later, from a file that stays open for that.
        var frames: CommitFrames {
            CommitFrames(
                files: reader.window.files, file: reader.window.file, header: reader.header,
                limit: reader.limit, offsets: chunks + [header.offset])
        }

        /// Calls `body` with every operation.
        package func forEachOperation(
            _ body: (Operation) throws(BackendError) -> Void
        ) throws(BackendError) {
            try forEachBody { bytes throws(BackendError) in
                var operations = OperationReader(bytes)
                while let operation = operations.next() { try body(operation) }
                guard !operations.isDamaged else {
                    throw .corrupt(path: reader.path, offset: header.offset)
                }
            }
        }

        /// The notes, in their order; nothing is read for a commit without any.
        package func notes() throws(BackendError) -> [LoggedNote] {
            guard header.flags.contains(.hasNotes) else { return [] }
            var notes: [LoggedNote] = []
            try forEachOperation { operation throws(BackendError) in
                guard case .note(let tag, let bytes) = operation else { return }
                notes.append(LoggedNote(tag: tag, bytes: Array(bytes)))
            }
            return notes
        }
    }

    let reader: SegmentReader
    /// The last commit read, or the one before the segment's first.
    private(set) var lastCommit: CommitNumber
    /// Where the next frame would begin.
    package private(set) var offset = UInt64(SegmentHeader.size)
    /// Where the last frame ended that counts: chunks without a commit do not.
    package private(set) var goodEnd = UInt64(SegmentHeader.size)
    /// What all frames read so far say is durable.
    private(set) var syncedCommit: CommitNumber

    private var chunks: [UInt64] = []
    private var chunkSum: UInt32 = 0
    private var chunkSize: UInt64 = 0

    package init(_ reader: SegmentReader) {
        self.reader = reader
        lastCommit = CommitNumber(reader.header.firstCommit.rawValue &- 1)
        syncedCommit = reader.header.syncedCommit
    }

    /// Begins at `offset`, where the frames of the commit `commitNumber` end.
    init(_ reader: SegmentReader, at offset: UInt64, after commitNumber: CommitNumber) {
        self.reader = reader
        self.offset = offset
        goodEnd = offset
        lastCommit = commitNumber
        syncedCommit = reader.header.syncedCommit
    }

    /// Whether frames were read up to the segment's end.
    package var isAtLimit: Bool { offset == reader.limit }

    /// The next item. `nil` where the frames end: at the limit, or before one that is not whole
    /// or does not follow from those before it.
    package func next() throws(BackendError) -> Item? {
        while let frame = try reader.storedFrame(at: offset) {
            let header = frame.header
            switch header.kind {
            case .chunk:
                guard isNext(header.commitNumber) else { return nil }
                if header.chunks == 0 { forgetChunks() }
                guard chunks.count == Int(header.chunks) else { return nil }
                chunks.append(header.offset)
                chunkSize += header.length
                chunkSum = ChunkSum.adding(frame.bodySum, to: chunkSum)
                pass(frame)
            case .tables, .session:
                guard header.commitNumber == lastCommit else { return nil }
                let item = try content(of: frame)
                chunks = []
                pass(frame)
                goodEnd = offset
                return item
            case .commit:
                guard isNext(header.commitNumber) else { return nil }
                if header.chunks == 0 { forgetChunks() }
                guard chunks.count == Int(header.chunks), chunkSum == header.chunkSum else {
                    return nil
                }
                let commit = Commit(
                    header: header, chunks: chunks, size: chunkSize + header.length, reader: reader)
                forgetChunks()
                lastCommit = header.commitNumber
                pass(frame)
                goodEnd = offset
                return .commit(commit)
            }
        }
        return nil
    }

    private func forgetChunks() {
        chunks = []
        chunkSum = 0
        chunkSize = 0
    }

    /// Goes on behind the commit `commitNumber`, or to the limit. Reads only the headers of frames:
    /// what the bodies hold is not checked.
    /// - Returns: `false` before a header that is none, or does not follow from those before it.
    func pass(upTo commitNumber: CommitNumber) throws(BackendError) -> Bool {
        while lastCommit < commitNumber, offset < reader.limit {
            guard let header = try reader.header(at: offset),
                header.frameSize <= reader.limit - offset
            else { return false }
            switch header.kind {
            case .tables, .session: guard header.commitNumber == lastCommit else { return false }
            case .chunk: guard isNext(header.commitNumber) else { return false }
            case .commit:
                guard isNext(header.commitNumber) else { return false }
                lastCommit = header.commitNumber
            }
            offset += header.frameSize
            syncedCommit = max(syncedCommit, header.syncedCommit)
            if header.kind != .chunk { goodEnd = offset }
        }
        return true
    }

    /// Whether `commitNumber` comes after the last commit's number, behind the highest of which
    /// there is none.
    private func isNext(_ commitNumber: CommitNumber) -> Bool {
        commitNumber > lastCommit && commitNumber.previous == lastCommit
    }

    private func pass(_ frame: SegmentReader.Frame) {
        offset = frame.end
        syncedCommit = max(syncedCommit, frame.header.syncedCommit)
    }

    private func content(of frame: SegmentReader.Frame) throws(BackendError) -> Item {
        let buffer = DataBuffer()
        buffer.sizeLimit = .max
        buffer.borrow(frame.body)
        do {
            return frame.header.kind == .tables
                ? .tables(try TableList.read(from: buffer))
                : .session(try SessionRecord(from: buffer))
        } catch {
            throw .corrupt(path: reader.path, offset: frame.header.offset)
        }
    }
}

/// The frames of a commit, to be read at any time. `Sendable`: a value.
package struct CommitFrames: ChangePieces {
    let files: any FileLayer
    let file: OpenFile
    let header: SegmentHeader
    let limit: UInt64
    let offsets: [UInt64]

    package func forEachPiece(
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError) {
        try SegmentReader(
            files: files, file: file, number: header.segment, store: header.store, limit: limit
        ).forEachBody(at: offsets, body)
    }

    package func withBytes(
        _ range: Range<Int>, ofPiece number: Int,
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError) -> Bool {
        guard offsets.indices.contains(number) else { return false }
        let start = offsets[number] + UInt64(FrameHeader.size + range.lowerBound)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 8)
        defer { bytes.deallocate() }
        guard try files.read(file, at: start, into: bytes) == range.count else { return false }
        try body(UnsafeRawBufferPointer(bytes))
        return true
    }
}

extension SegmentReader {
    /// Calls `body` with the body of each frame.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` where there is none.
    fileprivate func forEachBody(
        at offsets: [UInt64], _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError) {
        for offset in offsets {
            guard let frame = try frame(at: offset) else {
                throw .corrupt(path: path, offset: offset)
            }
            try body(frame.body)
        }
    }
}

/// The sum of a commit's chunks: CRC-32C over their body CRCs, 4 bytes each.
enum ChunkSum {
    static func adding(_ bodySum: UInt32, to sum: UInt32) -> UInt32 {
        withUnsafeBytes(of: bodySum.littleEndian) { $0.checksum(from: sum) }
    }
}
