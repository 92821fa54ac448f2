import CZlib

/// Makes blocks smaller: raw deflate streams (RFC 1951), zlib's level 1.
///
/// Not `Sendable`: it belongs to one writer.
final class Deflater {
    /// Larger blocks are stored as they are, so that deflating takes no second large buffer.
    static let largestBlock = 64 << 20

    private let stream: UnsafeMutablePointer<z_stream>

    /// `nil` if there is no memory for the stream.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, 1, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Deflates `source` into `target` and gives the bytes used; `nil` if they do not suffice.
    func deflate(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard source.count <= Self.largestBlock, target.count <= Self.largestBlock,
            deflateReset(stream) == Z_OK
        else { return nil }
        stream.pointee.set(source, target)
        guard CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END else { return nil }
        return target.count - Int(stream.pointee.avail_out)
    }
}

/// Reads what a ``Deflater`` made, or what damage made of it.
///
/// Not `Sendable`: it belongs to one reader.
final class Inflater {
    /// No stream of deflate's grows beyond this many times its size.
    static let highestRatio: UInt64 = 1032

    private let stream: UnsafeMutablePointer<z_stream>

    /// `nil` if there is no memory for the stream.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(
            stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Whether all of `source` is one stream that fills `target` exactly.
    func inflate(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard source.count <= Deflater.largestBlock, target.count <= Deflater.largestBlock,
            inflateReset(stream) == Z_OK
        else { return false }
        stream.pointee.set(source, target)
        return CZlib.inflate(stream, Z_FINISH) == Z_STREAM_END
            && stream.pointee.avail_in == 0 && stream.pointee.avail_out == 0
    }
}

extension z_stream {
    /// Sets what is read next, and where what comes of it goes.
    fileprivate mutating func set(
        _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer
    ) {
        next_in = UnsafeMutablePointer(
            mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self))
        avail_in = UInt32(source.count)
        next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        avail_out = UInt32(target.count)
    }
}
