import Cabinet
import Testing

@testable import playlists

struct LibraryEditingTests {
    private let library: Library
    private let songs: [Song]
    private let playlist: Playlist

    /// Songs a, b, c and d, and the playlist "Mix" of a, b and c.
    init() throws {
        let store = try Store(inMemory: Library.classes)
        songs = ["a", "b", "c", "d"].map { title in
            let song = Song()
            song.title = title
            store.insert(song)
            return song
        }
        library = Library(store)
        playlist = try library.newPlaylist("Mix")
        playlist.songs = Array(songs.prefix(3))
        try store.save()
    }

    private var order: String { playlist.songs.map(\.title).joined() }

    @Test(arguments: [
        (1, 3, "bca"), (3, 1, "cab"), (1, 2, "bac"), (2, 2, "abc"), (2, 3, "acb"),
    ])
    func aMovedSongStandsWhereItWasSent(_ from: Int, _ to: Int, _ order: String) throws {
        try library.move(in: playlist, from: from, to: to)
        #expect(self.order == order)
        #expect(playlist.isChanged == (from != to))
    }

    @Test(
        arguments: [(nil, "abcdd"), (1, "ddabc"), (4, "abcdd"), (3, "abddc")] as [(Int?, String)])
    func songsAreAddedBeforeTheirPlace(_ place: Int?, _ order: String) throws {
        try library.add([songs[3], songs[3]], to: playlist, at: place)
        #expect(self.order == order)
    }

    @Test func removingTakesOnePlaceOnly() throws {
        try library.add([songs[0]], to: playlist, at: nil)
        #expect(try library.remove(at: 1, from: playlist) === songs[0])
        #expect(order == "bca")
    }

    @Test(arguments: [0, -1, 4, Int.max, Int.min])
    func aPlaceThatIsNotThereIsAnErrorAndChangesNothing(_ place: Int) {
        let error = LibraryError.noSuchPlace(place, playlist: "Mix", last: 3)
        #expect(throws: error) { try library.move(in: playlist, from: place, to: 1) }
        #expect(throws: error) { try library.move(in: playlist, from: 1, to: place) }
        #expect(throws: error) { try library.remove(at: place, from: playlist) }
        if place != 4 {
            #expect(throws: LibraryError.noSuchPlace(place, playlist: "Mix", last: 4)) {
                try library.add([], to: playlist, at: place)
            }
        }
        #expect(order == "abc" && !library.store.hasChanges)
    }

    @Test func anEmptyPlaylistHasNoPlaces() throws {
        let empty = try library.newPlaylist("Empty")
        #expect(throws: LibraryError.noSuchPlace(1, playlist: "Empty", last: 0)) {
            try library.remove(at: 1, from: empty)
        }
    }

    @Test func titlesOfNewPlaylistsAreNotTaken() throws {
        #expect(throws: LibraryError.titleTaken("Mix")) { try library.newPlaylist("Mix") }
        #expect(throws: LibraryError.emptyTitle) { try library.newPlaylist("") }
        let other = try library.newPlaylist("Other")
        #expect(throws: LibraryError.titleTaken("Mix")) { try library.rename(other, to: "Mix") }
        try library.rename(playlist, to: "Mix")
        try library.rename(playlist, to: "mix")
        #expect(playlist.title == "mix")
    }

    @Test func namesAreTitlesOrRows() throws {
        #expect(try library.song("b") === songs[1])
        #expect(try library.song("B") === songs[1])
        #expect(try library.song("@\(songs[2].rowID)") === songs[2])
        #expect(throws: LibraryError.notFound(.song, name: "x")) { try library.song("x") }
        #expect(throws: LibraryError.notFound(.song, name: "@99")) { try library.song("@99") }
        songs[3].title = "B"
        #expect(try library.song("B") === songs[3])
        #expect(try library.song("b") === songs[1])
        songs[3].title = "b"
        let rows = [songs[1].rowID, songs[3].rowID]
        #expect(throws: LibraryError.ambiguous(.song, name: "b", rows: rows)) {
            try library.song("b")
        }
    }

    @Test func aDeletedObjectIsNotFound() throws {
        let row = songs[1].rowID
        try library.store.delete(songs[1])
        #expect(throws: LibraryError.notFound(.song, name: "b")) { try library.song("b") }
        #expect(throws: LibraryError.notFound(.song, name: "@\(row)")) {
            try library.song("@\(row)")
        }
    }
}
