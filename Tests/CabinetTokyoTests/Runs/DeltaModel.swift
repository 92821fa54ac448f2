import CLibrary
import CabinetBackend

@testable import CabinetTokyo

/// What a delta should hold, kept in the plainest way.
struct DeltaModel {
    struct Entry: Hashable {
        /// `nil`: deleted.
        var value: [UInt8]?
        /// `nil`: unknown.
        var existsBelow: Bool?

        var weight: Int8 {
            guard let existsBelow else { return Delta.unknownWeight }
            return value == nil ? -1 : existsBelow ? 0 : 1
        }
    }

    struct Row: Hashable {
        var key: [UInt8]
        var value: [UInt8]
        var isDelete: Bool
        var weight: Int8
    }

    var entries: [[UInt8]: Entry] = [:]

    mutating func put(_ key: [UInt8], _ value: [UInt8]?, existsBelow: Bool?) {
        let known = entries[key]?.existsBelow ?? existsBelow
        entries[key] =
            value == nil && known == false ? nil : Entry(value: value, existsBelow: known)
    }

    mutating func resolve(limit: Int, existsBelow: ([UInt8]) -> Bool) -> Int {
        let unknown = rows.filter { $0.weight == Delta.unknownWeight }.prefix(limit)
        for row in unknown {
            put(row.key, entries[row.key]?.value, existsBelow: existsBelow(row.key))
        }
        return unknown.count
    }

    static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let order = memcmp(one, other, min(one.count, other.count))
        return order == 0 ? one.count < other.count : order < 0
    }

    var rows: [Row] {
        entries.sorted { Self.precedes($0.key, $1.key) }.map {
            Row(
                key: $0.key, value: $0.value.value ?? [], isDelete: $0.value.value == nil,
                weight: $0.value.weight)
        }
    }
}

extension LayerCursor {
    var row: DeltaModel.Row? {
        guard isAtEntry else { return nil }
        return DeltaModel.Row(
            key: Array(key), value: Array(value), isDelete: isDelete, weight: weight)
    }

    func allRows(backwards: Bool = false) throws -> [DeltaModel.Row] {
        var rows: [DeltaModel.Row] = []
        if backwards { try seekBack(nil) } else { try seek(nil) }
        while let row {
            rows.append(row)
            if backwards { try previous() } else { try next() }
        }
        return rows
    }
}

extension Delta {
    mutating func put(_ key: [UInt8], _ value: [UInt8]?, existsBelow: Bool?) {
        key.withUnsafeBytes { key in
            guard let value else { return delete(key, existsBelow: existsBelow) }
            value.withUnsafeBytes { put(key, $0, existsBelow: existsBelow) }
        }
    }

    /// `nil`: not there; no value: deleted.
    func look(_ key: [UInt8]) -> DeltaModel.Entry? {
        key.withUnsafeBytes { key in
            switch find(key) {
            case .absent: nil
            case .delete: DeltaModel.Entry(value: nil)
            case .value(let bytes): DeltaModel.Entry(value: Array(bytes))
            }
        }
    }
}
