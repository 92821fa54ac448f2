import CabinetBackend

/// The frames that are left of one save.
struct SalvagedCommit {
    let number: CommitNumber
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
            if end == nil || parts.count != Int(end?.chunks ?? 0) {
                lost.append(
                    StoreFinding(
                        .incompleteSave, path: segment.path, offset: frames.first?.offset,
                        saves: commitNumber...commitNumber))
            }
            let whole = parts.inOrder { $0.key < $1.key }.map(\.value) + (end.map { [$0] } ?? [])
            commits.append(
                SalvagedCommit(number: commitNumber, frames: whole.map { ($0, segment.reader) }))
        }
        return commits
    }
}
