import CLibrary
import CabinetBackend

/// The bytes of a text in a record, compared without making a text if both are ASCII. Swift
/// compares texts by the scalars of the normalization form C. Those of an ASCII text are its bytes;
/// a text with other scalars may equal an ASCII one all the same (the sign U+212A is `K`).
struct RecordText {
    /// What stands behind the byte count at `start`; `nil` if it has more than `room` bytes.
    @inline(__always)
    static func bytes(at start: UnsafeRawPointer, _ room: Int) -> UnsafeRawBufferPointer? {
        guard room >= 4 else { return nil }
        let count = Int(UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))
        return 4 + count <= room ? UnsafeRawBufferPointer(start: start + 4, count: count) : nil
    }

    /// Whether all bytes are below 128.
    @inline(__always)
    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        var high: UInt64 = 0
        while index + 8 <= bytes.count {
            high |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            high |= UInt64(bytes[index])
            index += 1
        }
        return high & 0x8080_8080_8080_8080 == 0
    }
}

/// A text that others are compared with.
final class ComparedText {
    let text: String
    private let bytes: [UInt8]
    private let isASCII: Bool

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
        isASCII = bytes.allSatisfy { $0 < 128 }
    }

    /// Whether the text of `other` equals this one, as `==` says.
    @inline(__always)
    func isEqual(_ other: UnsafeRawBufferPointer) -> Bool {
        if isASCII {
            if other.count == bytes.count, compare(other, bytes.count) == 0 { return true }
            if RecordText.isASCII(other) { return false }
        }
        return String(decoding: other, as: UTF8.self) == text
    }

    /// How the text of `other` compares with this one: below 0 if it is before.
    @inline(__always)
    func order(of other: UnsafeRawBufferPointer) -> Int {
        if isASCII, RecordText.isASCII(other) {
            let order = compare(other, min(other.count, bytes.count))
            return order == 0 ? other.count - bytes.count : order
        }
        return textOrder(String(decoding: other, as: UTF8.self), text)
    }

    /// How the first `count` bytes of `other` compare with this text's.
    @inline(__always)
    private func compare(_ other: UnsafeRawBufferPointer, _ count: Int) -> Int {
        guard count > 0, let base = other.baseAddress else { return 0 }
        return bytes.withUnsafeBytes { own in
            own.baseAddress.map { Int(memcmp(base, $0, count)) } ?? 0
        }
    }
}
