import CabinetBackend
import Foundation

extension FieldType.Scalar {
    func readValue(from buffer: DataBuffer) throws(DataBufferError) -> FieldValue {
        switch self {
        case .uint8: .integer(Int128(try buffer.readUInt8()))
        case .uint16: .integer(Int128(try buffer.readUInt16()))
        case .uint32: .integer(Int128(try buffer.readUInt32()))
        case .uint64, .uint: .integer(Int128(try buffer.readUInt64()))
        case .uint128: Self.integer(try buffer.readUInt128())
        case .int8: .integer(Int128(try buffer.readInt8()))
        case .int16: .integer(Int128(try buffer.readInt16()))
        case .int32: .integer(Int128(try buffer.readInt32()))
        case .int64, .int: .integer(Int128(try buffer.readInt64()))
        case .int128: .integer(try buffer.readInt128())
        case .bool: .bool(try buffer.readBool())
        case .float: .float(try buffer.readFloat())
        case .double: .double(try buffer.readDouble())
        case .string: .text(try buffer.readString())
        case .data: .bytes(try buffer.readData())
        case .date: .date(try buffer.readDate())
        case .uuid: .uuid(try buffer.readUUID())
        case .url: .url(try buffer.readURL())
        case .decimal: .decimal(try buffer.readDecimal())
        }
    }

    private static func integer(_ value: UInt128) -> FieldValue {
        Int128(exactly: value).map { .integer($0) } ?? .largeInteger(value)
    }
}
