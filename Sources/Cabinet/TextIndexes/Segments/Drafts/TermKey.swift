/// A term as a key of a dictionary, in the order of its bytes.
///
/// Most terms have up to 7 bytes: these are one number, without memory of their own. `Sendable`: a value.
struct TermKey: Hashable, Comparable, Sendable {
    /// So many bytes are in the number.
    private static let short = 7

    /// The first 7 bytes, the first one highest, 0 for bytes behind the end; below them how many bytes a short term
    /// has, 255 for a longer one.
    private let head: UInt64
    /// The bytes behind those of ``head``.
    private let rest: [UInt8]

    init(_ term: UnsafeRawBufferPointer) {
        var head: UInt64 = 0
        for index in 0..<min(term.count, Self.short) {
            head |= UInt64(term[index]) << UInt64(56 - 8 * index)
        }
        let isShort = term.count <= Self.short
        self.head = head | (isShort ? UInt64(term.count) : 0xFF)
        rest = isShort ? [] : Array(term[Self.short...])
    }

    /// The term of `count` bytes, at most 7, the highest ones of `bytes`. All others are 0.
    @inline(__always)
    init(short bytes: UInt64, count: Int) {
        head = bytes | UInt64(count)
        rest = []
    }

    /// How many bytes the term has.
    var count: Int {
        let count = Int(head & 0xFF)
        return count < 0xFF ? count : Self.short + rest.count
    }

    /// How many bytes of memory it takes, as a key of a dictionary and in a list.
    var size: Int { rest.isEmpty ? 64 : 96 + rest.count }

    static func < (one: TermKey, other: TermKey) -> Bool {
        one.head == other.head
            ? one.rest.lexicographicallyPrecedes(other.rest) : one.head < other.head
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        try withUnsafeBytes(of: head.bigEndian) { head in
            if rest.isEmpty { return try body(UnsafeRawBufferPointer(rebasing: head[..<count])) }
            try (Array(head[..<Self.short]) + rest).withUnsafeBytes(body)
        }
    }
}
