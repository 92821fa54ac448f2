import CabinetBackend
import CabinetTokyo
import TrustSupport

/// What a store says of itself: the first byte chooses what the rest is taken for.
enum CatalogAttempt {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let choice = bytes.first else { return }
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        switch choice % 4 {
        case 0: readEntry(rest)
        case 1: readTables(rest)
        case 2: readSession(rest)
        default: readMarker(Array(rest))
        }
    }

    /// What was understood once is written so that it is understood again.
    private static func readEntry(_ bytes: UnsafeRawBufferPointer) {
        guard let entry = CatalogEntry(json: bytes) else { return }
        let again = entry.json().withUnsafeBytes { CatalogEntry(json: $0) }
        precondition(again == entry, "\(entry) became \(String(describing: again))")
        precondition(entry.definition.number == entry.number)
    }

    private static func readTables(_ bytes: UnsafeRawBufferPointer) {
        let buffer = DataBuffer()
        buffer.borrow(bytes)
        guard let tables = try? TableList.read(from: buffer) else { return }
        let written = DataBuffer()
        TableList.write(tables, to: written)
        precondition((try? TableList.read(from: written)) == tables)
    }

    private static func readSession(_ bytes: UnsafeRawBufferPointer) {
        let buffer = DataBuffer()
        buffer.borrow(bytes)
        guard let session = try? SessionRecord(from: buffer) else { return }
        let written = DataBuffer()
        session.write(to: written)
        precondition((try? SessionRecord(from: written)) == session)
    }

    /// As it is, and once more with its sum made right.
    private static func readMarker(_ bytes: [UInt8]) {
        var content = bytes
        for _ in 0..<2 {
            do throws(BackendError) {
                let marker = try CleanMarker.read(
                    from: MemoryFiles(content), StorePaths(root: "store"))
                precondition(marker.map { $0.tables.count == $0.views.count } ?? true)
            } catch {
                precondition(error.isOfDamage, "Not an error of damage: \(error)")
            }
            SumRepair.end(of: &content)
        }
    }
}
