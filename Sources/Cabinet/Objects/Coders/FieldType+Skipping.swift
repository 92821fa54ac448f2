import CabinetBackend

extension FieldType {
    /// Moves past one value, without knowing more of it than its type.
    func skip(in buffer: DataBuffer) throws(DataBufferError) {
        switch self {
        case .scalar(let scalar):
            try scalar.skip(in: buffer)
        case .optional(let wrapped):
            if try buffer.readBool() { try wrapped.skip(in: buffer) }
        case .array(let element), .set(let element):
            for _ in 0..<(try buffer.readCount(elementSize: 1)) { try element.skip(in: buffer) }
        case .dictionary(let key, let value):
            for _ in 0..<(try buffer.readCount(elementSize: 2)) {
                try key.skip(in: buffer)
                try value.skip(in: buffer)
            }
        case .compact, .custom:
            try buffer.skipCounted()
        case .one:
            try buffer.skip(try buffer.readUInt8() == 0 ? 4 : 5)
        case .many:
            let size = try buffer.readUInt8() == 0 ? 4 : 5
            try buffer.skip(try buffer.readCount(elementSize: size) * size)
        }
    }
}

extension FieldType.Scalar {
    /// How many bytes a value takes; `nil` for one behind its byte count.
    var size: Int? {
        switch self {
        case .uint8, .int8, .bool: 1
        case .uint16, .int16: 2
        case .uint32, .int32, .float: 4
        case .uint64, .int64, .uint, .int, .double, .date: 8
        case .uint128, .int128, .uuid: 16
        case .string, .data, .url, .decimal: nil
        }
    }

    fileprivate func skip(in buffer: DataBuffer) throws(DataBufferError) {
        if let size { try buffer.skip(size) } else { try buffer.skipCounted() }
    }
}

extension DataBuffer {
    fileprivate final func skip(_ count: Int) throws(DataBufferError) {
        guard count <= remaining else { throw .truncated(needed: count, remaining: remaining) }
        move(to: position + count)
    }
}
