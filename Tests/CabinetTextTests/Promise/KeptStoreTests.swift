import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// What a released version has written, every later one opens, reads, finds and goes on with.
@Suite("Stores of released versions")
struct KeptStoreTests {
    let directory = ScratchDirectory(inMemory: true)
    private var place: URL { URL(filePath: directory.file("Store")) }

    static let versions = ["0.1.0"]
    static let stores = versions.flatMap { version in
        ["closed", "killed"].map { "\(version)/\($0)" }
    }

    private func take(_ store: String) throws {
        try FileManager.default.copyItem(at: Kept.fixtures.appending(path: store), to: place)
    }

    private func content(of store: Store) throws -> Data {
        let file = URL(filePath: directory.file("content.json"))
        try store.json.export(Kept.exported, to: file)
        return try Data(contentsOf: file)
    }

    private func expected(_ store: String) throws -> Data {
        try Data(
            contentsOf: Kept.fixtures.appending(path: store).deletingLastPathComponent()
                .appending(path: "content.json"))
    }

    /// What indexes and texts answer, each beside what the objects themselves say.
    private func expectAnswers(_ store: Store) throws {
        let songs = try store.objects(of: Kept.KeptSong.self)
        func expect(_ query: StoreQuery<Kept.KeptSong>, _ matches: (Kept.KeptSong) -> Bool) throws {
            #expect(
                try query.objects().map(\.rowID).sorted()
                    == songs.filter(matches).map(\.rowID).sorted())
        }
        let query = store.query(Kept.KeptSong.self)
        try expect(query.filter(#Predicate { $0.code == "C7" })) { $0.code == "C7" }
        try expect(query.filter(#Predicate { $0.rating > 2 })) { $0.rating > 2 }
        try expect(query.filter(#Predicate { $0.tags.contains("t1") })) { $0.tags.contains("t1") }
        try expect(query.filter(text: "artist.name = 'beat 1'")) { $0.artist?.name == "beat 1" }
        try expect(query.matching(SearchQuery("late"))) { $0.title.contains("late") }
        try expect(query.matching(SearchQuery("lyrics:walk"))) { $0.lyrics.contains("Walking") }
        try expect(query.matching(SearchQuery("parts:rain"))) { $0.title.contains("rain") }
        let notes = try store.objects(of: Kept.KeptNote.self).map(\.text)
        #expect(notes == ["Note 0", "Note 1", "Note 2"])
        for artist in try store.objects(of: Kept.KeptArtist.self) {
            let referrers = try store.referrers(of: artist)
            #expect(referrers.contains { $0 is Kept.KeptSong } == !artist.songs.isEmpty)
            #expect(artist.songs.allSatisfy { $0.artist === artist })
        }
    }

    @Test("open as they were left, whole, and can be read only", arguments: stores)
    func reading(_ name: String) async throws {
        try take(name)
        let store = try Store(directory: place, classes: Kept.classes, access: .readOnly)
        #expect(try content(of: store) == expected(name))
        try expectAnswers(store)
        let report = try await store.check()
        #expect(report.isSound, "\(report.findings)")
        try store.close()
    }

    @Test("answer by their indexes and texts, without making any anew", arguments: stores)
    func indexes(_ name: String) async throws {
        try take(name)
        let store = try Store(directory: place, classes: Kept.classes)
        let before = try store.backend.lastCommit()
        try store.indexes.require()
        #expect(try store.backend.lastCommit() == before, "nothing had to be built")
        try expectAnswers(store)
        let plan = try store.query(Kept.KeptSong.self).filter(#Predicate { $0.code == "C7" })
            .explain()
        #expect(plan.description.contains("index code"))
        #expect(store.namedBuffers["settings"] == nil)
        #expect(try store.namedBuffers["größe"]?.readString() == "größe")
        let report = try await store.check()
        #expect(report.isSound, "\(report.findings)")
        try store.close()
    }

    @Test("go on: edits, compaction, another opening", arguments: stores)
    func goingOn(_ name: String) async throws {
        try take(name)
        let store = try Store(directory: place, classes: Kept.classes)
        for (number, song) in try store.objects(of: Kept.KeptSong.self).enumerated()
        where number % 3 == 0 {
            song.title += " again"
            song.code = "N\(number)"
        }
        try store.save()
        try await (store.backend as? any StoreMaintenance)?.compact()
        try store.upgradeAll()
        let saved = try content(of: store)
        try expectAnswers(store)
        let report = try await store.check()
        #expect(report.isSound, "\(report.findings)")
        try store.close()
        let again = try Store(directory: place, classes: Kept.classes)
        #expect(try content(of: again) == saved)
        try again.close()
    }

    @Test("what makes them makes their content again, and keeps what they keep")
    func making() async throws {
        let kept = ProcessInfo.processInfo.environment["CABINET_FIXTURES"].map { URL(filePath: $0) }
        let folder = kept ?? URL(filePath: directory.file("made"))
        try await Kept.make(in: folder)
        #expect(
            try Data(contentsOf: folder.appending(path: "content.json"))
                == expected("\(Self.versions.last ?? "")/closed"))
    }
}
