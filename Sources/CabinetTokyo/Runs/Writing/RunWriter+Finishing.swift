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
        try writeIndex()
        let size = try output.finish(
            front: UnsafeRawBufferPointer(front.bytes(0..<RunHeader.size)))
        return RunFile(
            path: output.path, span: span, size: size, entries: footer.entries,
            deletes: footer.deletes, weight: footer.weight)
    }

    private func writeIndex() throws(BackendError) {
        footer.entries = UInt64(entries)
        footer.deletes = UInt64(deletes)
        footer.keyBytes = UInt64(keyBytes)
        footer.valueBytes = UInt64(valueBytes)
        footer.blocks = UInt64(index.count)
        footer.indexOffset = output.offset
        let (bytes, common) = index.encoded(at: output.offset)
        footer.indexLength = UInt64(bytes.count)
        footer.commonPrefix = UInt64(common)
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

    /// Writes a block that holds one large entry, part by part.
    func appendLarge(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, _ kind: UInt8
    ) throws(BackendError) {
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
