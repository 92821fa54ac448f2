import CTokyoCabinet
import CabinetBackend

/// BNRPersistence's record 1 of every class: UInt32 last row, UInt8 version, UInt8 class number,
/// and behind that, where it was written, 8 bytes of salt. Little-endian.
struct LegacyMetadata: Hashable {
    static let row: RowID = 1

    var lastRow: RowID
    var version: UInt8
    var classNumber: UInt8
    var salt: [UInt8]

    /// `nil` for bytes that are too few.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 6, let base = bytes.baseAddress else { return nil }
        lastRow = RowID(base.get(at: 0))
        version = base.get(at: 4)
        classNumber = base.get(at: 5)
        salt = Array(bytes[6...])
    }

    private init(_ table: Table) {
        lastRow = max(table.highestRow, RowID.first.previous)
        version = table.entry.classVersion
        classNumber = table.entry.classNumber
        salt = table.entry.salt ?? []
    }

    /// Brings record 1 of a file that is open for writing up to date.
    static func write(_ table: Table, to file: HashFile) throws(BackendError) {
        guard let writer = file.writer else { return }
        let data = LegacyMetadata(table)
        var bytes = withUnsafeBytes(of: data.lastRow.rawValue.littleEndian, Array.init)
        bytes += [data.version, data.classNumber] + data.salt
        let key = withUnsafeBytes(of: row.rawValue.littleEndian, Array.init)
        guard tchdbput(writer, key, Int32(key.count), bytes, Int32(bytes.count)) else {
            throw .viewUnavailable(path: file.path, cause: "its record 1 could not be written")
        }
    }
}
