import CabinetBackend

extension FieldType {
    /// Whether two values, as records have them, are the same: elements of sets and keys of
    /// dictionaries come in any order. Cost: a comparison of bytes if these are the same, or the
    /// type has one order.
    func areSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        if one.count == other.count, one.elementsEqual(other) { return true }
        guard hasManyOrders else { return false }
        if case .optional(let wrapped) = self {
            guard let first = one.first, first == 1, other.first == 1 else { return false }
            return wrapped.areSame(
                UnsafeRawBufferPointer(rebasing: one[1...]),
                UnsafeRawBufferPointer(rebasing: other[1...]))
        }
        if case .compact = self, one.count >= 4, other.count >= 4 {
            return CompactForm.areSame(
                UnsafeRawBufferPointer(rebasing: one[4...]),
                UnsafeRawBufferPointer(rebasing: other[4...]))
        }
        guard one.count == other.count else { return false }
        let (first, second) = (DataBuffer(), DataBuffer())
        first.borrow(one)
        second.borrow(other)
        guard let one = try? inOneOrder(first), let other = try? inOneOrder(second) else {
            return false
        }
        return one == other
    }

    private var hasManyOrders: Bool {
        switch self {
        case .scalar, .custom, .one, .many: false
        case .compact, .set, .dictionary: true
        case .optional(let part), .array(let part): part.hasManyOrders
        }
    }

    /// Moves past a value, and returns its bytes with all elements in one order.
    private func inOneOrder(_ buffer: DataBuffer) throws(DataBufferError) -> [UInt8] {
        switch self {
        case .optional(let wrapped):
            return try buffer.readBool() ? [1] + wrapped.inOneOrder(buffer) : [0]
        case .array(let element):
            return Self.joined(
                try Self.parts(buffer) { () throws(DataBufferError) in
                    try element.inOneOrder(buffer)
                })
        case .set(let element):
            return Self.joined(
                try Self.parts(buffer) { () throws(DataBufferError) in
                    try element.inOneOrder(buffer)
                }.inOrder { $0.lexicographicallyPrecedes($1) })
        case .dictionary(let key, let value):
            return Self.joined(
                try Self.parts(buffer) { () throws(DataBufferError) in
                    try key.inOneOrder(buffer) + value.inOneOrder(buffer)
                }.inOrder { $0.lexicographicallyPrecedes($1) })
        case .scalar, .compact, .custom, .one, .many:
            let start = buffer.position
            try skip(in: buffer)
            return [UInt8](UnsafeRawBufferPointer(rebasing: buffer.memory[start..<buffer.position]))
        }
    }

    private static func parts(
        _ buffer: DataBuffer, _ part: () throws(DataBufferError) -> [UInt8]
    ) throws(DataBufferError) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        for _ in 0..<(try buffer.readCount(elementSize: 1)) { parts.append(try part()) }
        return parts
    }
    /// One after the other, behind their number, so that nested ones differ where their bounds do.
    private static func joined(_ parts: [[UInt8]]) -> [UInt8] {
        withUnsafeBytes(of: parts.count.littleEndian) { [UInt8]($0) } + parts.joined()
    }
}
