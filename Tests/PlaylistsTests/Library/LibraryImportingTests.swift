import Cabinet
import Testing

@testable import playlists

struct LibraryImportingTests {
    private let library: Library

    init() throws {
        library = Library(try Store(inMemory: Library.classes))
    }

    private func take(_ imported: ImportedLibrary) throws -> Library.Summary {
        let summary = try library.take(imported)
        try library.store.save()
        return summary
    }

    private func titles(of playlist: String) throws -> [String] {
        try library.playlist(playlist).songs.map(\.title)
    }

    @Test func importingAgainChangesNothing() throws {
        let imported = try Fixtures.library()
        #expect(
            try take(imported) == .init(songs: 3, newSongs: 3, playlists: 3, newPlaylists: 3))
        let before = try library.listing()
        #expect(try library.take(imported) == .init(songs: 3, playlists: 3))
        #expect(!library.store.hasChanges)
        #expect(try library.listing() == before)
    }

    @Test func aChangedFileUpdatesTheSameRows() throws {
        var imported = try Fixtures.library()
        _ = try take(imported)
        let rows = try library.listing().songs.map(\.row)
        imported.tracks[0].title = "Rust and Roses"
        imported.tracks[0].location = "file:///elsewhere.m4a"
        imported.playlists[0].tracks = [1, 0]
        imported.playlists.append(ImportedPlaylist(title: "More", tracks: [2]))
        #expect(try take(imported) == .init(songs: 3, playlists: 4, newPlaylists: 1))
        #expect(try library.listing().songs.map(\.row) == rows)
        #expect(try titles(of: "Late Hours") == ["木曜日", "Rust and Roses"])
    }

    @Test func songsAreFoundByTheirIDAndThenByDescription() throws {
        _ = try take(
            ImportedLibrary(tracks: [
                ImportedTrack(title: "One", seconds: 60, persistentID: "P1"),
                ImportedTrack(title: "Two", seconds: 61, artist: "A"),
            ]))
        let summary = try take(
            ImportedLibrary(tracks: [
                ImportedTrack(title: "Two", seconds: 61, artist: "A", persistentID: "P2"),
                ImportedTrack(title: "1", seconds: 59, persistentID: "P1"),
                ImportedTrack(title: "Two", seconds: 62, artist: "A"),
            ]))
        #expect(summary == .init(songs: 3, newSongs: 1))
        #expect(try library.listing().songs.map(\.title) == ["1", "Two", "Two"])
        #expect(try library.song("@3").persistentID == "P2")
    }

    @Test func tracksThatLookAlikeStayApartHoweverOftenTheyAreImported() throws {
        let twin = ImportedTrack(title: "Twin", seconds: 5, location: "file:///t.mp3")
        var (first, second) = (twin, twin)
        first.persistentID = "P1"
        second.persistentID = "P2"
        let imported = ImportedLibrary(
            tracks: [first, second], playlists: [ImportedPlaylist(title: "L", tracks: [1, 0])])
        #expect(try take(imported).newSongs == 2)
        #expect(try take(imported).newSongs == 0)
        // Even where the other one comes first.
        let turned = ImportedLibrary(tracks: [second, first])
        #expect(try take(turned).newSongs == 0)
        #expect(try library.playlist("L").songs.map(\.persistentID) == ["P2", "P1"])
    }

    @Test func playlistsOfOneTitleStayApart() throws {
        let imported = ImportedLibrary(
            tracks: [ImportedTrack(title: "a"), ImportedTrack(title: "b")],
            playlists: [
                ImportedPlaylist(title: "Mix", tracks: [0]),
                ImportedPlaylist(title: "Mix", tracks: [1]),
            ])
        #expect(try take(imported).newPlaylists == 2)
        #expect(try take(imported).newPlaylists == 0)
        #expect(!library.store.hasChanges)
        let contents = try library.listing().playlists.map(\.songs)
        #expect(contents == [[2], [3]])
    }

    @Test func whatTheFileDoesNotMentionStays() throws {
        try library.newPlaylist("Mine")
        _ = try take(ImportedLibrary(tracks: [ImportedTrack(title: "Old")]))
        _ = try take(ImportedLibrary(playlists: [ImportedPlaylist(title: "Other")]))
        #expect(try library.listing().playlists.map(\.title) == ["Mine", "Other"])
        #expect(try library.listing().songs.map(\.title) == ["Old"])
    }
}
