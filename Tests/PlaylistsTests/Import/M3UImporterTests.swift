import Testing

@testable import playlists

struct M3UImporterTests {
    @Test func extendedPlaylistIsReadInOrder() throws {
        let path = try Fixtures.path("night train.m3u8")
        let library = try LibraryImporter.read(path: path)
        let directory = TrackLocation.url(
            from: String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)),
            relativeTo: "/")
        #expect(
            library.tracks == [
                ImportedTrack(
                    title: "Signals", seconds: 215, artist: "Vera Holm",
                    location: directory + "/Vera%20Holm/Signals.mp3"),
                ImportedTrack(title: "Harbour FM", location: "http://radio.example/harbour"),
                ImportedTrack(
                    title: "Points", seconds: 98, artist: "Duo Kestrel",
                    album: "Tracks & Trains",
                    location: "file:///srv/music/Duo%20Kestrel/Points.flac"),
            ])
        #expect(
            library.playlists == [ImportedPlaylist(title: "Night Train", tracks: [0, 1, 0, 2])])
    }

    @Test func oldPlaylistsAreReadAsLatin1() throws {
        let library = try LibraryImporter.read(path: Fixtures.path("latin1.m3u"))
        #expect(
            library.tracks == [
                ImportedTrack(
                    title: "Mañana", seconds: 187, artist: "René Solá",
                    location: "file:///C:/Music/Ren%C3%A9%20Sol%C3%A1/Ma%C3%B1ana.mp3")
            ])
        #expect(library.playlists.first?.title == "latin1")
    }

    @Test func newPlaylistsMustBeUTF8() {
        let bytes = Array("#EXTM3U\n#EXTINF:1,Ren".utf8) + [0xE9, 0x0A]
        #expect(
            Fixtures.error(of: bytes, as: "a.m3u8")
                == ImportError(
                    path: "/fixtures/a.m3u8", line: 2, problem: .invalidUTF8(byte: 21)))
    }

    @Test func aPlainListOfFilesTakesTitlesFromTheirNames() throws {
        let text = "\u{FEFF}a/b/01 Intro.mp3\r\n../other.flac\r\n.hidden\r\n"
        let library = try Fixtures.read(text, as: "set.m3u")
        #expect(library.tracks.map(\.title) == ["01 Intro", "other", ".hidden"])
        #expect(library.tracks.allSatisfy { $0.hasGuessedTitle })
        #expect(
            library.tracks.map(\.location) == [
                "file:///fixtures/a/b/01%20Intro.mp3", "file:///other.flac",
                "file:///fixtures/.hidden",
            ])
        #expect(library.playlists.first?.title == "set")
    }

    @Test func informationWithoutAFileIsASongWithoutAPlace() throws {
        let text = "#EXTM3U\n#EXTINF:10,A - One\n#EXTINF:20,B - Two\n#EXTINF:3,C - D\n"
        let library = try Fixtures.read(text, as: "set.m3u8")
        #expect(library.tracks.map(\.title) == ["One", "Two", "D"])
        #expect(library.tracks.map(\.location) == ["", "", ""])
    }

    @Test func artistLineSettlesWhereADashBelongs() throws {
        let text = "#EXTINF:1,Up - Down\n#EXTART:\nx.mp3\n#EXTINF:2,A - B - C\n#EXTART:A - B\ny.mp3"
        let tracks = try Fixtures.read(text, as: "set.m3u8").tracks
        #expect(tracks.map(\.artist) == ["", "A - B"])
        #expect(tracks.map(\.title) == ["Up - Down", "C"])
    }

    @Test(arguments: ["abc", "-2", "99999999999", "1e400", "nan", ""])
    func lengthThatIsNoneNamesItsLine(_ length: String) {
        let error = Fixtures.error(of: "#EXTM3U\n\n#EXTINF:\(length),X\n", as: "a.m3u")
        #expect(error?.line == 3)
        guard case .outOfRange = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func attributesAfterTheLengthArePassedOver() throws {
        let text = "#EXTINF:30 tvg-id=\"x\",Name\nx.mp3"
        #expect(try Fixtures.read(text, as: "a.m3u8").tracks.first?.seconds == 30)
    }

    @Test func piecesOfAStreamAreNoPlaylist() {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9.9,\nsegment0.ts\n"
        #expect(
            Fixtures.error(of: text, as: "a.m3u8")
                == ImportError(path: "/fixtures/a.m3u8", line: 2, problem: .streamingManifest))
    }
}
