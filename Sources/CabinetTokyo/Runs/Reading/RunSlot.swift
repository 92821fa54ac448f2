/// Where the parts of one entry lie in its block.
///
/// An entry is one byte, then what that byte says, then the bytes of the key that it does not share
/// with the *base*, then the value:
///
/// | bits | meaning |
/// |---|---|
/// | 0–3 | length of the rest of the key; 15: a number follows |
/// | 4 | the key is as long as the base; else the number of bytes shared with it follows |
/// | 5 | there is a value, and a number, its length, follows |
/// | 6–7 | 0 put, weight +1; 1 put, weight 0; 2 delete, weight −1 |
///
/// The base is the entry before; for the first entry of a group, the first of the block; and for
/// the first of a block, the empty key. Numbers are those of ``RunBytes/putNumber(_:at:)``.
struct RunSlot {
    /// How many bytes of the base the key begins with.
    var shared: Int
    /// How many bytes of the key follow, and where in the block.
    var rest: Int
    var restAt: Int
    var valueCount: Int
    var kind: UInt8

    var keyCount: Int { shared &+ rest }
    var valueAt: Int { restAt &+ rest }
    /// Where the next entry begins.
    var end: Int { restAt &+ rest &+ valueCount }
    var weight: Int { 1 &- Int(kind) }
    var isDelete: Bool { kind == Self.delete }

    static let putOver: UInt8 = 1
    static let delete: UInt8 = 2

    static let longRest: UInt8 = 15
    static let sameLength: UInt8 = 0x10
    static let hasValue: UInt8 = 0x20

    /// Reads the entry at `position`, which must end at `end` or before.
    ///
    /// - Parameter base: the length of the base.
    /// - Returns: `nil` if there is no such entry.
    @inline(__always)
    init?(_ block: UnsafeRawPointer, at position: Int, before end: Int, base: Int) {
        guard position < end else { return nil }
        let head = block.get(UInt8.self, at: position)
        if head & 0x30 == Self.sameLength, head & 15 != 15 {
            rest = Int(head & 15)
            shared = base &- rest
            restAt = position &+ 1
            valueCount = 0
            kind = head &>> 6
            guard shared >= 0, restAt &+ rest <= end, kind < 3 else { return nil }
        } else {
            guard let slot = Self.long(block, at: position, before: end, base: base) else {
                return nil
            }
            self = slot
        }
    }

    private static func long(
        _ block: UnsafeRawPointer, at position: Int, before end: Int, base: Int
    ) -> RunSlot? {
        let head = block.get(UInt8.self, at: position)
        var at = position &+ 1
        var rest = Int(head & 15)
        if rest == 15 {
            guard let number = RunBytes.number(block, at: &at, before: end) else { return nil }
            rest = number
        }
        var shared = base &- rest
        if head & sameLength == 0 {
            guard let number = RunBytes.number(block, at: &at, before: end) else { return nil }
            shared = number
        }
        var valueCount = 0
        if head & hasValue != 0 {
            guard let number = RunBytes.number(block, at: &at, before: end) else { return nil }
            valueCount = number
        }
        let kind = head &>> 6
        guard shared >= 0, shared <= base, rest <= end &- at,
            valueCount <= end &- at &- rest, kind < delete || kind == delete && valueCount == 0
        else { return nil }
        return RunSlot(shared: shared, rest: rest, restAt: at, valueCount: valueCount, kind: kind)
    }

    /// An entry of nothing.
    init() { self.init(shared: 0, rest: 0, restAt: 0, valueCount: 0, kind: 0) }

    private init(shared: Int, rest: Int, restAt: Int, valueCount: Int, kind: UInt8) {
        self.shared = shared
        self.rest = rest
        self.restAt = restAt
        self.valueCount = valueCount
        self.kind = kind
    }

    /// The most bytes that ``writeHead(to:shared:rest:base:valueCount:kind:)`` writes.
    static let longestHead = 1 + 3 * RunBytes.longestNumber

    /// Writes what precedes the rest of the key. Returns how many bytes that took.
    ///
    /// - Parameter base: the length of the base; `nil` for the first entry of a block.
    @inline(__always)
    static func writeHead(
        to bytes: UnsafeMutableRawPointer, shared: Int, rest: Int, base: Int?, valueCount: Int,
        kind: UInt8
    ) -> Int {
        var head = kind &<< 6
        var at = 1
        if rest < 15 {
            head |= UInt8(truncatingIfNeeded: rest)
        } else {
            head |= longRest
            at &+= RunBytes.putNumber(rest, at: bytes + at)
        }
        if let base, base == shared &+ rest {
            head |= sameLength
        } else {
            at &+= RunBytes.putNumber(shared, at: bytes + at)
        }
        if valueCount > 0 {
            head |= hasValue
            at &+= RunBytes.putNumber(valueCount, at: bytes + at)
        }
        bytes.put(head, at: 0)
        return at
    }
}
