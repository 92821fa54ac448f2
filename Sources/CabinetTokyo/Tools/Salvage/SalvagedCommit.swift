import CabinetBackend

/// The frames that are left of one save.
struct SalvagedCommit {
    let number: CommitNumber
    /// Whether all of its frames are left.
    let isWhole: Bool
    let frames: [(header: FrameHeader, reader: SegmentReader)]

    /// The saves behind `known`, in their order. Of those that stand in several segments the
    /// newest segment's counts: what stood there before was not acknowledged, or is the same.
    static func all(
        in segments: [SegmentSalvage], after known: CommitNumber, _ lost: inout [StoreFinding]
    ) -> [SalvagedCommit] {
        var locations: [CommitNumber: (segment: Int, frames: [FrameHeader])] = [:]
        for (index, segment) in segments.enumerated() {
            for frame in segment.frames where frame.commitNumber > known {
                if locations[frame.commitNumber]?.segment != index {
                    locations[frame.commitNumber] = (index, [])
                }
                locations[frame.commitNumber]?.frames.append(frame)
            }
        }
        let last =
            locations.filter { $0.value.frames.contains { $0.kind == .commit } }.keys.max() ?? 0
        var commits: [SalvagedCommit] = []
        for commitNumber in locations.keys.inOrder() where commitNumber <= last {
            guard let (index, frames) = locations[commitNumber] else { continue }
            let segment = segments[index]
            let end = frames.last { $0.kind == .commit }
            var parts: [UInt32: FrameHeader] = [:]
            for frame in frames where frame.kind == .chunk {
                if frame.chunks == 0 { parts = [:] }
                parts[frame.chunks] = frame
            }
            if let end { parts = parts.filter { $0.key < end.chunks } }
            let isWhole = end != nil && parts.count == Int(end?.chunks ?? 0)
            if !isWhole {
                lost.append(
                    StoreFinding(
                        .incompleteSave, path: segment.path, offset: frames.first?.offset,
                        saves: commitNumber...commitNumber))
            }
            let whole = parts.inOrder { $0.key < $1.key }.map(\.value) + (end.map { [$0] } ?? [])
            commits.append(
                SalvagedCommit(
                    number: commitNumber, isWhole: isWhole,
                    frames: whole.map { ($0, segment.reader) }))
        }
        return commits
    }

    /// In bytes of frames.
    var size: UInt64 { frames.reduce(0) { $0 + $1.header.frameSize } }

    func forEachOperation(_ body: (Operation) throws -> Void) throws {
        for frame in frames {
            guard let found = try frame.reader.frame(at: frame.header.offset) else {
                throw BackendError.corrupt(path: frame.reader.path, offset: frame.header.offset)
            }
            var operations = OperationReader(found.body)
            while let operation = operations.next() { try body(operation) }
        }
    }
}
