/// The number of a row, unique within its table and never used again once saved.
///
/// Rows begin at ``first``. 4,294,967,295 is never given out.
@frozen
public struct RowID: RawRepresentable, Hashable, Comparable, Strideable, Sendable, Codable {
    /// The number as files and frames hold it.
    public let rawValue: UInt32

    /// The row of that number.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The row of that number.
    @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// No row: 0, which no table has.
    @inlinable public static var none: RowID { RowID(0) }

    /// The row that a new table gives out first: 1 was BNRPersistence's metadata record.
    @inlinable public static var first: RowID { RowID(2) }

    /// The highest number there is, which is never given out.
    @inlinable public static var max: RowID { RowID(UInt32.max) }

    /// The row after this one. Traps at ``max``.
    @inlinable public var next: RowID { RowID(rawValue + 1) }

    /// The row before this one. Traps at ``none``.
    @inlinable public var previous: RowID { RowID(rawValue - 1) }

    /// The number as an index into arrays and pages.
    @inlinable public var index: Int { Int(rawValue) }

    @inlinable public static func == (left: RowID, right: RowID) -> Bool {
        left.rawValue == right.rawValue
    }

    @inlinable public static func < (left: RowID, right: RowID) -> Bool {
        left.rawValue < right.rawValue
    }

    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// How many rows `other` is further, negative if it comes before this one.
    @inlinable public func distance(to other: RowID) -> Int {
        rawValue.distance(to: other.rawValue)
    }

    /// The row that many rows further. Traps if there is no such number.
    @inlinable public func advanced(by count: Int) -> RowID {
        RowID(rawValue.advanced(by: count))
    }
}

extension RowID: ExpressibleByIntegerLiteral {
    @inlinable public init(integerLiteral value: UInt32) { rawValue = value }
}

extension RowID: CustomStringConvertible {
    /// The number, in decimal.
    public var description: String { rawValue.description }
}
