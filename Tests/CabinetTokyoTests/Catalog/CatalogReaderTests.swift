import CabinetBackend
import Testing

@testable import CabinetTokyo

struct CatalogReaderTests {
    let store = ToolStore()

    static let wrongEntries: [[UInt8]] = [
        [], Array("{".utf8), Array(#"{"number":2}"#.utf8),
        CatalogEntry(.byTitle).json(),
        CatalogEntry(TableDefinition(number: 2, kind: .ordered, name: "Song")).json(),
    ]

    /// Found by fuzzing: such an entry was passed over or believed, and with it how the keys and
    /// values of the table's view are written.
    @Test(arguments: wrongEntries)
    func anEntryThatCannotBeOfItsTableIsDamage(_ entry: [UInt8]) async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        let batch = backend.makeBatch()
        try batch.putCatalog(entry, for: CatalogKey.table(2))
        try backend.commit(batch)
        try backend.close()
        #expect(
            throws: BackendError.corrupt(path: store.path + "/Journal/Catalog", offset: 0)
        ) { _ = try TokyoBackend(path: store.path) }

        let saved = store.directory.file("Saved")
        _ = try await TokyoBackend.salvage(from: store.path, into: saved)
        let again = try TokyoBackend(path: saved)
        #expect(try again.tables() == [.song, .byTitle])
        #expect(try again.rows(in: 2).count == 20)
        #expect(try again.keys(in: 3).count == 20)
    }
}
