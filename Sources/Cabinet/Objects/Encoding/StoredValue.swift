import CabinetBackend
import Foundation

/// The next value in a buffer, read as it is encoded, by its form: its type need not be
/// `Encodable`. For the length of one call.
struct StoredValue: Encodable {
    let type: FieldType
    let buffer: DataBuffer

    func encode(to encoder: any Encoder) throws {
        switch type {
        case .scalar(let scalar):
            try encode(scalar, to: encoder)
        case .optional(let wrapped):
            if try buffer.readBool() {
                try StoredValue(type: wrapped, buffer: buffer).encode(to: encoder)
            } else {
                var container = encoder.singleValueContainer()
                try container.encodeNil()
            }
        case .array(let element), .set(let element):
            var container = encoder.unkeyedContainer()
            for _ in 0..<(try buffer.readCount(elementSize: 1)) {
                try container.encode(StoredValue(type: element, buffer: buffer))
            }
        case .dictionary(.scalar(.string), let value):
            var container = encoder.container(keyedBy: FieldKey.self)
            for _ in 0..<(try buffer.readCount(elementSize: 2)) {
                let key = FieldKey(try buffer.readString())
                try container.encode(StoredValue(type: value, buffer: buffer), forKey: key)
            }
        case .dictionary(let key, let value):
            // Keys and values in turn, as the standard library writes them.
            var container = encoder.unkeyedContainer()
            for _ in 0..<(try buffer.readCount(elementSize: 2)) {
                try container.encode(StoredValue(type: key, buffer: buffer))
                try container.encode(StoredValue(type: value, buffer: buffer))
            }
        case .compact, .custom:
            var container = encoder.singleValueContainer()
            try container.encode(try buffer.readData())
        case .one, .many:
            // Not written as values.
            try type.skip(in: buffer)
        }
    }

    private func encode(_ scalar: FieldType.Scalar, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch scalar {
        case .uint8: try container.encode(try buffer.readUInt8())
        case .uint16: try container.encode(try buffer.readUInt16())
        case .uint32: try container.encode(try buffer.readUInt32())
        case .uint64, .uint: try container.encode(try buffer.readUInt64())
        case .int8: try container.encode(try buffer.readInt8())
        case .int16: try container.encode(try buffer.readInt16())
        case .int32: try container.encode(try buffer.readInt32())
        case .int64, .int: try container.encode(try buffer.readInt64())
        case .uint128: try encode(wide: try buffer.readUInt128(), to: &container)
        case .int128: try encode(wide: try buffer.readInt128(), to: &container)
        case .bool: try container.encode(try buffer.readBool())
        case .float: try container.encode(try buffer.readFloat())
        case .double: try container.encode(try buffer.readDouble())
        case .string: try container.encode(try buffer.readString())
        case .data: try container.encode(try buffer.readData())
        case .date: try container.encode(try buffer.readDate())
        case .uuid: try container.encode(try buffer.readUUID())
        case .url: try container.encode(try buffer.readURL())
        case .decimal: try container.encode(try buffer.readDecimal())
        }
    }

    /// Not every encoder takes integers of 128 bits: those that do not fit into 64 are texts.
    private func encode(
        wide value: some FixedWidthInteger, to container: inout any SingleValueEncodingContainer
    ) throws {
        if let number = Int64(exactly: value) {
            try container.encode(number)
        } else if let number = UInt64(exactly: value) {
            try container.encode(number)
        } else {
            try container.encode("\(value)")
        }
    }
}
