import CabinetBackend

/// What is left of one log segment: every frame that is whole, wherever it stands.
struct SegmentSalvage {
    let path: String
    let number: UInt64
    let reader: SegmentReader
    /// The frames of saves, in their order.
    private(set) var frames: [FrameHeader] = []
    /// Where frames stop, and where the next whole one begins, or the segment ends.
    private(set) var holes: [Range<UInt64>] = []
    /// What its frames say about the tables, in their order.
    private(set) var definitions: [(change: Change, commitNumber: CommitNumber)] = []
    private(set) var evidence = Evidence()

    enum Change {
        case table(TableState)
        case define(TableDefinition)
        case drop(TableNumber)
    }

    /// - Parameters:
    ///   - store: the number of the store, in case the segment cannot say it any more.
    ///   - limit: where it ends, as its successor says.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` if its store cannot be found out.
    init(
        files: any FileLayer, path: String, number: UInt64, store: UInt64?, limit: UInt64?,
        _ pace: Pace
    ) throws {
        self.path = path
        self.number = number
        let size = try files.status(of: path)?.size ?? 0
        let end = limit.map { min($0, size) } ?? size
        let sound = try Self.reader(files, path, number, store, end)
        guard sound != nil || store != nil else {
            throw BackendError.corrupt(path: path, offset: 0)
        }
        reader =
            try sound
            ?? SegmentReader(
                files: files, path: path,
                assuming: SegmentHeader(
                    store: store ?? 0, segment: number, firstCommit: 0, time: 0), limit: end)
        if sound == nil { holes.append(0..<UInt64(SegmentHeader.size)) }
        try readFrames(pace)
    }

    /// `nil` if the segment's header is damaged.
    private static func reader(
        _ files: any FileLayer, _ path: String, _ number: UInt64, _ store: UInt64?, _ end: UInt64
    ) throws(BackendError) -> SegmentReader? {
        do {
            return try SegmentReader(
                files: files, path: path, number: number, store: store, limit: end)
        } catch {
            if case .corrupt = error { return nil }
            throw error
        }
    }

    private mutating func readFrames(_ pace: Pace) throws {
        var offset = UInt64(SegmentHeader.size)
        while offset < reader.limit {
            try pace.check()
            if let frame = try reader.soundFrame(at: offset) {
                note(frame)
                pace.advance(frame.end - offset)
                offset = frame.end
                continue
            }
            let next = try reader.nextFrame(from: offset + 1)
            holes.append(offset..<(next ?? reader.limit))
            pace.advance((next ?? reader.limit) - offset)
            offset = next ?? reader.limit
        }
    }

    private mutating func note(_ frame: SegmentReader.Frame) {
        evidence.add(frame.header, isWhole: true)
        switch frame.header.kind {
        case .session: return
        case .tables:
            let buffer = DataBuffer()
            buffer.sizeLimit = .max
            buffer.borrow(frame.body)
            guard let states = try? TableList.read(from: buffer) else { return }
            for state in states { definitions.append((.table(state), frame.header.commitNumber)) }
        case .chunk, .commit:
            frames.append(frame.header)
            var operations = OperationReader(frame.body)
            while let operation = operations.next() {
                switch operation {
                case .define(let table):
                    definitions.append((.define(table), frame.header.commitNumber))
                case .drop(let table): definitions.append((.drop(table), frame.header.commitNumber))
                default: continue
                }
            }
        }
    }
}

extension SegmentReader {
    /// The frame at `offset`; `nil` also for one whose body is not what was sealed.
    func soundFrame(at offset: UInt64) throws(BackendError) -> Frame? {
        do {
            return try frame(at: offset)
        } catch {
            if case .corrupt = error { return nil }
            throw error
        }
    }

    /// Where the next whole frame begins at `start` or behind it; `nil` if there is none.
    func nextFrame(from start: UInt64) throws(BackendError) -> UInt64? {
        var position = start
        let first = UInt8(FrameHeader.magic & 0xFF)
        while position <= limit, limit - position >= UInt64(FrameHeader.size) {
            let length = min(limit - position, 1 << 20)
            guard let bytes = try window.bytes(at: position, length), let base = bytes.baseAddress
            else { return nil }
            let last = bytes.count - FrameHeader.size
            var candidate: Int?
            for index in 0...last where bytes[index] == first {
                let offset = position + UInt64(index)
                if FrameHeader.read(
                    base + index, store: header.store, segment: header.segment, offset: offset)
                    != nil
                {
                    candidate = index
                    break
                }
            }
            guard let candidate else {
                position += UInt64(last + 1)
                continue
            }
            let offset = position + UInt64(candidate)
            if try soundFrame(at: offset) != nil { return offset }
            position = offset + 1
        }
        return nil
    }
}
