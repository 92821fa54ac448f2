import Cabinet
import Foundation
import Testing

@testable import playlists

/// Commands as they are given, on a store in memory.
struct SessionTests {
    private let transcript = Transcript()
    private let session: Session

    init() throws {
        let store = try Store(inMemory: Library.classes)
        session = Session(store, on: transcript.console())
        _ = try session.library.take(Fixtures.library())
        try store.save()
    }

    /// What `line` prints.
    private func run(_ line: String) throws -> String {
        let before = transcript.output.count
        try session.run(Invocation(ShellWords.split(line)))
        return String(transcript.output.dropFirst(before))
    }

    @Test func everyEditIsSaved() throws {
        for line in [
            "new 'Road Trip'", "add 'Road Trip' 'cloud only' @2 --at 1", "move 'Road Trip' 2 1",
            "rename 'Road Trip' Trip", "remove Trip 1", "delete 'Most Played'",
            "delete-song 木曜日",
        ] {
            #expect(!(try run(line).isEmpty))
            #expect(!session.store.hasChanges)
        }
        #expect(
            try run("list") == """
                Row  Playlist     Songs  Time
                ---  -----------  -----  ----
                 @2  Late Hours       3  4:05
                 @4  Nothing Yet      0  0:00
                 @5  Trip             1  0:00
                3 playlists, 2 songs.

                """)
    }

    @Test func aPlaylistIsListedInItsOrder() throws {
        #expect(
            try run("list 'late hours'") == """
                "Late Hours": 3 songs, 4:05
                N  Row  Title         Artist               Album     Time
                -  ---  ------------  -------------------  --------  ----
                1   @4  Cloud Only    The Distant Servers  Uptime    0:00
                2   @2  Rust & Roses  Nils <Organ> Tveit   Verkstad  4:05
                3   @4  Cloud Only    The Distant Servers  Uptime    0:00

                """)
    }

    @Test func aSongIsShownWithItsPlaces() throws {
        #expect(
            try run("show @4") == """
                Title          Cloud Only
                Time           0:00
                Artist         The Distant Servers
                Album          Uptime
                Year           2020
                Persistent ID  0A1B2C3D4E5F6073
                Row            @4
                Place          1, 3 in "Late Hours"

                """)
    }

    @Test func deletingASongSaysWhichPlaylistsItLeft() throws {
        #expect(
            try run("delete-song 'Cloud Only'")
                == "Deleted the song \"Cloud Only\". It left \"Late Hours\".\n")
        #expect(try run("delete-song 木曜日") == "Deleted the song \"木曜日\".\n")
    }

    @Test func aDryRunSaysWhatADeleteWouldDoAndDoesNothing() throws {
        let before = try session.library.listing()
        #expect(
            try run("delete-song 'Cloud Only' --dry-run")
                == "Would delete the song \"Cloud Only\". It would leave \"Late Hours\".\n")
        #expect(
            try run("delete-song --dry-run 木曜日") == "Would delete the song \"木曜日\".\n")
        #expect(
            try run("delete 'Late Hours' --dry-run")
                == "Would delete the playlist \"Late Hours\". "
                + "2 songs would leave it, and stay in the library.\n")
        #expect(!session.store.hasChanges)
        #expect(try session.library.listing() == before)
    }

    @Test func searchSaysWhatItFound() throws {
        #expect(try run("search zzz") == "0 songs and 0 playlists found.\n")
        #expect(try run("search CLOUD").hasSuffix("\n1 song and 0 playlists found.\n"))
    }

    @Test func importSaysWhatItDid() throws {
        let path = try Fixtures.path("Library.xml")
        #expect(
            try run("import '\(path)'") == """
                Library.xml: 3 songs (0 new), 3 playlists (0 new).
                  Playlist "Late Hours": 1 item left out, as the track is missing.
                  Imported with their present songs, without their rules: "Most Played".
                  Folders are not kept, the playlists inside them are: "Moods".
                  Lists of the exporting program itself, not imported: "Library", "Music".

                """)
    }

    @Test func aBadFileChangesNothingAndTheFilesBeforeItAreKept() throws {
        let store = try Store(inMemory: Library.classes)
        let fresh = Session(store, on: transcript.console())
        let good = try Fixtures.path("Library.xml")
        #expect(throws: ImportError.self) {
            try fresh.run(Invocation(["import", good, "/no/such/Library.xml"]))
        }
        #expect(!store.hasChanges)
        #expect(try store.count(of: Song.self) == 3)
    }

    @Test func exportOfAPlaylistHoldsItsSongsOnly() throws {
        let text = try run("export 'Most Played'")
        let listing = try JSONDecoder().decode(LibraryListing.self, from: Data(text.utf8))
        #expect(listing.songs.map(\.row) == [2])
        #expect(listing.playlists == [.init(row: 3, title: "Most Played", songs: [2])])
        #expect(
            try run("export 'Nothing Yet'")
                == "{\"playlists\":[{\"row\":4,\"songs\":[],\"title\":\"Nothing Yet\"}],\"songs\":[]}\n"
        )
    }

    @Test func infoCountsRowsVersionsAndBytes() throws {
        let lines = try run("info").split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        }
        #expect(lines[2].prefix(5) == ["Song", "3", "0", "5", "(3)"])
        #expect(lines[3].prefix(5) == ["Playlist", "3", "1", "2", "(3)"])
    }

    @Test func aTitleThatIsAmbiguousIsAnErrorThatNamesRows() throws {
        _ = try session.library.take(
            ImportedLibrary(tracks: [ImportedTrack(title: "Cloud Only", seconds: 7)]))
        #expect(throws: LibraryError.ambiguous(.song, name: "Cloud Only", rows: [4, 5])) {
            try run("show 'Cloud Only'")
        }
        let error = LibraryError.ambiguous(.song, name: "Cloud Only", rows: [4, 5])
        #expect("\(error)" == "2 songs are called \"Cloud Only\". Say which one: @4, @5")
    }
}
