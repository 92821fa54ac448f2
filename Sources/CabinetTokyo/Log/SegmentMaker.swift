import CabinetBackend

/// Makes segments. One gets its name only when all that stands at its head is durable, so a
/// segment that has its name is whole at its head or damaged.
struct SegmentMaker {
    let files: any FileLayer
    let paths: StorePaths

    /// A stretch of frames in an existing segment.
    struct Stretch {
        var segment: UInt64
        var start: UInt64
        var end: UInt64
    }

    /// Writes the head of a segment: header, tables, session, and copies of frames. Durable when
    /// it returns; after a throw there is no such segment, or one whose name may not last.
    /// - Returns: the file, and where its next frame begins.
    func make(
        _ header: SegmentHeader, tables: [TableState], session: SessionRecord?,
        copying stretches: [Stretch] = []
    ) throws(BackendError) -> (file: OpenFile, end: UInt64) {
        let end: UInt64
        do throws(BackendError) {
            end = try fill(header, tables, session, stretches)
            try files.rename(paths.newSegment, to: paths.segment(header.segment))
        } catch {
            // The device may have no room for what is no segment.
            try? files.remove(paths.newSegment)
            throw error
        }
        try files.syncDirectory(paths.log)
        // Opened again under its final name, so that errors name it.
        return (try files.open(paths.segment(header.segment), for: .writing), end)
    }

    /// Writes all that stands at the head of the segment, and syncs it. Returns where that ends.
    private func fill(
        _ header: SegmentHeader, _ tables: [TableState], _ session: SessionRecord?,
        _ stretches: [Stretch]
    ) throws(BackendError) -> UInt64 {
        let file = try files.open(paths.newSegment, for: .replacing)
        var offset = UInt64(SegmentHeader.size)
        var header = header
        header.isSealed = files.sealer != nil
        header.directory = try files.status(of: paths.root)?.inode ?? 0
        header.inode = try files.status(of: file).inode
        header.birth = file.birthTime
        try files.write(header.bytes(), to: file, at: 0)
        var frame = FrameHeader(
            kind: .tables, length: 0, commitNumber: header.firstCommit.previous,
            syncedCommit: header.syncedCommit,
            time: header.time, offset: offset, segment: header.segment)
        let buffer = DataBuffer()
        buffer.sizeLimit = .max
        TableList.write(tables, to: buffer)
        try write(&frame, buffer, header.store, to: file, at: &offset)
        if let session {
            buffer.removeAll()
            session.write(to: buffer)
            frame.kind = .session
            try write(&frame, buffer, header.store, to: file, at: &offset)
        }
        for stretch in stretches {
            try copy(stretch, header, to: file, at: &offset)
        }
        try files.sync(file)
        return offset
    }

    private func write(
        _ frame: inout FrameHeader, _ body: DataBuffer, _ store: UInt64, to file: OpenFile,
        at offset: inout UInt64
    ) throws(BackendError) {
        try body.withUnsafeBytes { bytes throws(BackendError) in
            _ = try write(&frame, bytes, store, to: file, at: &offset)
        }
    }

    /// Returns the body's sum.
    func write(
        _ frame: inout FrameHeader, _ body: UnsafeRawBufferPointer, _ store: UInt64,
        to file: OpenFile, at offset: inout UInt64
    ) throws(BackendError) -> UInt32 {
        frame.offset = offset
        frame.length = UInt64(body.count)
        let header = UnsafeMutableRawPointer.allocate(byteCount: FrameHeader.size, alignment: 8)
        defer { header.deallocate() }
        let sum = body.checksum(from: frame.write(to: header, store: store))
        let head = UnsafeRawBufferPointer(start: header, count: FrameHeader.size)
        let end = offset + UInt64(FrameHeader.size) + UInt64(body.count)
        try files.write(head, to: file, at: offset)
        try files.write(body, to: file, at: offset + UInt64(FrameHeader.size))
        try Swift.withUnsafeBytes(of: sum.littleEndian) { tail throws(BackendError) in
            try files.write(tail, to: file, at: end)
        }
        offset = end + UInt64(FrameHeader.trailerSize)
        return sum
    }

    /// Copies the frames of commits, each checked as it is read.
    private func copy(
        _ stretch: Stretch, _ header: SegmentHeader, to file: OpenFile, at offset: inout UInt64
    ) throws(BackendError) {
        let reader = try SegmentReader(
            files: files, path: paths.segment(stretch.segment), number: stretch.segment,
            store: header.store)
        var position = max(stretch.start, UInt64(SegmentHeader.size))
        var chunkSum: UInt32 = 0
        while position < stretch.end {
            guard let old = try reader.storedFrame(at: position) else {
                throw .corrupt(path: reader.path, offset: position)
            }
            position = old.end
            guard old.header.kind == .chunk || old.header.kind == .commit else { continue }
            var frame = old.header
            frame.segment = header.segment
            frame.syncedCommit = header.syncedCommit
            // A body's sum goes on from its header's, so both change, and the commit's with them.
            if frame.chunks == 0 { chunkSum = 0 }
            if frame.kind == .commit { frame.chunkSum = chunkSum }
            let sum = try write(&frame, old.body, header.store, to: file, at: &offset)
            if frame.kind == .chunk { chunkSum = ChunkSum.adding(sum, to: chunkSum) }
        }
    }
}
