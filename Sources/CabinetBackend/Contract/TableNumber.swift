/// The number of a table, unique within its store. That of a record table, which IDs of objects have, is
/// never used again; of other tables see ``Backend/claim(_:)``.
@frozen
public struct TableNumber: RawRepresentable, Hashable, Comparable, Strideable, Sendable, Codable {
    /// The number as files and frames hold it.
    public let rawValue: UInt16

    /// The table of that number.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The table of that number.
    @inlinable public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The named table of what the store knows about itself. Always there.
    @inlinable public static var catalog: TableNumber { TableNumber(0) }

    /// The named table of the user's named buffers. Always there.
    @inlinable public static var namedBuffers: TableNumber { TableNumber(1) }

    /// The first number that ``Backend/reserveTable()`` gives out.
    @inlinable public static var firstFree: TableNumber { TableNumber(2) }

    /// The highest number there is.
    @inlinable public static var max: TableNumber { TableNumber(UInt16.max) }

    /// The table after this one. Traps at ``max``.
    @inlinable public var next: TableNumber { TableNumber(rawValue + 1) }

    /// The number as an index into arrays and pages.
    @inlinable public var index: Int { Int(rawValue) }

    @inlinable public static func == (left: TableNumber, right: TableNumber) -> Bool {
        left.rawValue == right.rawValue
    }

    @inlinable public static func < (left: TableNumber, right: TableNumber) -> Bool {
        left.rawValue < right.rawValue
    }

    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// How many tables `other` is further, negative if it comes before this one.
    @inlinable public func distance(to other: TableNumber) -> Int {
        rawValue.distance(to: other.rawValue)
    }

    /// The table that many numbers further. Traps if there is no such number.
    @inlinable public func advanced(by count: Int) -> TableNumber {
        TableNumber(rawValue.advanced(by: count))
    }
}

extension TableNumber: ExpressibleByIntegerLiteral {
    @inlinable public init(integerLiteral value: UInt16) { rawValue = value }
}

extension TableNumber: CustomStringConvertible {
    /// The number, in decimal.
    public var description: String { rawValue.description }
}
