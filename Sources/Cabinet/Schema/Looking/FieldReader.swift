import CabinetBackend
import Foundation

struct FieldReader {
    private let buffer: DataBuffer
    private let className: (UInt8) -> String?
    /// How many values may still be made; `nil` for a reader that keeps none but references.
    private var room: Int?
    private var found: [FieldValue.Reference] = []

    /// Makes up to `limit` values; with `nil`, only checks them, and notes references.
    /// - Parameter className: the storage name of the class of a number; `nil` if there is none.
    init(_ buffer: DataBuffer, className: @escaping (UInt8) -> String?, limit: Int?) {
        self.buffer = buffer
        self.className = className
        room = limit
    }

    private var keepsValues: Bool { room != nil }

    /// The references that were noted since it was last asked.
    mutating func takeReferences() -> [FieldValue.Reference] {
        defer { found = [] }
        return found
    }

    /// A reader that keeps none gives ``FieldValue/none``.
    /// - Parameter relationship: what is known of the field, if it is one.
    mutating func read(
        _ form: FieldType, _ relationship: StoreSchema.Relationship? = nil
    ) throws(DataBufferError) -> FieldValue {
        try take()
        switch form {
        case .scalar(let scalar): return try read(scalar)
        case .optional(let wrapped):
            return try buffer.readBool() ? try read(wrapped) : .none
        case .array(let element): return .list(try readList(of: element))
        case .set(let element):
            return .list(try readList(of: element).inOrder(by: FieldValue.precedes))
        case .dictionary(let key, let value):
            return .dictionary(
                try readEntries(key, value).inOrder { FieldValue.precedes($0.key, $1.key) })
        case .compact(let type): return .codable(type: type, try readCompact(type))
        case .custom(let type): return .custom(type: type, try readBytes())
        case .one: return try readReference(relationship)
        case .many: return .references(try readReferences(relationship))
        }
    }

    private mutating func take() throws(DataBufferError) {
        guard let left = room else { return }
        guard left > 0 else { throw Self.tooManyValues }
        room = left - 1
    }

    private static var tooManyValues: DataBufferError {
        .coding(type: "record", reason: "it holds more than \(RecordDecoder.valueLimit) values")
    }

    // MARK: Values

    private func read(_ scalar: FieldType.Scalar) throws(DataBufferError) -> FieldValue {
        if scalar == .data { return .bytes(try readBytes()) }
        return try scalar.readValue(from: buffer)
    }

    private func readBytes() throws(DataBufferError) -> Data {
        if keepsValues { return try buffer.readData() }
        try buffer.skipCounted()
        return Data()
    }

    private mutating func readList(
        of element: FieldType
    ) throws(DataBufferError) -> [FieldValue] {
        var values: [FieldValue] = []
        for _ in 0..<(try buffer.readCount(elementSize: 1)) {
            let value = try read(element)
            if keepsValues { values.append(value) }
        }
        return values
    }

    private mutating func readEntries(
        _ key: FieldType, _ value: FieldType
    ) throws(DataBufferError) -> [FieldValue.Entry] {
        var entries: [FieldValue.Entry] = []
        for _ in 0..<(try buffer.readCount(elementSize: 2)) {
            let entry = FieldValue.Entry(key: try read(key), value: try read(value))
            if keepsValues { entries.append(entry) }
        }
        return entries
    }

    private mutating func readCompact(_ type: String) throws(DataBufferError) -> FieldValue {
        let start = buffer.position
        let bytes = try buffer.peekCounted()
        var tree = CompactTree(limit: room)
        guard let value = tree.read(bytes) else {
            if tree.isExhausted { throw Self.tooManyValues }
            throw .invalidValue(type: type, offset: start)
        }
        try buffer.skipCounted()
        room = tree.room
        return value
    }

    // MARK: References

    private mutating func readReference(
        _ relationship: StoreSchema.Relationship?
    ) throws(DataBufferError) -> FieldValue {
        let isExact = try readTag() == 0
        let number = isExact ? relationship?.targetNumber : try buffer.readUInt8()
        let row = RowID(try buffer.readUInt32())
        return row == .none ? .none : .reference(note(number, row))
    }

    private mutating func readReferences(
        _ relationship: StoreSchema.Relationship?
    ) throws(DataBufferError) -> [FieldValue.Reference] {
        let isExact = try readTag() == 0
        var references: [FieldValue.Reference] = []
        for _ in 0..<(try buffer.readCount(elementSize: isExact ? 4 : 5)) {
            let number = isExact ? relationship?.targetNumber : try buffer.readUInt8()
            let row = RowID(try buffer.readUInt32())
            guard row != .none else { continue }
            try take()
            let reference = note(number, row)
            if keepsValues { references.append(reference) }
        }
        return references
    }

    /// What says whether all are of the declared class (0) or bear their classes (1).
    private func readTag() throws(DataBufferError) -> UInt8 {
        let start = buffer.position
        let tag = try buffer.readUInt8()
        if tag > 1 { throw .invalidValue(type: "relationship", offset: start) }
        return tag
    }

    private mutating func note(_ number: UInt8?, _ row: RowID) -> FieldValue.Reference {
        let reference = FieldValue.Reference(
            className: number.flatMap(className), classNumber: number, row: row)
        if !keepsValues { found.append(reference) }
        return reference
    }
}
