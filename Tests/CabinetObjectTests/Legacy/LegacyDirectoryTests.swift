import Cabinet
import CabinetTestSupport
import Foundation
import Testing

@testable import CabinetTestModel

/// The ancestor's song: version 3 is what the model's `Song` writes, too.
private final class OldSong: StoredObject {
    var title = ""
    var seconds: UInt32 = 0

    override class var storageName: String { "Song" }
    override class var version: UInt8 { 3 }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(title)
        buffer.writeUInt32(seconds)
    }
    override func readContent(from buffer: DataBuffer) throws {
        title = try buffer.readString()
        seconds = try buffer.readUInt32()
    }
}

private final class OldList: StoredObject {
    var title = ""
    var songs: [OldSong] = []

    override class var storageName: String { "Playlist" }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(title)
        buffer.writeReferences(songs)
    }
    override func readContent(from buffer: DataBuffer) throws {
        title = try buffer.readString()
        songs = try buffer.readReferences()
    }
}

struct LegacyDirectoryTests {
    let directory: TemporaryDirectory
    let fixture: LegacyFixture
    var place: URL { directory.url.appending(path: "Music") }

    init() throws {
        directory = try TemporaryDirectory()
        fixture = try LegacyFixture.read()
        try LegacyFixture.copy(to: place)
    }

    func open(_ access: Access = .readWrite) throws -> Store {
        try Store(
            directory: place, classes: [OldList.self, Person.self, OldSong.self], access: access)
    }

    func expectContent(of store: Store) throws {
        let songs = try store.objects(of: OldSong.self).map {
            LegacyFixture.SongEntry(row: $0.rowID.rawValue, title: $0.title, seconds: $0.seconds)
        }
        #expect(songs == fixture.songs)
        let lists = try store.objects(of: OldList.self).map {
            LegacyFixture.PlaylistEntry(
                row: $0.rowID.rawValue, title: $0.title, songs: $0.songs.map(\.rowID.rawValue))
        }
        #expect(lists == fixture.playlists)
        let people = try store.objects(of: Person.self).map { person in
            LegacyFixture.PersonEntry(
                row: person.rowID.rawValue, name: person.values.name,
                birthday: person.values.birthday?.timeIntervalSinceReferenceDate,
                height: person.values.height, weight: person.values.weight,
                photo: person.values.photo.map { String(format: "%02x", $0) }.joined(),
                bestFriend: person.friend?.rowID.rawValue ?? 0,
                favorites: person.things.compactMap { thing in
                    (try? thing.store?.metadata(of: type(of: thing)).storageName)
                        .map { .init(class: $0, row: thing.rowID.rawValue) }
                },
                stars: person.values.stars)
        }
        #expect(people == fixture.people)
        let favorite = try #require(store.namedBuffers["Favorite"])
        #expect(try favorite.readReference(to: OldSong.self)?.rowID == 13)
        let top = try #require(store.namedBuffers["Top Four"])
        #expect(try top.readReferences(to: OldSong.self).map(\.rowID) == [5, 6, 7, 8])
        #expect(try store.namedBuffers.all() == ["Favorite", "Top Four"])
    }

    /// The files of 2010 have no number, so an ID made from one run's number would not be found by
    /// the next.
    @Test func objectsHaveIDsFromTheFirstSaveOn() throws {
        let store = try open()
        let song = try store.objects(of: OldSong.self)[3]
        let shown = song.id
        #expect(store.backend.identity == 0)
        #expect(song.objectID == nil)
        try store.objects(of: OldSong.self)[0].willChange()
        try store.save()
        let id = try #require(song.objectID)
        #expect(song.id == shown)
        let title = song.title
        try store.close()
        let again = try open(.readOnly)
        #expect(try again.object(id)?.title == title)
    }

    @Test func everythingIsReadAsTheJSONSays() throws {
        for access in [Access.readOnly, .readWrite] {
            let before = try contents()
            let store = try open(access)
            try expectContent(of: store)
            #expect(try store.metadata(of: OldSong.self).number == 0)
            #expect(try store.metadata(of: Person.self).number == 2)
            try store.close()
            #expect(try contents() == before)
        }
    }

    @Test func aSaveIsTakenAndEverythingElseStays() throws {
        let store = try open()
        let new = OldSong()
        new.title = "New"
        store.insert(new)
        #expect(new.rowID == 63)
        try store.save()
        try store.close()
        let again = try open()
        #expect(try again.count(of: OldSong.self) == 61)
        let found = try #require(try again.object(OldSong.self, rowID: 63))
        #expect(found.title == "New")
        try again.delete(found)
        try again.save()
        try expectContent(of: again)
        try again.close()
    }

    /// Row 62 was given out by the ancestor, so the next is 63 and 63 is never given twice.
    @Test func rowsGoOnWhereTheAncestorStopped() throws {
        for expected in [63, 64, 65] as [RowID] {
            let store = try open()
            let song = OldSong()
            store.insert(song)
            #expect(song.rowID == expected)
            try store.save()
            try store.delete(song)
            try store.save()
            try store.close()
        }
    }

    private func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        return names.reduce(into: [:]) { found, name in
            found[name] = try? Data(contentsOf: place.appending(path: name))
        }
    }

    @Test func aCheckReadsItByTheClassesThatAreThere() async throws {
        let store = try open(.readOnly)
        let report = try await store.check()
        #expect(report.isSound && report.unread == [:])
        let known = fixture.songs.count + fixture.playlists.count + fixture.people.count
        #expect(report.records == known && report.references > 0)
        try store.close()
        let listless = try Store(directory: place, classes: [OldSong.self], access: .readOnly)
        let other = try await listless.check()
        #expect(
            other.unread == [
                "Playlist": fixture.playlists.count, "Person": fixture.people.count,
            ])
        try listless.close()
    }
}
