import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Records of classes that a program does not have any more.
struct MovingClassesTests {
    let backend = MemoryBackend()

    private func open(_ migrations: [Migration] = []) throws -> Store {
        try Store(backend: backend, classes: Performed.classes, migrations: migrations)
    }

    @Test func recordsOfAnOldClassAreReadWithoutIt() throws {
        try Performed.fill(backend)
        let store = try open()
        let tracks = try store.objects(of: Performed.Track.self)
        var names: [String] = []
        var rows: [String: RowID] = [:]
        var parents: [String: [FieldValue.Reference]] = [:]
        try store.forEachRecord(of: "Label") { record in
            let name = try #require(try record.value("name", as: String.self))
            names.append(name)
            rows[name] = record.rowID
            parents[name] = try record.references("parent")
            #expect(record.version == 1)
            #expect(record.type(of: "parent") == "One<Label>")
            #expect(try record.references("none") == nil)
            #expect(throws: StoreError.self) { try record.references("name") }
            guard name == "Label" else { return }
            #expect(try record.value("founded", as: Int?.self) == 1957)
            // The classes of these are registered.
            let found = try #require(try record.objects("tracks"))
            #expect(found.count == 4 && zip(found, tracks).allSatisfy { $0 === $1 })
            let star = try #require(try record.references("star"))
            #expect(star == [.init(className: "Track", classNumber: 0, row: tracks[0].rowID)])
            #expect(try record.references("tracks")?.map(\.row) == tracks.map(\.rowID))
            #expect(throws: StoreError.self) { try record.objects("parent") }
            #expect(throws: StoreError.enumerating) { try store.save() }
        }
        #expect(names.sorted() == ["Label", "Parent"])
        #expect(parents["Parent"] == [])
        #expect(parents["Label"]?.map(\.row) == rows["Parent"].map { [$0] })
        #expect(parents["Label"]?.map(\.className) == ["Label"])
        try store.forEachRecord(of: "None") { _ in Issue.record("there is none") }
    }

    @Test func movingToAnotherClassDropsTheOldRecords() async throws {
        try Performed.fill(backend)
        let store = try open([
            Migration("labels become performers", dropping: ["label", "None"]) { store, _ in
                try store.forEachRecord(of: "Label") { record in
                    let performer = Performed.Performer(try record.value("name") ?? "")
                    store.insert(performer)
                    for case let track as Performed.Track in try record.objects("tracks") ?? [] {
                        performer.tracks.append(track)
                    }
                }
            }
        ])
        try await store.migrate()
        let all = "track 0, track 1, track 2, track 3"
        #expect(try Performed.summary(store) == ["Label: \(all)", "Parent: "])
        let again = try open()
        try again.forEachRecord(of: "Label") { _ in Issue.record("is still there") }
        #expect(try Performed.summary(again) == ["Label: \(all)", "Parent: "])
        #expect(try await again.check().isSound)
        // A class of that name begins without objects.
        let then = try Store(backend: backend, classes: [Performed.Then.Label.self])
        #expect(try then.count(of: Performed.Then.Label.self) == 0)
    }

    @Test func droppedRecordsReferToNothingAnyMore() async throws {
        final class Track: StoredObject {
            override class var tracksReferrers: Bool { true }
        }
        final class Label: StoredObject {
            @Many var tracks: [Track]
            override class var storageName: String { "Label" }
        }
        let first = try Store(backend: backend, classes: [Track.self, Label.self])
        let (label, track) = (Label(), Track())
        label.tracks = [track, Track()]
        first.insert(label)
        try first.save()
        #expect(try first.referrers(of: track) == [label])
        let drop = Migration("drop", dropping: ["Label"]) { _, _ in }
        let store = try Store(backend: backend, classes: [Track.self], migrations: [drop])
        try await store.migrate()
        let again = try Store(backend: backend, classes: [Track.self, Label.self])
        let found = try #require(try again.objects(of: Track.self).first)
        #expect(try again.referrers(of: found) == [])
        let report = try await again.check()
        #expect(report.findings == [], "\(report.findings)")
    }

    @Test func aFailureDropsNothing() async throws {
        try Performed.fill(backend)
        let store = try open([
            Migration("drop", dropping: ["Label"]) { _, _ in throw CancellationError() }
        ])
        await #expect(throws: CancellationError.self) { try await store.migrate() }
        var count = 0
        try store.forEachRecord(of: "Label") { _ in count += 1 }
        #expect(count == 2)
    }

    @Test func recordsThatOnlyTheirClassCanReadSaySo() throws {
        let first = try Store(backend: backend, classes: [Song.self])
        first.insert(Song())
        try first.save()
        let store = try open()
        do {
            try store.forEachRecord(of: "Song") { _ in Issue.record("was read") }
            Issue.record("no error")
        } catch StoreError.handWrittenRecord(let name, _, _) {
            #expect(name == "Song")
        }
        try store.save()
    }

    @Test func damagedRecordsGiveATypedError() throws {
        try Performed.fill(backend)
        let record = try #require(try backend.record(2, of: "Label"))
        for end in 0..<record.count {
            try backend.put(Array(record[..<end]), at: 2, of: "Label")
            let store = try open()
            #expect(throws: StoreError.self) {
                try store.forEachRecord(of: "Label") { record in
                    for name in record.fieldNames {
                        if record.type(of: name)?.contains("<") == true {
                            _ = try record.references(name)
                        }
                    }
                }
            }
        }
    }
}
