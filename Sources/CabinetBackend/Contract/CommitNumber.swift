/// The number of a commit: 1, 2, 3 … in the order of a store's commits.
@frozen
public struct CommitNumber: RawRepresentable, Hashable, Comparable, Strideable, Sendable, Codable {
    /// The number as files and frames hold it.
    public let rawValue: UInt64

    /// The commit of that number.
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The commit of that number.
    @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// No commit: 0, before the first one.
    @inlinable public static var none: CommitNumber { CommitNumber(0) }

    /// The highest number there is.
    @inlinable public static var max: CommitNumber { CommitNumber(UInt64.max) }

    /// The commit after this one. Traps at ``max``.
    @inlinable public var next: CommitNumber { CommitNumber(rawValue + 1) }

    /// The commit before this one. Traps at ``none``.
    @inlinable public var previous: CommitNumber { CommitNumber(rawValue - 1) }

    @inlinable public static func == (left: CommitNumber, right: CommitNumber) -> Bool {
        left.rawValue == right.rawValue
    }

    @inlinable public static func < (left: CommitNumber, right: CommitNumber) -> Bool {
        left.rawValue < right.rawValue
    }

    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// How many commits `other` is later, negative if it is earlier than this one. Traps if that is
    /// no `Int`.
    @inlinable public func distance(to other: CommitNumber) -> Int {
        rawValue.distance(to: other.rawValue)
    }

    /// The commit that many commits later. Traps if there is no such number.
    @inlinable public func advanced(by count: Int) -> CommitNumber {
        CommitNumber(rawValue.advanced(by: count))
    }
}

extension CommitNumber: ExpressibleByIntegerLiteral {
    @inlinable public init(integerLiteral value: UInt64) { rawValue = value }
}

extension CommitNumber: CustomStringConvertible {
    /// The number, in decimal.
    public var description: String { rawValue.description }
}
