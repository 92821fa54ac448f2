import Cabinet
import CabinetMemory
import Testing

@testable import playlists

struct SongTests {
    private func bytes(of object: StoredObject) -> [UInt8] {
        let buffer = DataBuffer()
        object.writeContent(to: buffer)
        return buffer.withUnsafeBytes { Array($0) }
    }

    /// A store in memory with one record of version 3, opened with the present class.
    private func storeWithOldSong() throws -> Store {
        let backend = MemoryBackend()
        let old = try Store(backend: backend, classes: [OldSong.self])
        let song = OldSong()
        song.title = "Café"
        song.seconds = 299
        old.insert(song)
        try old.save()
        return try Store(backend: backend, classes: Library.classes)
    }

    private func versions(in store: Store) throws -> [UInt8] {
        var versions: [UInt8] = []
        try store.forEachRecordVersion(Song.self) { _, version, _ in versions.append(version) }
        return versions
    }

    /// What a song is in version 4.
    private static let versionFour: [UInt8] = [
        2, 0, 0, 0, 0xC3, 0xA9,  // title
        4, 3, 2, 1,  // seconds
        1, 0, 0, 0, 0x41,  // artist
        0, 0, 0, 0,  // album
        1, 0xCA, 0x07,  // year
        1, 0, 0, 0, 0x2F,  // location
        2, 0, 0, 0, 0x30, 0x46,  // persistent ID
    ]

    @Test func aSongIsWrittenByteForByte() {
        let song = Song()
        song.title = "é"
        song.seconds = 0x0102_0304
        song.artist = "A"
        song.year = 1994
        song.location = "/"
        song.persistentID = "0F"
        // What version 4 wrote by hand, and the playlists: a tag and a count.
        #expect(bytes(of: song) == Self.versionFour + [0, 0, 0, 0, 0])
    }

    @Test func aRecordOfVersionFourIsReadByteForByte() throws {
        let backend = MemoryBackend()
        let old = try Store(backend: backend, classes: [Past.Song.self])
        old.insert(Past.Song())
        try old.save()
        let table = try #require(try backend.tables().first { $0.name == "Song" }).number
        let batch = backend.makeBatch()
        let record = batch.beginRecord(2, in: table)
        record.writeUInt8(4)
        Self.versionFour.withUnsafeBytes { record.writeRawBytes($0) }
        try batch.endRecord()
        try backend.commit(batch)
        let store = try Store(backend: backend, classes: Library.classes)
        let song = try #require(try store.object(Song.self, rowID: 2))
        #expect(song.title == "é" && song.seconds == 0x0102_0304 && song.artist == "A")
        #expect(song.album.isEmpty && song.year == 1994 && song.location == "/")
        #expect(song.persistentID == "0F" && song.playlists.isEmpty)
    }

    @Test func anUnknownYearIsOneByte() {
        #expect(bytes(of: Song()) == [UInt8](repeating: 0, count: 30))
    }

    @Test func aRecordOfTheOldVersionIsReadAndStaysUntilItIsChanged() throws {
        let store = try storeWithOldSong()
        let song = try #require(try store.objects(of: Song.self).first)
        #expect(song.title == "Café")
        #expect(song.seconds == 299)
        #expect(song.artist.isEmpty && song.album.isEmpty && song.location.isEmpty)
        #expect(song.year == nil)
        try store.save()
        #expect(try versions(in: store) == [3])
        song.artist = "Somebody"
        try store.save()
        #expect(try versions(in: store) == [5])
    }

    @Test func upgradingRewritesOldRecords() throws {
        let store = try storeWithOldSong()
        #expect(try store.upgradeAll(of: Song.self) == 1)
        #expect(try versions(in: store) == [5])
        #expect(try store.objects(of: Song.self).first?.title == "Café")
    }

    @Test func rollbackTakesNewFieldsOffAnOldRecord() throws {
        let store = try storeWithOldSong()
        let song = try #require(try store.objects(of: Song.self).first)
        song.artist = "Nobody"
        song.year = 1
        store.rollback()
        #expect(song.artist.isEmpty)
        #expect(song.year == nil)
    }

    @Test func aDeletedSongLeavesEveryPlaceItHad() throws {
        let store = try Store(inMemory: Library.classes)
        let songs = (0..<3).map { number in
            let song = Song()
            song.title = "\(number)"
            store.insert(song)
            return song
        }
        let (one, other) = (Playlist(), Playlist())
        one.songs = [songs[0], songs[1], songs[0], songs[2], songs[0]]
        other.songs = [songs[1]]
        store.insert(one)
        store.insert(other)
        try store.save()
        try store.delete(songs[0])
        #expect(one.songs.map(\.title) == ["1", "2"])
        #expect(!other.isChanged)
        try store.save()
        #expect(try store.count(of: Song.self) == 2)
    }

    @Test func whatATrackDoesNotKnowStaysAsItIs() {
        let song = Song()
        #expect(
            song.update(
                from: ImportedTrack(
                    title: "T", seconds: 9, artist: "A", album: "L", year: 1990,
                    location: "file:///x", persistentID: "P")))
        #expect(!song.update(from: ImportedTrack()))
        #expect(song.title == "T" && song.seconds == 9 && song.year == 1990)
        #expect(song.update(from: ImportedTrack(title: "New")))
        #expect(song.title == "New" && song.artist == "A")
    }
}
