import CabinetBackend
import CabinetMemory
import CabinetSQLite
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// A class with an index of each kind.
final class CopiedSong: StoredObject {
    @Field var title = ""
    @Field var code = 0
    @Field var lyrics = ""

    override class var indexes: [Index] {
        [.ordered(\CopiedSong.title), .unique(\CopiedSong.code)]
    }
    override class var textIndexes: [TextIndex] { [.text(\CopiedSong.lyrics)] }
}

/// Stores that are copied from one engine to another.
struct StoreCopyTests {
    enum Engine: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case memory, directory
        #if SQLite
            case sqlite
        #endif

        var testDescription: String { rawValue }

        func open(_ directory: TemporaryDirectory, _ name: String) throws -> any Backend {
            switch self {
            case .memory: MemoryBackend()
            case .directory:
                try TokyoBackend(path: directory.path + name, durability: .process)
            #if SQLite
                case .sqlite:
                    try SQLiteBackend(path: directory.path + name, durability: .process)
            #endif
            }
        }
    }

    private func export(
        _ backend: any Backend, _ directory: TemporaryDirectory
    ) throws -> Data {
        let store = try Store(backend: backend, classes: volumeClasses)
        let file = directory.url.appending(path: "\(UUID().uuidString).json")
        _ = try store.json.export(to: file)
        return try Data(contentsOf: file)
    }

    /// Once, the copy was put over what others had saved meanwhile.
    @Test func aStoreThatOthersHaveBegunIsNotWrittenOver() async throws {
        let source = try Store(inMemory: volumeClasses)
        source.insert(Bookcase())
        try source.save()
        let inner = MemoryBackend()
        let target = FaultyBackend(inner, isolatesCommits: true, hasOtherWriters: true)
        target.order {
            $0.beforeCommit = {
                let other = try? Store(backend: inner, classes: volumeClasses)
                let theirs = Bookcase()
                theirs.title = "theirs"
                other?.insert(theirs)
                try? other?.save()
            }
        }
        await #expect(throws: BackendError.self) {
            _ = try await StoreSchema.copy(source.backend, to: target)
        }
        let other = try Store(backend: inner, classes: volumeClasses)
        #expect(try other.objects(of: Bookcase.self).map(\.title) == ["theirs"])
    }

    /// Once, it was copied, and no purge could find it in the copy.
    @Test func whatObjectsWereIsNotCopied() async throws {
        let source = MemoryBackend()
        let store = try Store(backend: source, classes: Books.classes)
        store.author = "ann"
        store.undoHistory.survivesRelaunch = true
        let entry = LedgerEntry("", cents: 0)
        store.insert(entry)
        for text in ["secret", "plain"] {
            entry.text = text
            try store.save()
        }
        try HistoryMove(source).moveAll()
        #expect(try source.historyTables().count == 1)
        let target = MemoryBackend()
        _ = try await StoreSchema.copy(source, to: target)
        #expect(try target.historyTables().isEmpty)
        let names = try target.tables().map(\.name)
        #expect(!names.contains { $0.hasPrefix("History") || $0 == KeptSteps.tableName })
        let copy = try Store(backend: target, classes: Books.classes)
        #expect(try copy.objects(of: LedgerEntry.self).map(\.text) == ["plain"])
        try store.close()
        try copy.close()
    }

    @Test(arguments: Engine.allCases, Engine.allCases)
    func aRandomStoreIsTheSameInEveryEngine(from: Engine, to: Engine) async throws {
        let directory = try TemporaryDirectory()
        for seed in RunSetting.seeds(8) {
            let source = try from.open(directory, "From\(seed)")
            var stores = try InterleavedStores(source, seed: seed, recording: false)
            for _ in 0..<80 { try stores.step() }
            stores.end()
            let target = try to.open(directory, "To\(seed)")
            let copied = try await StoreSchema.copy(source, to: target)
            let count = try source.tables().reduce(0) { try $0 + source.count(of: $1.number) }
            #expect(copied > count)
            #expect(try export(target, directory) == export(source, directory), "seed \(seed)")
            #expect(try await StoreSchema.check(target).findings == [], "seed \(seed)")
            for table in try source.tables() where table.kind == .record {
                let highest = try source.highestRow(of: table.number)
                #expect(try target.highestRow(of: table.number) == highest)
                #expect(try target.reserveRows(1, in: table.number).lowerBound > highest)
            }
            #expect(target.identity != source.identity)
        }
    }

    private func fill(_ backend: any Backend, _ count: Int) throws {
        let store = try Store(backend: backend, classes: [CopiedSong.self])
        for number in 0..<count {
            let song = CopiedSong()
            (song.title, song.code) = ("Song \(number % 10)", number)
            song.lyrics = "blue moon number\(number)"
            store.insert(song)
        }
        try store.save()
        try store.indexes.build()
        for number in 0..<5 {
            let songs = try store.fetch(
                CopiedSong.self, where: #Predicate { $0.code == number })
            try store.delete(#require(songs.first))
            try store.save()
        }
        let last = try #require(
            store.fetch(CopiedSong.self, where: #Predicate { $0.code == count - 1 }).first)
        try store.delete(last)
        let favorite = DataBuffer()
        favorite.writeUInt32(77)
        store.namedBuffers["Favorite"] = favorite
        try store.save()
        try store.indexes.build()
    }

    @Test(arguments: Engine.allCases, Engine.allCases)
    func indexesAnswerInTheCopyAtOnceAndTextsAfterwards(from: Engine, to: Engine) async throws {
        let directory = try TemporaryDirectory()
        let (source, target) = (
            try from.open(directory, "From"), try to.open(directory, "To")
        )
        try fill(source, 200)
        _ = try await StoreSchema.copy(source, to: target)
        let entries = try target.derivedEntries(ofClass: 0)
        let states = entries.all.map { "\($0.kind) \($0.state)" }.sorted()
        #expect(states == ["1 complete", "1 complete", "2 building"])
        let store = try Store(backend: target, classes: [CopiedSong.self])
        #expect(
            try store.fetch(CopiedSong.self, where: #Predicate { $0.title == "Song 7" }).count == 20
        )
        #expect(try store.search(CopiedSong.self, "number17").count == 1)
        try store.indexes.build()
        #expect(try store.search(CopiedSong.self, "moon").count == 194)
        // What is changed after many commits of the original counts for more than what it had.
        let song = try #require(
            store.fetch(CopiedSong.self, where: #Predicate { $0.code == 17 }).first)
        song.lyrics = "red sun"
        try store.save()
        #expect(try store.search(CopiedSong.self, "number17").isEmpty)
        #expect(try store.search(CopiedSong.self, "red").count == 1)
        let deleted = try source.highestRow(of: try #require(song.storedClass).table)
        let added = CopiedSong()
        added.code = 1000
        store.insert(added)
        try store.save()
        #expect(added.rowID > deleted)
        #expect(try store.namedBuffers["Favorite"]?.readUInt32() == 77)
        #expect(try await store.check().findings == [])
    }

    @Test(arguments: Engine.allCases)
    func aTargetThatIsNotEmptyIsRefused(engine: Engine) async throws {
        let directory = try TemporaryDirectory()
        let (source, target) = (MemoryBackend(), try engine.open(directory, "To"))
        await #expect(throws: StoreCopyError.isEmpty(location: source.location)) {
            try await StoreSchema.copy(source, to: target)
        }
        try fill(source, 20)
        try fill(target, 10)
        let last = try target.lastCommit()
        await #expect(throws: StoreCopyError.isNotEmpty(location: target.location)) {
            try await StoreSchema.copy(source, to: target)
        }
        #expect(try target.lastCommit() == last)
    }

    @Test(arguments: Engine.allCases)
    func aCancelledCopyLeavesAnEmptyStore(engine: Engine) async throws {
        let directory = try TemporaryDirectory()
        let (source, target) = (MemoryBackend(), try engine.open(directory, "To"))
        try fill(source, 50)
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()
        await #expect(throws: CancellationError.self) {
            try await StoreSchema.copy(source, to: target, progress: progress)
        }
        #expect(try target.refresh() == 0)
        #expect(try target.tables().isEmpty)
        #expect(try await StoreSchema.copy(source, to: target) > 44)
    }
}
