import Testing

@testable import playlists

struct CSVImporterTests {
    @Test func aTableBecomesSongsAndPlaylists() throws {
        let library = try LibraryImporter.read(path: Fixtures.path("songs.csv"))
        #expect(
            library.tracks == [
                ImportedTrack(
                    title: "Slow, Slower", seconds: 245, artist: "Ada Quill",
                    album: "The \"Long\" Play", year: 1977, location: "file:///music/slow.mp3"),
                ImportedTrack(title: "Two\r\nLines", seconds: 63, artist: "Ada Quill"),
                ImportedTrack(
                    title: "Loose End", seconds: 3601, artist: "12\" Mixers", year: 1981),
            ])
        #expect(
            library.playlists == [
                ImportedPlaylist(title: "Side A", tracks: [0, 1]),
                ImportedPlaylist(title: "Side B", tracks: [0]),
                ImportedPlaylist(title: "Side C", tracks: []),
            ])
    }

    @Test(arguments: [
        "title;artist;seconds\nA;B;10\n", "TRACK NAME\tArtist Name(s)\tDuration\nA\tB\t0:10",
        "Artist,Name,Track Duration (ms)\rB,A,9999\r", "rating,Song,ARTIST,Time\n5,A,B,10\n",
    ])
    func separatorsColumnNamesAndLineEndsOfOtherProgramsAreUnderstood(_ text: String) throws {
        #expect(
            try Fixtures.read(text, as: "a.csv").tracks
                == [ImportedTrack(title: "A", seconds: 10, artist: "B")])
    }

    @Test func aTableWithoutAPlaylistColumnMakesNoPlaylist() throws {
        #expect(try Fixtures.read("title\nA\n", as: "a.csv").playlists.isEmpty)
    }

    @Test(
        arguments: [
            ("artist,album\nx,y\n", 1, .noColumn("title")),
            ("title,Name\nx,y\n", 1, .columnTwice("title")),
            ("title,artist\nx,y\nz\n", 3, .fieldCount(expected: 2, found: 1)),
            ("title,artist\nx,y,z\n", 2, .fieldCount(expected: 2, found: 3)),
            ("title\nx\n\"y\nz", 3, .truncated(inside: "a quoted field")),
            (
                "title\n\"x\" y\n", 2,
                .malformed(expected: "the end of a field after its closing quote", found: "text")
            ),
            (
                "title,time\nx,-3\n", 2,
                .outOfRange(
                    field: "\"seconds\"", value: "\"-3\"", allowed: "a time such as 225 or 3:45")
            ),
            (
                "title,year\nx,199x\n", 2,
                .outOfRange(field: "\"year\"", value: "\"199x\"", allowed: "a year such as 1994")
            ),
        ] as [(String, Int, ImportError.Problem)])
    func aBadTableNamesItsLine(_ text: String, _ line: Int, _ problem: ImportError.Problem) {
        #expect(
            Fixtures.error(of: text, as: "a.csv")
                == ImportError(path: "/fixtures/a.csv", line: line, problem: problem))
    }

    @Test func invalidUTF8NamesItsByte() {
        #expect(
            Fixtures.error(of: Array("title\nab".utf8) + [0xFF], as: "a.csv")
                == ImportError(path: "/fixtures/a.csv", line: 2, problem: .invalidUTF8(byte: 8)))
    }

    @Test(arguments: [
        ("0", 0), ("225", 225), ("224.5", 225), ("3:45", 225), ("1:02:03", 3723),
        ("4294967295", UInt32.max),
    ])
    func timesAreUnderstood(_ text: String, _ seconds: UInt32) {
        #expect(TrackLength.seconds(from: text) == seconds)
    }

    @Test(arguments: [
        "", "-1", "+1", "3:60", "3:", ":5", "1:2:3:4", "1e3", "0x10", "4294967296", "nan", "1.2.3",
        "99999999999999999999:00",
    ])
    func otherTimesAreNot(_ text: String) {
        #expect(TrackLength.seconds(from: text) == nil)
    }
}
