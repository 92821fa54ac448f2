import CabinetBackend

// Keys and values that are arrays.

extension WriteBatch {
    /// Puts a value under a key.
    func put(
        _ value: [UInt8], for key: [UInt8], in table: TableNumber
    ) throws(BackendError) {
        try value.withUnsafeBytesThrowing { value throws(BackendError) in
            try put(value, for: key, in: table)
        }
    }

    /// Puts a value under a key.
    func put(
        _ value: UnsafeRawBufferPointer, for key: [UInt8], in table: TableNumber
    ) throws(BackendError) {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try put(value, for: key, in: table)
        }
    }

    /// Deletes a key.
    func deleteKey(_ key: [UInt8], in table: TableNumber) throws(BackendError) {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try deleteKey(key, in: table)
        }
    }

    /// Requires something of a key.
    func require(_ requirement: Requirement, key: [UInt8], in table: TableNumber) {
        key.withUnsafeBytes { require(requirement, key: $0, in: table) }
    }
}

extension BackendReader {
    /// Copies the value under a key into `buffer`. `false` if there is none.
    func value(
        forKey key: [UInt8], in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try value(forKey: key, in: table, into: buffer)
        }
    }

    /// How many keys stand before a key.
    func rank(of key: [UInt8], in table: TableNumber) throws(BackendError) -> Int {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try rank(of: key, in: table)
        }
    }
}
