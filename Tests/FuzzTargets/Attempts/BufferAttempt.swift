import CabinetBackend

/// Reads a buffer by a program that stands at its front: a count, and one byte a read.
enum BufferAttempt {
    private static func read(_ step: UInt8, from buffer: DataBuffer) throws(DataBufferError) {
        switch step % 16 {
        case 0: _ = try buffer.readUInt8()
        case 1: _ = try buffer.readInt16()
        case 2: _ = try buffer.readUInt32()
        case 3: _ = try buffer.readInt64()
        case 4: _ = try buffer.readUInt128()
        case 5: _ = try buffer.readBool()
        case 6: _ = try buffer.readFloat()
        case 7: _ = try buffer.readDouble()
        case 8: _ = try buffer.readString()
        case 9: _ = try buffer.readOptional(String.self)
        case 10: _ = try buffer.readArray(of: UInt16.self)
        case 11: _ = try buffer.readArray(of: [String].self)
        case 12: _ = try buffer.readArray(of: UInt8?.self)
        case 13: _ = try buffer.readSet(of: Int32.self)
        case 14: _ = try buffer.readDictionary(String.self, [Int8].self)
        default: _ = try buffer.readArray(of: [[UInt8]?].self)
        }
    }

    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let count = bytes.first, bytes.count > Int(count) else { return }
        let program = bytes[1...].prefix(Int(count))
        let data = UnsafeRawBufferPointer(rebasing: bytes[program.endIndex...])
        let buffer = DataBuffer()
        buffer.borrow(data)
        for step in program {
            let before = buffer.position
            do {
                try read(step, from: buffer)
                precondition(buffer.position > before && buffer.position <= data.count)
            } catch {
                precondition(buffer.position == before, "A failed read has moved: \(error)")
                _ = error.description
            }
            precondition(buffer.remaining == data.count - buffer.position)
        }
    }
}
