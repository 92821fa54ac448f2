import CabinetBackend

/// A form of values whose type is not known where it is used.
protocol AnyValueForm: AnyObject {
    var valueType: Any.Type { get }

    func readAny(from buffer: DataBuffer) throws(DataBufferError) -> Any

    /// Appends `value`. `false`, with nothing appended, if it is of another type.
    func writeAny(_ value: Any, to buffer: DataBuffer) -> Bool
}

extension ValueForm: AnyValueForm {
    final var valueType: Any.Type { Value.self }

    final func readAny(from buffer: DataBuffer) throws(DataBufferError) -> Any {
        try read(from: buffer)
    }

    final func writeAny(_ value: Any, to buffer: DataBuffer) -> Bool {
        guard let value = value as? Value else { return false }
        write(value, to: buffer)
        return true
    }
}
