import CabinetBackend

/// Which values may become which without losing anything.
extension FieldType {
    /// Whether every value of this type has one in `wider`: the same type, a wider number, the
    /// value where an optional one is wanted, and collections of such.
    func widens(to wider: FieldType) -> Bool {
        if self == wider { return true }
        switch (self, wider) {
        case (.scalar(let from), .scalar(let to)):
            return from.widens(to: to)
        case (.optional(let from), .optional(let to)):
            return from.widens(to: to)
        case (_, .optional(let to)):
            return widens(to: to)
        case (.array(let from), .array(let to)):
            return from.widens(to: to)
        case (.set(let from), .set(let to)):
            return from.widens(to: to)
        case (.dictionary(let key, let value), .dictionary(let newKey, let newValue)):
            return key.widens(to: newKey) && value.widens(to: newValue)
        case (.one, .one), (.many, .many), (.one, .many):
            // What stands there is checked when it is read.
            return true
        default:
            return false
        }
    }

    /// Reads a value of this type, which widens to `wider`, and appends it as one of that type.
    func convert(
        _ buffer: DataBuffer, to wider: FieldType, _ result: DataBuffer
    ) throws(DataBufferError) {
        switch (self, wider) {
        case (.scalar(let from), .scalar(let to)) where from != to:
            try from.convert(buffer, to: to, result)
        case (.optional(let from), .optional(let to)):
            let isThere = try buffer.readBool()
            result.writeBool(isThere)
            if isThere { try from.convert(buffer, to: to, result) }
        case (_, .optional(let to)) where self != wider:
            result.writeBool(true)
            try convert(buffer, to: to, result)
        case (.array(let from), .array(let to)), (.set(let from), .set(let to)):
            let count = try buffer.readCount(elementSize: 1)
            result.writeUInt32(UInt32(count))
            for _ in 0..<count { try from.convert(buffer, to: to, result) }
        case (.dictionary(let key, let value), .dictionary(let newKey, let newValue)):
            let count = try buffer.readCount(elementSize: 2)
            result.writeUInt32(UInt32(count))
            for _ in 0..<count {
                try key.convert(buffer, to: newKey, result)
                try value.convert(buffer, to: newValue, result)
            }
        default:
            try copy(buffer, to: result)
        }
    }

    /// Appends the bytes of one value as they are.
    private func copy(_ buffer: DataBuffer, to result: DataBuffer) throws(DataBufferError) {
        let start = buffer.position
        try skip(in: buffer)
        let end = buffer.position
        buffer.withUnsafeBytes {
            result.writeRawBytes(UnsafeRawBufferPointer(rebasing: $0[start..<end]))
        }
    }
}

extension FieldType.Scalar {
    /// Bits and sign of an integer type.
    private var integer: (bits: Int, isSigned: Bool)? {
        switch self {
        case .uint8, .uint16, .uint32, .uint64, .uint128, .uint:
            size.map { ($0 * 8, false) }
        case .int8, .int16, .int32, .int64, .int128, .int:
            size.map { ($0 * 8, true) }
        default:
            nil
        }
    }

    fileprivate func widens(to wider: Self) -> Bool {
        if self == wider { return true }
        if let from = integer, let to = wider.integer {
            if from.isSigned == to.isSigned { return from.bits <= to.bits }
            return to.isSigned && from.bits < to.bits
        }
        switch (self, wider) {
        case (.float, .double): return true
        case (_, .double): return (integer?.bits).map { $0 <= 32 } ?? false
        case (_, .float): return (integer?.bits).map { $0 <= 16 } ?? false
        default: return false
        }
    }

    fileprivate func convert(
        _ buffer: DataBuffer, to wider: Self, _ result: DataBuffer
    ) throws(DataBufferError) {
        switch (integer?.isSigned, wider) {
        case (nil, _):
            result.writeDouble(Double(try buffer.readFloat()))
        case (_, .double):
            result.writeDouble(Double(Int64(truncatingIfNeeded: try readInteger(buffer))))
        case (_, .float):
            result.writeFloat(Float(Int64(truncatingIfNeeded: try readInteger(buffer))))
        default:
            var value = try readInteger(buffer).littleEndian
            Swift.withUnsafeBytes(of: &value) { bytes in
                result.writeRawBytes(UnsafeRawBufferPointer(rebasing: bytes[..<(wider.size ?? 0)]))
            }
        }
    }

    /// An integer as 128 bits, its sign extended if it has one.
    private func readInteger(_ buffer: DataBuffer) throws(DataBufferError) -> UInt128 {
        switch self {
        case .uint8: UInt128(try buffer.readUInt8())
        case .uint16: UInt128(try buffer.readUInt16())
        case .uint32: UInt128(try buffer.readUInt32())
        case .uint64, .uint: UInt128(try buffer.readUInt64())
        case .int8: UInt128(truncatingIfNeeded: try buffer.readInt8())
        case .int16: UInt128(truncatingIfNeeded: try buffer.readInt16())
        case .int32: UInt128(truncatingIfNeeded: try buffer.readInt32())
        case .int64, .int: UInt128(truncatingIfNeeded: try buffer.readInt64())
        default: try buffer.readUInt128()
        }
    }
}
