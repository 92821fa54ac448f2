import CabinetMemory
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// What was exported is the same when it is imported, in another store or in the same.
struct ExchangeTests {
    let directory: TemporaryDirectory
    var file: URL { directory.url.appending(path: "Export.json") }

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ classes: [StoredObject.Type] = exchangeClasses) throws -> Store {
        try Store(inMemory: classes)
    }

    /// Others could read it, of a store that they may not read; and a link led out of the directory.
    @Test func othersMayNotReadWhatIsExported() throws {
        let manager = FileManager.default
        let store = try open()
        try ExchangedGraph.fill(store, seed: 1)
        let outside = directory.url.appending(path: "outside")
        try Data("precious".utf8).write(to: outside)
        for isLink in [false, true] {
            if isLink {
                try manager.removeItem(at: file)
                try manager.createSymbolicLink(at: file, withDestinationURL: outside)
            }
            _ = try store.json.export(to: file)
            let attributes = try manager.attributesOfItem(atPath: file.path)
            #expect(attributes[.type] as? FileAttributeType == .typeRegular)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            #expect(try Data(contentsOf: outside) == Data("precious".utf8))
        }
    }

    /// A killed export leaves its file under another name.
    @Test func whatAKilledExportHasLeftGoesWithTheNext() throws {
        let store = try open()
        try ExchangedGraph.fill(store, seed: 1)
        let name = "Export.json.\(UUID().uuidString).partial"
        let others = [
            "Export.json.partial", "Export.json.x.partial", "Other.json.\(UUID()).partial",
            name + ".txt", "x" + name,
        ]
        for name in others + [name] {
            try Data("left".utf8).write(to: directory.url.appending(path: name))
        }
        let running = try WrittenFile(file)
        try running.write("x")
        _ = try store.json.export(to: file)
        let found = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(Set(found).isSuperset(of: others + ["Export.json"]))
        #expect(!found.contains(name))
        #expect(found.count == others.count + 2)
        try running.finish()
        #expect(try Data(contentsOf: file) == Data("x".utf8))
    }

    @Test func anyGraphComesBack() async throws {
        for seed in RunSetting.seeds(25) {
            let store = try open()
            try ExchangedGraph.fill(store, seed: seed)
            let count = try store.json.export(to: file)
            let other = try open(exchangeClasses.reversed())
            let report = try other.json.import(from: file)
            #expect(
                report
                    == {
                        var wanted = ImportReport()
                        wanted.objects = count
                        return wanted
                    }())
            let wanted = try ExchangedGraph.summary(store)
            #expect(count == wanted.count)
            let found = try ExchangedGraph.summary(other)
            let pair = zip(found, wanted).first { $0 != $1 }
            #expect(found == wanted, "seed \(seed), pending: \(pair as Any)")
            try other.save()
            let again = try Store(backend: other.backend, classes: exchangeClasses)
            #expect(try ExchangedGraph.summary(again) == wanted, "seed \(seed), saved")
            #expect(try await again.check().findings.filter(\.kind.isFault) == [])
        }
    }

    @Test func theDocumentIsJSONWithAnObjectOnEachLine() throws {
        let store = try open()
        try ExchangedGraph.fill(store, seed: 1)
        let count = try store.json.export(to: file)
        let text = try String(contentsOf: file, encoding: .utf8)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(document["format"] as? String == "cabinet-export")
        #expect(document["version"] as? Int == 1)
        #expect((document["objects"] as? [[String: Any]])?.count == count)
        let lines = text.split(separator: "\n").dropFirst().dropLast()
        #expect(lines.count == count)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"class\":") })
    }

    @Test func aClassAloneRefersToWhatIsNotThere() throws {
        let store = try open(tunes)
        let disc = Disc()
        disc.tracks = [Tune("a"), Tune("b")]
        store.insert(disc)
        #expect(try store.json.export([Tune.self], to: file) == 2)
        let other = try open(tunes)
        #expect(throws: StoreError.self) { try other.json.import(from: file) }
        #expect(!other.hasChanges)
        let report = try other.json.import(from: file, unknown: .skip)
        #expect(report.objects == 2 && report.skippedReferences == 2)
        #expect(try other.objects(of: Tune.self).map(\.album) == [nil, nil])
    }

    @Test func aGraphIsWhatTheObjectsLeadTo() throws {
        let store = try open(tunes)
        let (disc, other, list) = (Disc(), Disc(), TuneList())
        disc.tracks = [Tune("a"), Tune("b")]
        other.tracks = [Tune("c")]
        list.tunes = [disc.tracks[0]]
        for object in [disc, other, list] as [StoredObject] { store.insert(object) }
        try store.save()
        #expect(try store.json.export(from: [disc], to: file) == 4)
        let target = try open(tunes)
        try target.json.import(from: file)
        #expect(try target.objects(of: Tune.self).map(\.title).sorted() == ["a", "b"])
        #expect(try target.objects(of: TuneList.self).first?.tunes.map(\.title) == ["a"])
        #expect(try store.json.export(from: [], to: file) == 0)
        #expect(try target.json.import(from: file).objects == 0)
        #expect(throws: StoreError.self) { try store.json.export(from: [Disc()], to: file) }
    }

    @Test func importingTwiceMakesEachObjectTwice() throws {
        let store = try open(tunes)
        store.insert(Tune("a"))
        try store.json.export(to: file)
        try store.json.import(from: file)
        try store.save()
        try store.json.import(from: file)
        #expect(try store.objects(of: Tune.self).map(\.title) == ["a", "a", "a"])
    }

    @Test func anImportIsOneStepOfUndo() throws {
        let store = try open()
        try ExchangedGraph.fill(store, seed: 3)
        try store.json.export(to: file)
        let other = try open()
        other.undoHistory.isEnabled = true
        try other.json.import(from: file)
        let summary = try ExchangedGraph.summary(other)
        #expect(try other.undoHistory.undo())
        #expect(try ExchangedGraph.summary(other) == [] && !other.undoHistory.canUndo)
        #expect(try other.undoHistory.redo())
        #expect(try ExchangedGraph.summary(other) == summary)
    }

    @Test func namesOfEarlierProgramsAreFound() throws {
        final class Old: StoredObject {
            @Field var title = "t"
            @Field var seconds: UInt16 = 9
        }
        final class New: StoredObject {
            @Field(was: "title") var name = ""
            @Field var seconds: Double = 0
            @Field var added = "initial"
            override class var formerStorageNames: [String] { ["Old"] }
        }
        let store = try open([Old.self])
        store.insert(Old())
        try store.json.export(to: file)
        let other = try open([New.self])
        try other.json.import(from: file)
        let found = try #require(try other.objects(of: New.self).first)
        #expect(found.name == "t" && found.seconds == 9 && found.added == "initial")
    }

    @Test func whatAProgramLacksIsRefusedOrCounted() throws {
        let store = try open(tunes)
        let tune = Tune("a")
        let disc = Disc()
        disc.tracks = [tune]
        store.insert(disc)
        try store.json.export(to: file)
        final class Fewer: StoredObject {
            @Field var title = ""
            @Many var lists: [TuneList]
            override class var storageName: String { "Tune" }
        }
        let other = try Store(inMemory: [Fewer.self, TuneList.self])
        #expect(throws: StoreError.self) { try other.json.import(from: file) }
        let report = try other.json.import(from: file, unknown: .skip)
        #expect(report.skippedObjects == ["Disc": 1])
        #expect(report.skippedFields == ["Tune.album": 1])
        #expect(try other.objects(of: Fewer.self).map(\.title) == ["a"])
    }

    @Test func aClassThatWritesByHandIsRefused() throws {
        for classes in [[Song.self, Track.self], [Custom.self]] as [[StoredObject.Type]] {
            let store = try open(classes)
            do {
                try store.json.export(to: file)
                Issue.record("no error")
            } catch StoreError.cannotExport(let name, _) {
                #expect(name == classes[0].storageName)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func anExportThatFailsLeavesTheFormerFile() throws {
        try Data("former".utf8).write(to: file)
        let backend = FaultyBackend()
        let store = try Store(backend: backend, classes: [Track.self])
        store.insert(Track("a"))
        try store.save()
        let again = try Store(backend: backend, classes: [Track.self])
        backend.order { $0.runsLeft = 0 }
        #expect(throws: FaultyBackend.failure) { try again.json.export(to: file) }
        backend.order { $0.runsLeft = nil }
        let cancelled = Progress(totalUnitCount: 0)
        cancelled.cancel()
        #expect(throws: CancellationError.self) {
            try store.json.export(to: file, progress: cancelled)
        }
        #expect(try Data(contentsOf: file) == Data("former".utf8))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["Export.json"])
        let missing = directory.url.appending(path: "none/Export.json")
        #expect(throws: BackendError.self) { try store.json.export(to: missing) }
        #expect(throws: BackendError.self) { try store.json.import(from: missing) }
        #expect(throws: BackendError.self) { try store.json.import(from: directory.url) }
    }

    /// What `forEach` promises of memory holds for the export: objects go as they come.
    @Test func objectsGoAsTheyAreWritten() throws {
        let backend = MemoryBackend()
        let store = try Store(backend: backend, classes: tunes)
        for number in 0..<2000 {
            let disc = Disc()
            disc.tracks = [Tune("\(number)")]
            store.insert(disc)
        }
        try store.save()
        let again = try Store(backend: backend, classes: tunes)
        let progress = Progress(totalUnitCount: 0)
        #expect(try again.json.export(to: file, progress: progress) == 4000)
        #expect(progress.isFinished && progress.completedUnitCount == 4000)
        #expect(try again.metadata(of: Tune.self).liveObjects == 0)
        #expect(try again.metadata(of: Disc.self).liveObjects == 0)
        let disc = try #require(try again.object(Disc.self, rowID: 2))
        #expect(try again.json.export(from: [disc], to: file) == 2)
        #expect(try again.metadata(of: Disc.self).liveObjects == 1)
    }

    /// Both sides hold their order.
    @Test func longListsComeBack() throws {
        let store = try open(tunes)
        let (disc, list) = (Disc(), TuneList())
        disc.tracks = (0..<5000).map { Tune("\($0)") }
        list.tunes = disc.tracks.reversed()
        store.insert(disc)
        store.insert(list)
        try store.json.export(to: file)
        let other = try open(tunes)
        try other.json.import(from: file)
        let found = try #require(try other.objects(of: Disc.self).first)
        #expect(found.tracks.map(\.title) == (0..<5000).map(String.init))
        let foundList = try #require(try other.objects(of: TuneList.self).first)
        #expect(foundList.tunes.map(\.title) == (0..<5000).reversed().map(String.init))
    }

    @Test func aPlaceThatIsNoFileIsRefused() throws {
        let url = try #require(URL(string: "https://example.org/etc/hostname"))
        let store = try open(tunes)
        #expect(throws: BackendError.self) { try store.json.export(to: url) }
        #expect(throws: BackendError.self) { try store.json.import(from: url) }
    }
}
