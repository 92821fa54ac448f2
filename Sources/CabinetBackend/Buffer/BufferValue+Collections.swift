/// One byte 0 or 1, then the value if there is one.
extension Optional: BufferValue where Wrapped: BufferValue {
    public func write(to buffer: DataBuffer) {
        buffer.writeBool(self != nil)
        self?.write(to: buffer)
    }

    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.atomically { () throws(DataBufferError) -> Self in
            try buffer.readBool() ? try Wrapped.read(from: buffer) : nil
        }
    }
}

/// A count (UInt32, little-endian), then the elements in order.
extension Array: BufferValue where Element: BufferValue {
    public func write(to buffer: DataBuffer) {
        guard buffer.writeCount(count) else { return }
        for element in self { element.write(to: buffer) }
    }

    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.atomically { () throws(DataBufferError) -> Self in
            let count = try buffer.readCount(elementSize: Element.minimumSize)
            var elements: Self = []
            elements.reserveCapacity(count)
            for _ in 0..<count { elements.append(try Element.read(from: buffer)) }
            return elements
        }
    }

    public static var minimumSize: Int { 4 }
}

/// As an array, in no order. Reading an element twice keeps one.
extension Set: BufferValue where Element: BufferValue {
    public func write(to buffer: DataBuffer) {
        guard buffer.writeCount(count) else { return }
        for element in self { element.write(to: buffer) }
    }

    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        Set(try [Element].read(from: buffer))
    }

    public static var minimumSize: Int { 4 }
}

/// A count (UInt32, little-endian), then key and value in turn, in no order. Of a key read twice
/// the last value stays.
extension Dictionary: BufferValue where Key: BufferValue, Value: BufferValue {
    public func write(to buffer: DataBuffer) {
        guard buffer.writeCount(count) else { return }
        for (key, value) in self {
            key.write(to: buffer)
            value.write(to: buffer)
        }
    }

    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.atomically { () throws(DataBufferError) -> Self in
            let size = Key.minimumSize + Value.minimumSize
            let count = try buffer.readCount(elementSize: size)
            var entries: Self = [:]
            entries.reserveCapacity(count)
            for _ in 0..<count {
                let key = try Key.read(from: buffer)
                entries[key] = try Value.read(from: buffer)
            }
            return entries
        }
    }

    public static var minimumSize: Int { 4 }
}

extension DataBuffer {
    /// Appends a count as UInt32; `false`, with ``writeError`` set, if it does not fit.
    package final func writeCount(_ count: Int) -> Bool {
        guard let number = UInt32(exactly: count) else {
            fail(DataBufferError.tooLarge(limit: Self.recordLimit))
            return false
        }
        writeUInt32(number)
        return true
    }

    /// Reads a count of elements that take at least `elementSize` bytes each (0 counts as 1), and
    /// checks it against what is left before anything is allocated.
    package final func readCount(elementSize: Int) throws(DataBufferError) -> Int {
        let start = cursor
        let count = try readUInt32()
        if Int(count) > remaining / Swift.max(elementSize, 1) {
            let left = remaining
            cursor = start
            throw .impossibleCount(count: count, remaining: left)
        }
        return Int(count)
    }

    /// Appends one byte 0 or 1, then the value if there is one.
    public final func writeOptional<Value: BufferValue>(_ value: Value?) { value.write(to: self) }
    /// Reads what ``writeOptional(_:)`` wrote. On a throw nothing has moved.
    public final func readOptional<Value: BufferValue>(
        _ type: Value.Type = Value.self
    ) throws(DataBufferError) -> Value? { try Value?.read(from: self) }

    /// Appends a count and the elements in order.
    public final func writeArray<Element: BufferValue>(_ elements: [Element]) {
        elements.write(to: self)
    }
    /// Reads what ``writeArray(_:)`` wrote. On a throw nothing has moved.
    public final func readArray<Element: BufferValue>(
        of type: Element.Type = Element.self
    ) throws(DataBufferError) -> [Element] { try [Element].read(from: self) }

    /// Appends a count and the elements in no order.
    public final func writeSet<Element: BufferValue>(_ elements: Set<Element>) {
        elements.write(to: self)
    }
    /// Reads what ``writeSet(_:)`` wrote. On a throw nothing has moved.
    public final func readSet<Element: BufferValue>(
        of type: Element.Type = Element.self
    ) throws(DataBufferError) -> Set<Element> { try Set<Element>.read(from: self) }

    /// Appends a count, then keys and values in turn, in no order.
    public final func writeDictionary<Key: BufferValue, Value: BufferValue>(_ entries: [Key: Value])
    {
        entries.write(to: self)
    }
    /// Reads what ``writeDictionary(_:)`` wrote. On a throw nothing has moved.
    public final func readDictionary<Key: BufferValue, Value: BufferValue>(
        _ keys: Key.Type = Key.self, _ values: Value.Type = Value.self
    ) throws(DataBufferError) -> [Key: Value] { try [Key: Value].read(from: self) }

    /// Appends the raw value.
    public final func writeRawValue<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: BufferValue { value.rawValue.write(to: self) }

    /// Reads what ``writeRawValue(_:)`` wrote.
    /// - Throws: ``DataBufferError/invalidValue(type:offset:)`` for a raw value that `type` does
    ///   not know, without moving.
    public final func readRawValue<Value: RawRepresentable>(
        _ type: Value.Type = Value.self
    ) throws(DataBufferError) -> Value where Value.RawValue: BufferValue {
        let start = cursor
        if let value = Value(rawValue: try Value.RawValue.read(from: self)) { return value }
        cursor = start
        throw .invalidValue(type: "\(Value.self)", offset: position)
    }
}
