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

    static let definitions = [
        TableDefinition.song, .byTitle,
        TableDefinition(number: .max, kind: .named, name: ""),
        TableDefinition(
            number: 77, kind: .record, name: "A-b_9", classNumber: 255, classVersion: 254),
        TableDefinition(number: 78, kind: .ordered, name: "\u{E9}\u{1F3B5}"),
        TableDefinition(number: 79, kind: .ordered, name: "a \"b\" / c \\ d \n \u{7F}"),
    ]

    /// The usual text of an entry is compared, not decoded: both must come to the same.
    @Test(arguments: definitions)
    func anEntryIsTheSameHoweverItIsRead(_ definition: TableDefinition) {
        var unusual = CatalogEntry(definition)
        unusual.salt = [1, 2]
        var bare = CatalogEntry(definition)
        bare.checksums = false
        var old = CatalogEntry(definition)
        old.keyForm = .legacy
        var other = CatalogEntry(definition)
        other.classVersion ^= 1
        for entry in [CatalogEntry(definition), unusual, bare, old, other] {
            entry.json().withUnsafeBytes { json in
                #expect(CatalogEntry(json: json) == entry)
                #expect(CatalogEntry(json: json, expected: definition) == entry)
            }
        }
    }

    /// The text that is compared is the one that is written: else every opening would decode.
    @Test func theUsualTextIsTheOneThatIsWritten() {
        for definition in Self.definitions.prefix(4) {
            let entry = CatalogEntry(definition)
            entry.json().withUnsafeBytes { #expect(entry.isPlainText($0)) }
        }
    }
}
