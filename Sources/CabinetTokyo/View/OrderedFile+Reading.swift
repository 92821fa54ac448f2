import CTokyoCabinet
import CabinetBackend

extension OrderedFile {
    /// What the library has met where keys should be.
    struct Damage: Error {}

    /// What is stored under `key`, until the next call; `nil` if the key is not there.
    func find(_ key: UnsafeRawBufferPointer) throws(Damage) -> UnsafeRawBufferPointer? {
        guard let handle else { throw Damage() }
        var length: Int32 = 0
        guard
            let value = tcbdbget3(
                handle, key.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: key.count),
                &length)
        else {
            try checkEnd(handle)
            return nil
        }
        return UnsafeRawBufferPointer(start: value, count: Int(length))
    }

    /// Goes over keys from `start` on, or from the first or last one, up or down, until `body`
    /// returns `false`. `start` itself is met if it is there.
    func walk(
        from start: [UInt8]?, descending: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer) -> Bool
    ) throws(Damage) {
        guard let handle, let cursor = tcbdbcurnew(handle) else { throw Damage() }
        defer { tcbdbcurdel(cursor) }
        let found: Bool
        if let start {
            found = start.withUnsafeBytes { bytes in
                let start = bytes.baseAddress ?? Nowhere.address
                return descending
                    ? tcbdbcurjumpback(cursor, start, Int32(bytes.count))
                    : tcbdbcurjump(cursor, start, Int32(bytes.count))
            }
        } else {
            found = descending ? tcbdbcurlast(cursor) : tcbdbcurfirst(cursor)
        }
        guard found else { return try checkEnd(handle) }
        while true {
            var keyLength: Int32 = 0
            var valueLength: Int32 = 0
            guard let key = tcbdbcurkey3(cursor, &keyLength),
                let value = tcbdbcurval3(cursor, &valueLength)
            else { return try checkEnd(handle) }
            let goesOn = body(
                UnsafeRawBufferPointer(start: key, count: Int(keyLength)),
                UnsafeRawBufferPointer(start: value, count: Int(valueLength)))
            guard goesOn else { return }
            guard descending ? tcbdbcurprev(cursor) : tcbdbcurnext(cursor) else {
                return try checkEnd(handle)
            }
        }
    }

    /// The library gives nothing where nothing is, and also where it could not read.
    private func checkEnd(_ handle: UnsafeMutablePointer<TCBDB>) throws(Damage) {
        guard tcbdbecode(handle) == Int32(TCENOREC) else { throw Damage() }
    }
}
