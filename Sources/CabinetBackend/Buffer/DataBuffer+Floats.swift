extension DataBuffer {
    /// Appends 4 bytes: IEEE 754, **big-endian**, as the 2010 format has it.
    @inlinable public final func writeFloat(_ value: Float) {
        append(value.bitPattern.byteSwapped)
    }

    /// Appends 8 bytes: IEEE 754, **big-endian**, as the 2010 format has it.
    @inlinable public final func writeDouble(_ value: Double) {
        append(value.bitPattern.byteSwapped)
    }

    /// Reads 4 bytes, IEEE 754 big-endian. Every bit pattern is a value, NaNs included.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``, without moving.
    @inlinable public final func readFloat() throws(DataBufferError) -> Float {
        Float(bitPattern: try take(UInt32.self).byteSwapped)
    }

    /// Reads 8 bytes, IEEE 754 big-endian. Every bit pattern is a value, NaNs included.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``, without moving.
    @inlinable public final func readDouble() throws(DataBufferError) -> Double {
        Double(bitPattern: try take(UInt64.self).byteSwapped)
    }
}
