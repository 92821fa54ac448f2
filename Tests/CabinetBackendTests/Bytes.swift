import CabinetBackend

extension DataBuffer {
    /// A buffer that holds `bytes` and is about to read the first.
    convenience init(_ bytes: [UInt8]) {
        self.init()
        bytes.withUnsafeBytes { writeRawBytes($0) }
    }

    /// All that was written.
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// What `body` writes.
    static func bytes(_ body: (DataBuffer) -> Void) -> [UInt8] {
        let buffer = DataBuffer()
        body(buffer)
        return buffer.bytes
    }
}
