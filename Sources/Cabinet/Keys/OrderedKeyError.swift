/// Why a value cannot be read from the bytes of a key. Offsets are in bytes from its beginning.
///
/// `Sendable`: a value.
public enum OrderedKeyError: Error, Hashable, Sendable {
    /// The value needs `needed` bytes, but only `remaining` are left.
    case truncated(needed: Int, remaining: Int)
    /// The part at `offset` begins with `tag`, as none of `type` does.
    case unexpectedTag(UInt8, type: String, offset: Int)
    /// The bytes at `offset` stand for no value of `type`, or are not the form that it is written in.
    case invalidValue(type: String, offset: Int)
    /// The key is cut, and the value's part goes on behind its end. The object has the value.
    case cut
    /// `count` bytes are left behind the last value.
    case excess(count: Int)
}

extension OrderedKeyError: CustomStringConvertible {
    /// What is wrong with the key.
    public var description: String {
        switch self {
        case .truncated(let needed, let remaining):
            "The key ends too soon: \(needed) bytes are needed, \(remaining) are left."
        case .unexpectedTag(let tag, let type, let offset):
            "The part at byte \(offset) of the key begins with \(tag), so it is no \(type)."
        case .invalidValue(let type, let offset):
            "The bytes at \(offset) of the key stand for no \(type)."
        case .cut:
            "The key is cut: the value goes on behind its end."
        case .excess(let count):
            "The key has \(count) more bytes than its values."
        }
    }
}
