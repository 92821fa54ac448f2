/// Why bytes could not be read, or a value not be written.
///
/// A read that throws leaves the position where it was.
public enum DataBufferError: Error, Hashable, Sendable {
    /// The value needs `needed` bytes, but only `remaining` are left.
    case truncated(needed: Int, remaining: Int)
    /// The text that begins `offset` bytes into the buffer is not UTF-8.
    case invalidUTF8(offset: Int)
    /// A count of `count` elements cannot fit into the `remaining` bytes.
    case impossibleCount(count: UInt32, remaining: Int)
    /// The bytes at `offset` stand for no value of `type`.
    case invalidValue(type: String, offset: Int)
    /// A record would grow beyond `limit` bytes.
    case tooLarge(limit: Int)
    /// A value of `type` would not be encoded or decoded; `reason` is the coder's own word.
    case coding(type: String, reason: String)
}

extension DataBufferError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated(let needed, let remaining):
            "The record ends too soon: \(needed) bytes are needed, \(remaining) are left."
        case .invalidUTF8(let offset):
            "The text at byte \(offset) of the record is not UTF-8."
        case .impossibleCount(let count, let remaining):
            "The record claims \(count) elements in the \(remaining) bytes that are left."
        case .invalidValue(let type, let offset):
            "The bytes at \(offset) of the record stand for no \(type)."
        case .tooLarge(let limit):
            "The record is larger than \(limit) bytes."
        case .coding(let type, let reason):
            "A \(type) could not be encoded or decoded: \(reason)"
        }
    }
}
