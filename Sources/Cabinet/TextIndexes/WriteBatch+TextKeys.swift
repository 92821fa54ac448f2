import CabinetBackend

extension WriteBatch {
    /// Puts a value under a key.
    func put(
        _ value: [UInt8], for key: [UInt8], in table: TableNumber
    ) throws(BackendError) {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try value.withUnsafeBytesThrowing { value throws(BackendError) in
                try put(value, for: key, in: table)
            }
        }
    }

    /// Deletes a key.
    func deleteKey(_ key: [UInt8], in table: TableNumber) throws(BackendError) {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try deleteKey(key, in: table)
        }
    }
}
