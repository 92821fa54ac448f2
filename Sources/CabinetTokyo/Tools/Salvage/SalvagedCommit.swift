import CabinetBackend

/// The frames that are left of one save.
struct SalvagedCommit {
    let lsn: CommitNumber
    let frames: [(header: FrameHeader, reader: SegmentReader)]

    /// The saves behind `known`, in their order. Of those that stand in several segments the
    /// newest segment's counts: what stood there before was not acknowledged, or is the same.
    static func all(
        in segments: [SegmentSalvage], after known: CommitNumber, _ lost: inout [StoreFinding]
    ) -> [SalvagedCommit] {
        var places: [CommitNumber: (segment: Int, frames: [FrameHeader])] = [:]
        for (index, segment) in segments.enumerated() {
            for frame in segment.frames where frame.lsn > known {
                if places[frame.lsn]?.segment != index { places[frame.lsn] = (index, []) }
                places[frame.lsn]?.frames.append(frame)
            }
        }
        let last = places.filter { $0.value.frames.contains { $0.kind == .commit } }.keys.max() ?? 0
        var commits: [SalvagedCommit] = []
        for lsn in places.keys.sorted() where lsn <= last {
            guard let (index, frames) = places[lsn] else { continue }
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
                        saves: lsn...lsn))
            }
            let whole = parts.sorted { $0.key < $1.key }.map(\.value) + (end.map { [$0] } ?? [])
            commits.append(
                SalvagedCommit(lsn: lsn, frames: whole.map { ($0, segment.reader) }))
        }
        return commits
    }
}
