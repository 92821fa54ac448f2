import CabinetBackend

extension WriteBatch {
    /// As ``put(_:for:in:)``.
    func put(
        _ value: [UInt8], under key: [UInt8], in table: TableNumber
    ) throws(BackendError) {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try value.withUnsafeBytesThrowing { value throws(BackendError) in
                try put(value, for: key, in: table)
            }
        }
    }
}
