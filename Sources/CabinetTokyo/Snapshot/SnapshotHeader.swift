import CChecksum
import CabinetBackend

/// The first 40 bytes of a snapshot. Integers are little-endian. The magic, the format and the CRC
/// are the same in every format to come, so that a newer one is recognised.
///
/// | at | bytes |
/// |---|---|
/// | 0 | `CabSnap` and 0x1A |
/// | 8 | UInt32 format: 2 |
/// | 12 | UInt16 highest table number that was ever used |
/// | 14 | UInt16 0 |
/// | 16 | UInt64 the store's number |
/// | 24 | UInt64 the last commit that is in the snapshot |
/// | 32 | UInt32 0 |
/// | 36 | UInt32 CRC-32C of the 36 bytes above: what the rest of the file knows this file by |
struct SnapshotHeader: Equatable {
    static let size = 40
    static let format: UInt32 = 2
    private static let known = KnownFormats(2...format)
    static let magic = Array("CabSnap\u{1A}".utf8)

    var store: UInt64
    var commitNumber: CommitNumber
    var highestTable: TableNumber

    /// The bytes, and the CRC at their end.
    func encoded() -> (bytes: [UInt8], sum: UInt32) {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.format)
        bytes.append(littleEndian: highestTable.rawValue)
        bytes.append(littleEndian: 0 as UInt16)
        bytes.append(littleEndian: store)
        bytes.append(littleEndian: commitNumber.rawValue)
        bytes.append(littleEndian: 0 as UInt32)
        let sum = cabinet_crc32c(0, bytes, bytes.count)
        bytes.append(littleEndian: sum)
        return (bytes, sum)
    }

    /// - Throws: ``BackendError/corrupt(path:offset:)``, also for a snapshot of another store, or
    ///   ``BackendError/newerFormat(path:found:known:)``, or
    ///   ``BackendError/olderFormat(path:found:oldest:)``.
    static func decode(
        _ bytes: [UInt8], path: String, expectedStoreID: UInt64?
    ) throws(BackendError) -> (header: SnapshotHeader, sum: UInt32) {
        var fields = FieldReader(bytes)
        let magic = fields.take(magic.count)
        guard bytes.count == size, let magic, magic.elementsEqual(Self.magic),
            let format = fields.integer(UInt32.self),
            let highest = fields.integer(UInt16.self), fields.integer(UInt16.self) != nil,
            let store = fields.integer(UInt64.self), let commitNumber = fields.integer(UInt64.self),
            fields.integer(UInt32.self) != nil, let sum = fields.integer(UInt32.self),
            sum == cabinet_crc32c(0, bytes, size - 4)
        else { throw .corrupt(path: path, offset: 0) }
        try known.check(format, path: path)
        guard expectedStoreID == nil || expectedStoreID == store else {
            throw .corrupt(path: path, offset: 0)
        }
        return (
            SnapshotHeader(
                store: store, commitNumber: CommitNumber(commitNumber),
                highestTable: TableNumber(highest)), sum
        )
    }
}
