import CLibrary

extension DataBuffer {
    /// Appends the text's UTF-8 behind its byte count (UInt32, little-endian).
    ///
    /// The 2010 format wrote an absent text and an empty one alike; ``writeOptional(_:)`` tells
    /// them apart.
    @inlinable
    public final func writeString(_ text: borrowing String) {
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { utf8 in
            writeCounted(UnsafeRawBufferPointer(utf8))
        }
        if done == nil { writeForeign(copy text) }
    }

    /// A text whose storage is not UTF-8 (bridged on Apple's systems).
    @inline(never) @usableFromInline
    final func writeForeign(_ text: String) {
        var native = text
        native.withUTF8 { writeCounted(UnsafeRawBufferPointer($0)) }
    }

    /// Appends the bytes behind their count (UInt32, little-endian).
    @inlinable
    public final func writeBytes(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { writeCounted($0) }
    }

    /// Appends the bytes behind their count (UInt32, little-endian).
    @inlinable
    public final func writeCounted(_ bytes: UnsafeRawBufferPointer) {
        let length = bytes.count
        guard reserveBytes(4 &+ length) else { return }
        let number = UInt32(truncatingIfNeeded: length)
        (base + end).storeBytes(of: number.littleEndian, as: UInt32.self)
        if length > 0, let source = bytes.baseAddress {
            (base + (end &+ 4)).copyMemory(from: source, byteCount: length)
        }
        end &+= 4 &+ length
    }

    /// Reads a byte count and that much UTF-8.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)`` or
    ///   ``DataBufferError/invalidUTF8(offset:)``, without moving.
    @inlinable
    public final func readString() throws(DataBufferError) -> String {
        let bytes = try peekCounted()
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding replaces what is not UTF-8, so such text differs from its bytes.
        if !isShortASCII(bytes), !isSame(text, bytes) {
            throw .invalidUTF8(offset: position &+ 4)
        }
        cursor &+= 4 &+ bytes.count
        return text
    }

    /// Reads a byte count and that many bytes.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``, without moving.
    @inlinable
    public final func readBytes() throws(DataBufferError) -> [UInt8] {
        let bytes = try peekCounted()
        let copy = [UInt8](bytes)
        cursor &+= 4 &+ bytes.count
        return copy
    }

    /// Moves past a byte count and that many bytes, without looking at them.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``, without moving.
    @inlinable
    public final func skipCounted() throws(DataBufferError) {
        cursor &+= 4 &+ (try peekCounted().count)
    }

    /// The counted bytes ahead; does not move. They live as long as the buffer's content.
    @inlinable
    package final func peekCounted() throws(DataBufferError) -> UnsafeRawBufferPointer {
        try check(4)
        let length = Int(
            UInt32(littleEndian: (base + cursor).loadUnaligned(as: UInt32.self)))
        if end &- cursor &- 4 < length {
            throw .truncated(needed: 4 &+ length, remaining: end &- cursor)
        }
        return UnsafeRawBufferPointer(start: base + (cursor &+ 4), count: length)
    }

    /// Whether the bytes are so few that a look at them takes less than comparing, and all ASCII.
    @inlinable @inline(__always)
    final func isShortASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= 64 else { return false }
        var bits: UInt64 = 0
        var place = 0
        while place &+ 8 <= bytes.count {
            bits |= bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            place &+= 8
        }
        while place < bytes.count {
            bits |= UInt64(bytes[place])
            place &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    @inlinable @inline(__always)
    final func isSame(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let same = text.utf8.withContiguousStorageIfAvailable { utf8 in
            utf8.count == bytes.count
                && (bytes.count == 0
                    || memcmp(
                        utf8.baseAddress.unsafelyUnwrapped, bytes.baseAddress.unsafelyUnwrapped,
                        bytes.count) == 0)
        }
        return same ?? text.utf8.elementsEqual(bytes)
    }
}
