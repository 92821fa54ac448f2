import CabinetBackend

extension SegmentMaker {
    /// Writes a segment to which nothing more is appended anew, in its place, with what is sealed in it sealed by the
    /// newest key. Each frame stays where it is. Those who have the file open go on reading the former one.
    ///
    /// - Parameter limit: where the segment ends, as its successor says.
    func reseal(
        _ number: UInt64, upTo limit: UInt64?, _ store: UInt64, by sealer: any Sealer
    ) throws(BackendError) {
        let path = paths.segment(number)
        let reader = try SegmentReader(
            files: files, path: path, number: number, store: store, limit: limit)
        // Not the name that a save gives a new segment.
        let aside = path + ".new"
        do throws(BackendError) {
            let file = try files.open(aside, for: .replacing)
            try files.write(reader.header.bytes(), to: file, at: 0)
            var offset = UInt64(SegmentHeader.size)
            let room = OpenedRecord()
            var chunkSum: UInt32 = 0
            while offset < reader.limit {
                guard let old = try reader.frame(at: offset) else {
                    throw .corrupt(path: path, offset: offset)
                }
                var (frame, body) = (old.header, old.body)
                if frame.isOfSealedKind {
                    room.reserve(body.count + SealedPiece.overhead)
                    if let base = room.bytes.baseAddress {
                        sealer.seal(body, of: frame, store: store, to: base)
                        body = UnsafeRawBufferPointer(
                            start: base, count: body.count + SealedPiece.overhead)
                    }
                    if frame.chunks == 0 { chunkSum = 0 }
                    if frame.kind == .commit { frame.chunkSum = chunkSum }
                }
                let sum = try write(&frame, body, store, to: file, at: &offset)
                if frame.kind == .chunk { chunkSum = ChunkSum.adding(sum, to: chunkSum) }
            }
            try files.sync(file)
            try files.rename(aside, to: path)
            try files.syncDirectory(paths.log)
        } catch {
            try? files.remove(aside)
            throw error
        }
    }
}
