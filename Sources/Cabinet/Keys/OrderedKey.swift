import CLibrary
import CabinetBackend
import CabinetTextSearch

/// One to many values as bytes whose order is the order of the values.
///
/// ```swift
/// OrderedKey("Coltrane", 1957) < OrderedKey("Coltrane", 1960)
/// ```
///
/// Each value becomes a *part*: a tag byte, then bytes that say where the part ends. No part of a
/// type is the beginning of another part of it, so keys of the same types compare as tuples do: by
/// the first part, then by the second. `nil` is the single byte 0, which no other part begins with.
/// The technique is that of FoundationDB's tuple layer (`design/tuple.md`); codes and escapes are
/// Cabinet's own.
///
/// Parts of together more than ``longestWhole`` bytes are cut there and marked with a byte 0xFF
/// (``isCut``). Of two values, the lesser one still has a key that is not greater, but equal keys may
/// then stand for different values: readers of a cut key compare the values themselves. Why: keys
/// that are not cut have at most ``longestWhole`` bytes, and none of them is the beginning of a cut
/// key's full form, as no part is the beginning of another. So a key and a cut key differ within
/// these bytes, where neither was changed, and two cut keys differ there or are equal.
///
/// `Sendable`: a value.
public struct OrderedKey: Hashable, Sendable {
    /// The most bytes of parts in a key that is not cut: 1,019. With the mark and a row, a key has
    /// 1,024, which every engine takes.
    public static let longestWhole = 1019
    /// The mark of a cut key, at the offset ``longestWhole``.
    static let cutMark: UInt8 = 0xFF
    /// How many bytes a row takes at the end of a key in an index.
    static let rowSize = 4

    /// The parts, and the mark if the key is cut; no row.
    public let bytes: [UInt8]

    /// The key with the bytes of another one. They are not looked at before they are read.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// The key of the given values, in this order.
    public init<each Value: OrderedKeyValue>(_ values: repeat each Value) {
        var builder = OrderedKeyBuilder()
        repeat builder.append(each values)
        self = builder.key
    }

    /// The key of one text under `collation`.
    public init(_ text: String, collation: Collation) {
        var builder = OrderedKeyBuilder()
        builder.append(text, collation: collation)
        self = builder.key
    }

    /// Whether the end of the parts is missing, so that other values may have an equal key.
    public var isCut: Bool { bytes.count > Self.longestWhole }

    /// The bytes with `row` behind them, big-endian, as an index has them: equal keys are in the
    /// order of their rows.
    public func bytes(withRow row: RowID) -> [UInt8] {
        bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: row.rawValue >> $0) }
    }

    /// The key and the row in an index's bytes; `nil` if these have fewer than 4 bytes.
    public init?(_ bytes: UnsafeRawBufferPointer, row: inout RowID) {
        guard let found = Self.row(of: bytes) else { return nil }
        row = found
        self.init(bytes: Array(bytes.dropLast(Self.rowSize)))
    }

    /// The row at the end of an index's bytes; `nil` if these have fewer than 4 bytes.
    public static func row(of bytes: UnsafeRawBufferPointer) -> RowID? {
        guard bytes.count >= rowSize else { return nil }
        let found = bytes.loadUnaligned(fromByteOffset: bytes.count - rowSize, as: UInt32.self)
        return RowID(UInt32(bigEndian: found))
    }
}

extension OrderedKey: Comparable {
    /// Compares the bytes, the shorter key first if it is the beginning of the other.
    public static func < (one: OrderedKey, other: OrderedKey) -> Bool {
        one.bytes.withUnsafeBytes { one in
            other.bytes.withUnsafeBytes { other in
                let count = min(one.count, other.count)
                guard count > 0, let left = one.baseAddress, let right = other.baseAddress else {
                    return one.count < other.count
                }
                let order = memcmp(left, right, count)
                return order != 0 ? order < 0 : one.count < other.count
            }
        }
    }
}

extension OrderedKey: CustomStringConvertible {
    /// The bytes as hexadecimal digits.
    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
