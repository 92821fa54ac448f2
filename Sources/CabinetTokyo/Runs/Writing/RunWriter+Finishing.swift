import CabinetBackend

extension RunWriter {
    /// Ends the run, which is then that of the commits of `span`, and not yet durable.
    /// No further call but ``sync()`` is allowed.
    func finish(_ span: CommitSpan) throws(BackendError) -> RunFile {
        precondition(span.from < span.to, "a run is of one commit at least")
        try finishBlock()
        var header = header
        header.span = span
        let front = try BlockMemory(capacity: RunHeader.size, path: output.path)
        header.encode(to: front.base)
        footer.headerSum = UnsafeRawPointer(front.base).get(at: 60)
        try writeIndex(UnsafeRawPointer(front.base))
        let size = try output.finish(
            front: UnsafeRawBufferPointer(front.bytes(0..<RunHeader.size)))
        return RunFile(
            path: output.path, span: span, size: size, entries: footer.entries,
            deletes: footer.deletes, weight: footer.weight)
    }

    /// - Parameter front: the header.
    private func writeIndex(_ front: UnsafeRawPointer) throws(BackendError) {
        footer.entries = UInt64(entries)
        footer.deletes = UInt64(deletes)
        footer.keyBytes = UInt64(keyBytes)
        footer.valueBytes = UInt64(valueBytes)
        footer.blocks = UInt64(index.count)
        footer.indexOffset = output.offset
        var (bytes, common) = index.encoded(at: output.offset)
        footer.commonPrefix = UInt64(common)
        if let sealer {
            bytes = sealer.sealed(bytes, boundTo: footer.indexBinding(front, fileSum: fileSum))
        }
        footer.indexLength = UInt64(bytes.count)
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(BackendError) in
                footer.indexSum = bytes.checksum(in: fileSum, at: footer.indexOffset)
                try output.append(bytes)
            }
        }
        try result.get()
        try output.prepare(RunFooter.size)
        footer.encode(to: output.end, at: output.offset, fileSum: fileSum)
        output.take(RunFooter.size)
    }

    /// Returns when the run is on the device.
    func sync() throws(BackendError) { try output.sync() }

    /// Seals the block that is whole in the buffer, its sum included, where the store is sealed.
    func sealBlock() throws(BackendError) {
        guard let sealer, let piece else { return }
        let bytes = output.bytes(from: block.offset)
        let size = bytes.count + SealedPiece.overhead
        try piece.reserve(size, path: output.path)
        sealer.seal(bytes, binding, to: piece.base)
        output.takeBack(to: block.offset)
        try output.append(UnsafeRawBufferPointer(piece.bytes(0..<size)))
    }

    private var binding: SealBinding {
        header.identity.binding(number: header.number, offset: block.offset)
    }

    /// Seals a block that holds one large entry, and writes it.
    private func appendLarge(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, _ kind: UInt8,
        by sealer: any Sealer
    ) throws(BackendError) {
        let value = value ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let space = RunSlot.longestHead + key.count + value.count + RunBlock.trailer
        let plain = try BlockMemory(capacity: space, path: output.path)
        var end = RunSlot.writeHead(
            to: plain.base, shared: 0, rest: key.count, base: nil, valueCount: value.count,
            kind: kind)
        for part in [key, value] {
            guard let bytes = part.baseAddress else { continue }
            (plain.base + end).copyMemory(from: bytes, byteCount: part.count)
            end += part.count
        }
        plain.base.put(UInt64(0), at: end)
        end += 8
        let covered = UnsafeRawBufferPointer(plain.bytes(0..<end))
        plain.base.put(covered.checksum(in: fileSum, at: block.offset), at: end)
        end += 4
        let size = end + SealedPiece.overhead
        let piece = try BlockMemory(capacity: size, path: output.path)
        sealer.seal(UnsafeRawBufferPointer(plain.bytes(0..<end)), binding, to: piece.base)
        try output.append(UnsafeRawBufferPointer(piece.bytes(0..<size)))
        count(kind)
        try endBlock()
    }

    /// Writes a block that holds one large entry, part by part.
    func appendLarge(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, _ kind: UInt8
    ) throws(BackendError) {
        if let sealer { return try appendLarge(key, value, kind, by: sealer) }
        let head = RunSlot.writeHead(
            to: output.end, shared: 0, rest: key.count, base: nil,
            valueCount: value?.count ?? 0, kind: kind)
        output.take(head)
        var sum = output.bytes(from: block.offset).checksum(in: fileSum, at: block.offset)
        for part in [key, value ?? UnsafeRawBufferPointer(start: nil, count: 0)] {
            sum = part.checksum(from: sum)
            try output.append(part)
        }
        output.end.put(UInt64(0), at: 0)
        sum = UnsafeRawBufferPointer(start: output.end, count: 8).checksum(from: sum)
        output.end.put(sum, at: 8)
        output.take(RunBlock.trailer)
        count(kind)
        try endBlock()
    }
}
