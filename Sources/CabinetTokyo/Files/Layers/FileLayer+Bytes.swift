import CabinetBackend

extension FileLayer {
    /// Writes all of `bytes` at `offset`. After a throw any part of them may have been written.
    func write(
        _ bytes: [UInt8], to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(BackendError) in try write(bytes, to: file, at: offset) }
        }
        try result.get()
    }

    /// Reads `count` bytes from `offset` on; fewer are ``BackendError/corrupt(path:offset:)``.
    func readBytes(
        _ count: Int, from file: OpenFile, at offset: UInt64
    ) throws(BackendError) -> [UInt8] {
        let memory = try BlockMemory(capacity: count, path: file.path)
        let bytes = memory.bytes(0..<count)
        guard try read(file, at: offset, into: bytes) == count else {
            throw .corrupt(path: file.path, offset: offset)
        }
        return Array(bytes)
    }
}
