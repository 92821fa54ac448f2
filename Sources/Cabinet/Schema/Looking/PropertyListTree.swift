import CabinetBackend
import Foundation

/// Reads binary property lists, as ``DataBuffer/writeCodable(_:)`` writes them, without knowing
/// the type that they stand for.
///
/// Lists that lead back into themselves, that are nested deep or unfold into very much are refused.
struct PropertyListTree {
    /// Containers within containers.
    private static let depthLimit = 64

    private(set) var room: Int
    /// Whether a list was refused because it holds more values than that.
    private(set) var isExhausted = false

    init(limit: Int) { room = limit }

    /// The value in `bytes`; `nil` if there is none, or too much.
    mutating func read(_ bytes: Data) -> FieldValue? {
        // Other forms of property lists are never written.
        guard bytes.starts(with: Data("bplist00".utf8)) else { return nil }
        let budget = Budget(room)
        let decoder = PropertyListDecoder()
        decoder.userInfo[Budget.key] = budget
        // What is written is wrapped into an array, as a list's top must be a container.
        let list = try? decoder.decode([Node].self, from: bytes)
        room = max(budget.left, 0)
        isExhausted = budget.left < 0
        return list?.first?.value
    }

    /// How many values may be made. `Sendable`: guarded.
    private final class Budget: Sendable {
        static let key = CodingUserInfoKey(rawValue: "budget")!
        private let room: Guarded<Int>

        init(_ room: Int) { self.room = Guarded(room) }

        var left: Int { room.withLock { $0 } }

        func take() -> Bool {
            room.withLock { room in
                if room >= 0 { room -= 1 }
                return room >= 0
            }
        }
    }

    private struct TooMuch: Error {}

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Node: Decodable {
        let value: FieldValue

        init(from decoder: any Decoder) throws {
            guard decoder.codingPath.count <= PropertyListTree.depthLimit,
                (decoder.userInfo[Budget.key] as? Budget)?.take() == true
            else { throw TooMuch() }
            if let container = try? decoder.container(keyedBy: Key.self) {
                value = .dictionary(
                    try container.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
                        FieldValue.Entry(
                            key: .text(key.stringValue),
                            value: try container.decode(Node.self, forKey: key).value)
                    })
            } else if var container = try? decoder.unkeyedContainer() {
                var values: [FieldValue] = []
                while !container.isAtEnd {
                    values.append(try container.decode(Node.self).value)
                }
                value = .list(values)
            } else {
                value = try Self.single(try decoder.singleValueContainer())
            }
        }

        private static func single(
            _ container: any SingleValueDecodingContainer
        ) throws -> FieldValue {
            if container.decodeNil() { return .none }
            if let value = try? container.decode(Bool.self) { return .bool(value) }
            if let value = try? container.decode(Int64.self) { return .integer(Int128(value)) }
            if let value = try? container.decode(UInt64.self) { return .integer(Int128(value)) }
            if let value = try? container.decode(Double.self) { return .double(value) }
            if let value = try? container.decode(String.self) { return .text(value) }
            if let value = try? container.decode(Date.self) { return .date(value) }
            return .bytes(try container.decode(Data.self))
        }
    }
}
