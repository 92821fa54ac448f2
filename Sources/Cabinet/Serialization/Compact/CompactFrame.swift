/// Where a value is being encoded: a frame of a writer. Encoders and containers have nothing else.
struct CompactFrame {
    let writer: CompactWriter
    let index: UInt32
    let serial: UInt32

    var codingPath: [any CodingKey] { writer.path(to: Int(index)) }

    /// The writer, if the value is still being encoded, and none within it is.
    @inline(__always)
    func open() throws -> CompactWriter {
        guard writer.frames.count == Int(index) + 1, writer.frames[Int(index)].serial == serial
        else { throw misuse("a container was used while another value was being encoded") }
        return writer
    }

    /// The writer, behind the key.
    @inline(__always)
    func open<Key: CodingKey>(_ key: Key) throws -> CompactWriter {
        let writer = try open()
        let position = writer.scope.position(of: key.stringValue)
        writer.frames[Int(index)].key = position
        writer.writeNumber(UInt64(position))
        return writer
    }

    @inline(__always)
    func count() { writer.frames[Int(index)].count += 1 }

    /// Makes the value a container, or finds that it is one; `nil` for a value of another kind.
    func become(_ content: CompactWriter.Frame.Content) -> CompactFrame? {
        guard let writer = try? open() else { return nil }
        let current = writer.frames[Int(index)].content
        if current == content { return self }
        guard current == .none else { return nil }
        writer.frames[Int(index)].content = content
        if content != .single { writer.beginContainer(content) }
        return self
    }

    /// A container whose bytes are discarded, for a call that may not throw.
    func refused(_ reason: String) -> CompactFrame {
        if writer.scope.failure == nil { writer.scope.failure = misuse(reason) }
        return CompactWriter(writer.scope, path: codingPath).begin()
    }

    /// A container within this one, to be filled later.
    func nested(_ content: CompactWriter.Frame.Content) -> CompactFrame {
        guard let writer = try? open() else {
            return refused("a container was made while another value was being encoded")
        }
        let depth = writer.depth + writer.frames.count
        guard depth < CompactForm.encodingDepth else {
            return refused(writer.tooDeep.debugDescription)
        }
        let inner = CompactWriter(
            writer.scope, depth: depth, path: writer.path(to: writer.frames.count))
        writer.frames[Int(index)].pending.append((writer.buffer.count, inner))
        let position = inner.begin()
        return content == .none ? position : position.become(content) ?? position
    }

    private func misuse(_ reason: String) -> EncodingError {
        .invalidValue(
            reason, EncodingError.Context(codingPath: codingPath, debugDescription: reason))
    }
}
