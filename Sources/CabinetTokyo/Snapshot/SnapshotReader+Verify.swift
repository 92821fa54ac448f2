import CChecksum
import CabinetBackend

extension SnapshotReader {
    /// Reads everything and checks all that can be checked: every block, the order of rows and
    /// keys, the checksum of every value and the counts.
    ///
    /// - Parameter isCancelled: asked about once for 4,000 entries.
    /// - Returns: `false` if it was cancelled before everything was read.
    @discardableResult
    package func verify(isCancelled: () -> Bool = { false }) throws(BackendError) -> Bool {
        let digits = UnsafeMutablePointer<UInt8>.allocate(capacity: DecimalKey.longest)
        defer { digits.deallocate() }
        let cursor = try SnapshotCursor(self, tables: nil)
        var table: SnapshotTable?
        var bytes: UInt64 = 0
        var count: UInt64 = 0
        while let entry = try cursor.next() {
            if table?.group != entry.group {
                try check(table, bytes)
                table = tables.first { $0.group == entry.group }
                bytes = 0
            }
            guard Self.isWhole(entry, digits) else { throw cursor.damage }
            bytes += UInt64(EntryCoder.size(of: entry))
            count += 1
            if count & 0xFFF == 0, isCancelled() { return false }
        }
        try check(table, bytes)
        return true
    }

    private func check(_ table: SnapshotTable?, _ bytes: UInt64) throws(BackendError) {
        if let table, table.bytes != bytes {
            throw .corrupt(path: file.path, offset: table.firstBlock)
        }
    }

    /// Whether the CRC behind the value of `entry` is right.
    private static func isWhole(
        _ entry: TableEntry, _ digits: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard let stored = entry.stored, let value = stored.baseAddress,
            stored.count >= Operation.checksumSize
        else { return false }
        var sum: UInt32
        if entry.hasKey {
            sum = cabinet_crc32c(0, entry.key.baseAddress, entry.key.count)
        } else {
            let first = DecimalKey.write(entry.row, to: digits)
            sum = cabinet_crc32c(0, digits + first, DecimalKey.longest - first)
        }
        let length = stored.count - Operation.checksumSize
        return cabinet_crc32c(sum, value, length) == value.get(UInt32.self, at: length)
    }
}
