extension UInt8: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeUInt8(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readUInt8()
    }
}
extension UInt16: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeUInt16(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readUInt16()
    }
    public static var minimumSize: Int { 2 }
}
extension UInt32: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeUInt32(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readUInt32()
    }
    public static var minimumSize: Int { 4 }
}
extension UInt64: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeUInt64(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readUInt64()
    }
    public static var minimumSize: Int { 8 }
}
extension UInt128: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeUInt128(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readUInt128()
    }
    public static var minimumSize: Int { 16 }
}
extension UInt: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeUInt(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readUInt()
    }
    public static var minimumSize: Int { 8 }
}
extension Int8: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeInt8(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readInt8()
    }
}
extension Int16: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeInt16(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readInt16()
    }
    public static var minimumSize: Int { 2 }
}
extension Int32: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeInt32(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readInt32()
    }
    public static var minimumSize: Int { 4 }
}
extension Int64: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeInt64(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readInt64()
    }
    public static var minimumSize: Int { 8 }
}
extension Int128: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeInt128(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readInt128()
    }
    public static var minimumSize: Int { 16 }
}
extension Int: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeInt(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readInt()
    }
    public static var minimumSize: Int { 8 }
}
extension Bool: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeBool(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readBool()
    }
}
extension Float: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeFloat(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readFloat()
    }
    public static var minimumSize: Int { 4 }
}
extension Double: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeDouble(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readDouble()
    }
    public static var minimumSize: Int { 8 }
}
extension String: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeString(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readString()
    }
    public static var minimumSize: Int { 4 }
}
