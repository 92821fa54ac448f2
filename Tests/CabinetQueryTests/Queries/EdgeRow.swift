import CabinetMemory
import Foundation
import TrustSupport

@testable import Cabinet

/// A type of values with those at the edges of their order.
protocol EdgeValue: Hashable, Comparable, Codable, OrderedKeyValue, QueryParameter, SendableMetatype
{
    /// The first one is the value that a new object has.
    static var edges: [Self] { get }
    static func random(_ random: inout SeededRandom) -> Self
    /// Whether it equals nothing in a unique index.
    var isNothing: Bool { get }
}

extension EdgeValue {
    var isNothing: Bool { false }
}

/// Whether a class of rows has indexes.
protocol EdgeIndexing: SendableMetatype {
    static var isIndexed: Bool { get }
}
enum Indexed: EdgeIndexing { static let isIndexed = true }
enum Scanned: EdgeIndexing { static let isIndexed = false }

final class EdgeRow<Value: EdgeValue, Kind: EdgeIndexing>: StoredObject {
    @Field var number = 0
    @Field var value = Value.edges[0]
    @Field var maybe: Value?

    override class var storageName: String { "\(Kind.self)\(Value.self)" }
    override class var indexes: [Index] {
        Kind.isIndexed
            ? [
                .ordered(\EdgeRow.value), .ordered(\EdgeRow.maybe),
                .ordered(\EdgeRow.value, \EdgeRow.number),
            ] : []
    }
}

final class UniqueEdge<Value: EdgeValue>: StoredObject {
    @Field var value = Value.edges[0]
    override class var storageName: String { "Unique\(Value.self)" }
    override class var indexes: [Index] { [.unique(\UniqueEdge.value)] }
}

extension EdgeValue where Self: FixedWidthInteger {
    static var edges: [Self] {
        [0, 1, .min, .max, .max - 1, .min + 1, Self.max / 2, (0 as Self) &- 1]
    }
    static func random(_ random: inout SeededRandom) -> Self {
        Self(truncatingIfNeeded: random.next() >> UInt64(random.below(64)))
    }
}
extension Int8: EdgeValue {}
extension Int64: EdgeValue {}
extension UInt64: EdgeValue {}
extension Int128: EdgeValue {}
extension UInt128: EdgeValue {}

extension Double: EdgeValue {
    static var edges: [Double] {
        [
            0, -0.0, .nan, -.nan, .signalingNaN, Double(nan: 0x123, signaling: false), .infinity,
            -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
            -.leastNonzeroMagnitude, .leastNormalMagnitude, 1, -1, 1.0.nextUp, 0x1p53, 0x1p64,
        ]
    }
    static func random(_ random: inout SeededRandom) -> Double { Double(bitPattern: random.next()) }
    var isNothing: Bool { isNaN }
}

extension Float: EdgeValue {
    static var edges: [Float] {
        [
            0, -0.0, .nan, -.nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude,
            -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1, -1, 0.1, 0x1p24,
        ]
    }
    static func random(_ random: inout SeededRandom) -> Float {
        Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
    }
    var isNothing: Bool { isNaN }
}

extension Date: EdgeValue {
    static var edges: [Date] {
        Double.edges.map { Date(timeIntervalSinceReferenceDate: $0) }
            + [.distantPast, .distantFuture, Date(timeIntervalSince1970: 0)]
    }
    static func random(_ random: inout SeededRandom) -> Date {
        Date(timeIntervalSinceReferenceDate: random.once(in: 2) ? .random(&random) : 1e6)
    }
    var isNothing: Bool { timeIntervalSinceReferenceDate.isNaN }
}

extension Decimal: EdgeValue {
    static var edges: [Decimal] {
        [
            0, -Decimal(0), .nan, Decimal(sign: .minus, exponent: 0, significand: .nan),
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastFiniteMagnitude,
            .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, 1, -1,
            Decimal(string: "1.10")!, Decimal(string: "1.1")!, Decimal(string: "-0.000001")!,
            Decimal(string: "340282366920938463463374607431768211455")!,
            Decimal(sign: .plus, exponent: 3, significand: 1), 1000,
        ]
    }
    static func random(_ random: inout SeededRandom) -> Decimal {
        let digits = Decimal(random.next() >> UInt64(random.below(64)))
        return Decimal(
            sign: random.once(in: 2) ? .minus : .plus, exponent: random.below(40) - 20,
            significand: digits)
    }
    var isNothing: Bool { isNaN }
}

extension String: EdgeValue {
    static let edges = [
        "", "\0", "\0\0", "\u{1}", "a", "A", "a\0", "e\u{301}", "é", "z", "\u{7F}",
        "\u{10FFFF}",
        "\u{FFFF}", "𝟘", "a\u{0301}\u{0323}", "a\u{0323}\u{0301}",
        String(repeating: "k", count: 1017), String(repeating: "k", count: 1018),
        String(repeating: "k", count: 1019), String(repeating: "k", count: 1020),
        String(repeating: "k", count: 1024), String(repeating: "k", count: 5000),
        String(repeating: "k", count: 5000) + "l", String(repeating: "\0", count: 600),
    ]
    static func random(_ random: inout SeededRandom) -> String {
        (0..<random.below(4)).map { _ in edges[random.below(16)] }.joined()
    }
}

extension UUID: EdgeValue {
    static var edges: [UUID] {
        [
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
            UUID(uuid: (255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            UUID(uuid: (127, 255, 255, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 255)),
        ]
    }
    static func random(_ random: inout SeededRandom) -> UUID {
        let (one, two) = (random.next(), random.next())
        return withUnsafeBytes(of: (one, two)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }
}
