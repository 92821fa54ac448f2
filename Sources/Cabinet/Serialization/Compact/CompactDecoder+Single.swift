extension CompactDecoder: SingleValueDecodingContainer {
    @inline(__always)
    private func read<Value>(_ body: (_ position: Int, _ end: Int) throws -> Value?) throws -> Value
    {
        if let value = try body(Int(start), Int(end)) { return value }
        throw source.mismatch(Value.self, at: Int(start), end: Int(end))
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try source.value(type, at: Int(start), end: Int(end), depth: Int(depth))
    }

    func decodeNil() -> Bool { (try? source.isNil(at: Int(start), end: Int(end))) ?? false }
    func decode(_ type: Bool.Type) throws -> Bool {
        try read { try source.bool(at: $0, end: $1) }
    }
    func decode(_ type: String.Type) throws -> String {
        try read { try source.text(at: $0, end: $1) }
    }
    func decode(_ type: Double.Type) throws -> Double {
        try read { try source.number(at: $0, end: $1) }
    }
    func decode(_ type: Float.Type) throws -> Float {
        try read { try source.shortNumber(at: $0, end: $1) }
    }
    func decode(_ type: Int.Type) throws -> Int {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: Int8.Type) throws -> Int8 {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: Int16.Type) throws -> Int16 {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: Int32.Type) throws -> Int32 {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: Int64.Type) throws -> Int64 {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: Int128.Type) throws -> Int128 {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt.Type) throws -> UInt {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt8.Type) throws -> UInt8 {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt16.Type) throws -> UInt16 {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt32.Type) throws -> UInt32 {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt64.Type) throws -> UInt64 {
        try read { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt128.Type) throws -> UInt128 {
        try read { try source.integer(at: $0, end: $1) }
    }
}
