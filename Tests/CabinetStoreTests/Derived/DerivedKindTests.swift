import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

final class CountedTune: StoredObject {
    @Field var title = ""

    override class var storageName: String { "CountedTune" }
    override class var indexes: [Index] { [.ordered(\CountedTune.title)] }
    override class var textIndexes: [TextIndex] { [.text(\CountedTune.title)] }
}

/// A kind of derived tables that the framework does not know is kept, left behind and built as its own are.
@Suite("Derived tables: another kind")
struct DerivedKindTests {
    private let backend = MemoryBackend()
    private let container: StoreContainer
    private static let kinds = [
        IndexKeeper.self, TextKeeper.self, LetterKeeper.self, LetterRowKeeper.self,
    ]

    init() { container = StoreContainer(backend: backend, classes: []) }

    private func open(_ kinds: [DerivedKeeper.Type]) throws -> Store {
        try Store(
            backend: backend, reader: nil, classes: [CountedTune.self], migrations: [],
            versioning: .perInstance, log: .none, parts: [DerivedPart(kinds: kinds)])
    }

    private func expectCounts(_ store: Store) throws {
        try store.indexes.build()
        // The first save of a class without records defines its tables.
        if try store.count(of: CountedTune.self) == 0 { return }
        let letters = try #require(store.annexIfMade(LetterKeeper.self)?.allTables().first)
        let table = try #require(letters.all.first)
        #expect(table.isComplete)
        let number = try #require(table.table)
        let counted = try table.counted(store.reader)
        for letter in UInt8(ascii: "a")...UInt8(ascii: "e") {
            #expect(try table.count(of: letter, in: number, store.reader) == counted[letter] ?? 0)
        }
        #expect(try store.count(of: CountedTune.self) == Int(counted.values.reduce(0, +)))
        let rows = try #require(
            store.annexIfMade(LetterRowKeeper.self)?.allTables().first?.all.first)
        #expect(rows.isComplete)
        let (found, expected) = try rows.entries(store.reader, in: store)
        #expect(found == expected)
    }

    /// Two stores that know the kind, and at times one of a program that does not.
    @Test("its entries follow from the records, whoever saves", arguments: RunSetting.seeds(20))
    func entriesFollow(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        defer { try? container.close() }
        var stores = [try open(Self.kinds), try open(Self.kinds)]
        stores[0].hub.upkeep.limitChunks(to: 1 + Int(seed % 4))
        var hasOlder = false
        for _ in 0..<60 {
            let store = stores[random.below(stores.count)]
            try store.refresh()
            let tunes = try store.objects(of: CountedTune.self)
            switch random.below(8) {
            case 0 where !tunes.isEmpty: try store.delete(tunes[random.below(tunes.count)])
            case 1 where !tunes.isEmpty, 2 where !tunes.isEmpty:
                tunes[random.below(tunes.count)].title = ["apart", "blue", "dim"][random.below(3)]
            case 3: try expectCounts(stores[0])
            case 4:
                hasOlder.toggle()
                if hasOlder {
                    stores.append(try open([IndexKeeper.self]))
                } else {
                    try stores.removeLast().close()
                }
                continue
            default:
                let tune = CountedTune()
                tune.title = ["air", "bells", "coda", "echo"][random.below(4)]
                store.insert(tune)
            }
            do { try store.save(onConflict: .merge) } catch StoreError.conflict { store.rollback() }
        }
        try expectCounts(stores[1])
        #expect(try stores[1].indexFindings().isEmpty)
        for store in stores { try store.close() }
    }

    @Test("a check compares its entries with the records")
    func checked() throws {
        defer { try? container.close() }
        let store = try open(Self.kinds)
        for title in ["air", "bells", "coda"] {
            let tune = CountedTune()
            tune.title = title
            store.insert(tune)
        }
        try store.save()
        let tables = try store.annexIfMade(LetterRowKeeper.self)?.allTables().first
        let table = try #require(tables?.all.first?.table)
        #expect(try store.indexFindings().isEmpty)
        let run = EntryRun()
        _ = try backend.entries(in: table, range: .everything, descending: false).next(run)
        let (first, _) = try #require(run.next())
        let batch = backend.makeBatch()
        try batch.deleteKey(first, in: table)
        try batch.put([], for: [UInt8(ascii: "z"), 0, 0, 0, 77], in: table)
        try backend.commit(batch)
        let findings = try store.indexFindings()
        #expect(findings.map(\.kind) == [.missingIndexEntry, .strayIndexEntry])
        #expect(findings.last?.row == 77 && findings.allSatisfy { $0.field == "rows" })
        try store.close()
    }

    /// Its entry in the catalog has a kind that the program does not know.
    @Test("a program that does not know it leaves it behind")
    func leftBehind() throws {
        defer { try? container.close() }
        let newer = try open(Self.kinds)
        let tune = CountedTune()
        tune.title = "air"
        newer.insert(tune)
        try newer.save()
        let number = try newer.registered(CountedTune.self).number
        try newer.close()
        func state() throws -> DerivedEntry.State? {
            try backend.derivedEntries(ofClass: number)[LetterKeeper.kind, "letters"]?.state
        }
        #expect(try state() == .complete)
        let older = try open([IndexKeeper.self])
        try older.objects(of: CountedTune.self).first?.title = "bells"
        try older.save()
        try older.close()
        #expect(try state() == .behind)
        let again = try open(Self.kinds)
        try expectCounts(again)
        #expect(try state() == .complete)
        try again.close()
    }
}
