/// A stretch of keys in the order of their bytes, from `lower` on and before `upper`.
public struct KeyRange: Hashable, Sendable {
    /// The first key; `nil` for no limit.
    public var lower: [UInt8]?
    /// The key that follows the last one; `nil` for no limit.
    public var upper: [UInt8]?

    /// The keys from `lower` on and before `upper`; without either, every key.
    public init(from lower: [UInt8]? = nil, to upper: [UInt8]? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key.
    public static let everything = KeyRange()

    /// The keys that begin with `prefix`; with an empty one, every key.
    public init(prefix: [UInt8]) {
        lower = prefix.isEmpty ? nil : prefix
        var end = prefix
        while end.last == .max { end.removeLast() }
        if end.isEmpty {
            upper = nil
        } else {
            end[end.count - 1] += 1
            upper = end
        }
    }
}
