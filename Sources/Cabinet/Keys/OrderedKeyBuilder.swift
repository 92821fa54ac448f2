import CLibrary
import CabinetBackend
import CabinetTextSearch

/// Makes keys part by part, in memory that is used again for the next key.
///
/// ```swift
/// var builder = OrderedKeyBuilder()
/// for song in songs {
///     builder.removeAll()
///     builder.append(song.artist)
///     builder.append(song.year)
///     builder.withUnsafeBytes(row: song.row) { batch.put($0, ...) }
/// }
/// ```
///
/// Numbers, dates, UUIDs, data and ASCII texts are appended without allocating memory. `Decimal`
/// allocates some, and so may text that needs Unicode's normalization or case mapping. What lies behind the end of a cut key is neither stored nor, for long texts,
/// looked at.
///
/// `Sendable`, and not copyable, as it has memory of its own.
public struct OrderedKeyBuilder: ~Copyable {
    /// What a part of fixed length may write at once, once there was room for a byte.
    static let slack = 64

    private let memory: UnsafeMutablePointer<UInt8>
    /// The bytes so far; more than ``OrderedKey/longestWhole`` if some are missing.
    private var count = 0
    /// What the normalization of text uses from key to key.
    var normalizer = TextNormalizer()

    /// An empty builder, with 1.1 KiB of memory.
    public init() {
        memory = .allocate(capacity: OrderedKey.longestWhole + Self.slack)
    }

    deinit { memory.deallocate() }

    /// Whether bytes of the parts are missing: ``OrderedKey/isCut``.
    public var isCut: Bool { count > OrderedKey.longestWhole }
    /// How many bytes the key has without a row; at most 1,020.
    public var size: Int { min(count, OrderedKey.longestWhole + 1) }

    /// Takes all parts back and keeps the memory.
    public mutating func removeAll() { count = 0 }

    /// Takes back what was appended after the key had `size` bytes: for several keys that begin
    /// with the same parts.
    ///
    /// - Precondition: `size` is a ``size`` that the builder had between two parts since it was last
    ///   emptied, or less was taken back since.
    public mutating func removeParts(after size: Int) {
        precondition(
            0...self.size ~= size, "A key cannot be shortened to \(size) bytes.")
        count = size
    }

    /// The key of the parts so far.
    public var key: OrderedKey {
        mutating get { withUnsafeBytes { OrderedKey(bytes: Array($0)) } }
    }

    /// Calls `body` with the key's bytes, and with `row` behind them, big-endian, if there is one.
    /// They must not be used after it returns. The builder stays as it is.
    public mutating func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        row: RowID? = nil, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isCut { memory[OrderedKey.longestWhole] = OrderedKey.cutMark }
        var size = size
        if let row {
            UnsafeMutableRawPointer(memory + size).storeBytes(
                of: row.rawValue.bigEndian, as: UInt32.self)
            size += OrderedKey.rowSize
        }
        return try body(UnsafeRawBufferPointer(start: memory, count: size))
    }
}

// MARK: - Bytes

extension OrderedKeyBuilder {
    /// Whether more bytes of the parts still count. After `true`, `slack` bytes may be written.
    @inline(__always)
    var hasRoom: Bool { count <= OrderedKey.longestWhole }

    @inline(__always)
    mutating func appendByte(_ byte: UInt8) {
        guard hasRoom else { return }
        memory[count] = byte
        count &+= 1
    }

    /// Appends a tag and the low `length` bytes of `value`, the highest first.
    @inline(__always)
    mutating func append(tag: UInt8, _ value: UInt64, length: Int) {
        guard hasRoom else { return }
        memory[count] = tag
        let shifted = length == 0 ? 0 : value << UInt64(64 &- length &* 8)
        UnsafeMutableRawPointer(memory + (count &+ 1)).storeBytes(
            of: shifted.bigEndian, as: UInt64.self)
        count &+= 1 &+ length
    }

    /// Appends bytes as ``KeyEscape`` says, without their end.
    mutating func appendEscaped(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        var offset = 0
        while bytes.count &- offset >= 8, hasRoom {
            let word = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // Has a bit set if a byte is below 2 (Mycroft's test for zero bytes, for 2).
            if (word &- 0x0202_0202_0202_0202) & ~word & 0x8080_8080_8080_8080 != 0 {
                for index in offset..<offset &+ 8 { appendEscaped(bytes[index]) }
            } else {
                UnsafeMutableRawPointer(memory + count).storeBytes(of: word, as: UInt64.self)
                count &+= 8
            }
            offset &+= 8
        }
        while offset < bytes.count, hasRoom {
            appendEscaped(bytes[offset])
            offset &+= 1
        }
    }

    @inline(__always)
    mutating func appendEscaped(_ byte: UInt8) {
        guard hasRoom else { return }
        if byte > KeyEscape.escape {
            memory[count] = byte
            count &+= 1
        } else {
            memory[count] = KeyEscape.escape
            memory[count &+ 1] = byte == 0 ? KeyEscape.zero : KeyEscape.one
            count &+= 2
        }
    }

    /// Copies ASCII without bytes below 2, if all of it fits. `false`: nothing was appended.
    @inline(__always)
    mutating func appendPlain(_ bytes: UnsafeRawBufferPointer, lowercased: Bool) -> Bool {
        let length = bytes.count
        guard let start = bytes.baseAddress, count &+ length <= OrderedKey.longestWhole else {
            return length == 0
        }
        let target = UnsafeMutableRawPointer(memory + count)
        var all: UInt64 = 0
        if length >= 8 {
            var offset = 0
            while offset < length {
                // The last word may overlap the one before it.
                offset = min(offset, length &- 8)
                let word = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                all |= word | (word &- 0x0202_0202_0202_0202)
                target.storeBytes(
                    of: lowercased ? Self.lowercased(word) : word, toByteOffset: offset,
                    as: UInt64.self)
                offset &+= 8
            }
        } else {
            for offset in 0..<length {
                let word = UInt64(bytes[offset])
                all |= word | (word &- 2)
                target.storeBytes(
                    of: UInt8(truncatingIfNeeded: lowercased ? Self.lowercased(word) : word),
                    toByteOffset: offset, as: UInt8.self)
            }
        }
        guard all & 0x8080_8080_8080_8080 == 0 else { return false }
        count &+= length
        return true
    }

    /// Eight bytes of ASCII with `a` to `z` for `A` to `Z`.
    @inline(__always)
    private static func lowercased(_ word: UInt64) -> UInt64 {
        let fromA = word &+ 0x3F3F_3F3F_3F3F_3F3F
        let behindZ = word &+ 0x2525_2525_2525_2525
        return word | (fromA & ~behindZ & 0x8080_8080_8080_8080) >> 2
    }

    /// Appends a tag, escaped bytes and their end.
    mutating func append(tag: UInt8, _ bytes: UnsafeRawBufferPointer) {
        appendByte(tag)
        appendEscaped(bytes)
        appendByte(KeyEscape.end)
    }
}

// The memory belongs to one builder, which cannot be copied; the rest are values.
extension OrderedKeyBuilder: @unchecked Sendable {}

extension OrderedKeyBuilder {
    /// Whether the part that begins at `start` is `nil` or NaN.
    mutating func isNothing(at start: Int) -> Bool {
        withUnsafeBytes { bytes in
            guard start < bytes.count else { return false }
            switch bytes[start] {
            case KeyTag.absent: return true
            case KeyTag.float, KeyTag.date:
                guard start + 9 <= bytes.count else { return false }
                return bytes.loadUnaligned(fromByteOffset: start + 1, as: UInt64.self) == .max
            case KeyTag.decimal:
                guard start + 3 <= bytes.count else { return false }
                return bytes.loadUnaligned(fromByteOffset: start + 1, as: UInt16.self) == .max
            default: return false
            }
        }
    }
}
