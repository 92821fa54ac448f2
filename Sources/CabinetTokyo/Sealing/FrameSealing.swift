import CabinetBackend

// The bodies of chunks and commits are sealed, one by one, and the frame's sums are of what is sealed: so
// frames can be found, judged and copied without a key. Tables and sessions stand in the open.
extension FrameHeader {
    /// Whether the body is sealed in the log of a sealed store.
    var isOfSealedKind: Bool { kind == .chunk || kind == .commit }

    /// Calls `body` with what the frame's body is bound to: the store, and the header without what changes
    /// when recovery copies the frame to another segment, and without the length.
    fileprivate func withBinding<Result>(
        store: UInt64, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var fixed = self
        fixed.length = 0
        fixed.syncedCommit = 0
        fixed.offset = 0
        fixed.segment = 0
        fixed.chunkSum = 0
        return withUnsafeTemporaryAllocation(byteCount: Self.size, alignment: 8) { room in
            guard let base = room.baseAddress else { return body(UnsafeRawBufferPointer(room)) }
            fixed.write(to: base, store: store)
            return body(UnsafeRawBufferPointer(room))
        }
    }
}

extension Sealer {
    /// Seals the body of a frame.
    func seal(
        _ body: UnsafeRawBufferPointer, of header: FrameHeader, store: UInt64,
        to target: UnsafeMutableRawPointer
    ) {
        header.withBinding(store: store) { seal(body, boundTo: $0, to: target) }
    }

    /// The body of a frame, opened to `room`; `nil`: it is not what was sealed.
    func open(
        _ body: UnsafeRawBufferPointer, of header: FrameHeader, store: UInt64,
        in room: OpenedRecord
    ) -> UnsafeRawBufferPointer? {
        guard body.count >= SealedPiece.overhead else { return nil }
        room.reserve(body.count)
        guard let target = room.bytes.baseAddress,
            header.withBinding(store: store, { open(body, boundTo: $0, to: target) })
        else { return nil }
        return UnsafeRawBufferPointer(
            start: target, count: body.count - SealedPiece.overhead)
    }
}
