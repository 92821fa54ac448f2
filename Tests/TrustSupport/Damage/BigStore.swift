import CabinetBackend
import CabinetTokyo

/// A store with one table too large for its view to be checked whole whenever it is opened.
package enum BigStore {
    package static let table: TableNumber = 2
    package static let name = "Big"
    static let rows: ClosedRange<RowID> = 2...20_001
    private static let length = 500

    /// Makes the table and fills it, about 12 MiB, in one save.
    package static func fill(_ store: StoreUnderTest) throws {
        let batch = store.backend.makeBatch()
        try batch.define(
            TableDefinition(number: table, kind: .record, name: name, classNumber: 2))
        for row in rows {
            let buffer = batch.beginRecord(row, in: table)
            let value = value(row)
            value.withUnsafeBytes { buffer.writeRawBytes($0) }
            try batch.endRecord()
        }
        _ = try store.backend.commit(batch)
    }

    /// Gives the first row the value of another, of the same length: the file keeps its size.
    package static func spoil(_ store: StoreUnderTest) throws {
        let batch = store.backend.makeBatch()
        let buffer = batch.beginRecord(rows.lowerBound, in: table)
        value(rows.lowerBound.advanced(by: 200)).withUnsafeBytes { buffer.writeRawBytes($0) }
        try batch.endRecord()
        _ = try store.backend.commit(batch)
    }

    private static func value(_ row: RowID) -> [UInt8] {
        [UInt8](repeating: UInt8(1 + row.rawValue % 251), count: length + Int(row.rawValue % 200))
    }

    /// What is wrong with the store in `root`; `nil` if every row is there and right, however
    /// it is read.
    package static func fault(in root: String, through files: any FileLayer) -> String? {
        do {
            let store = try StoreUnderTest.open(root, durability: .full, files: files)
            let buffer = DataBuffer()
            for row in rows {
                guard try store.backend.value(of: row, in: table, into: buffer) else {
                    return "row \(row) is missing"
                }
                let isRight = buffer.withUnsafeBytes { bytes in
                    value(row).withUnsafeBytes { bytes.elementsEqual($0) }
                }
                guard isRight else { return "row \(row) is wrong" }
            }
            let count = try store.backend.count(of: table)
            return count == rows.count ? nil : "\(count) rows are counted"
        } catch {
            return "\(error)"
        }
    }
}
