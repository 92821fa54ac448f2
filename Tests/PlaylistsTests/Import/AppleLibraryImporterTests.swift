import Foundation
import Testing

@testable import playlists

struct AppleLibraryImporterTests {
    private func library() throws -> ImportedLibrary {
        try AppleLibraryImporter.read(ImportSource(path: Fixtures.path("Library.xml")))
    }

    @Test func tracksComeInTheOrderOfTheFileWithAllTheirFields() throws {
        let music = "file:///Users/dana/Music/iTunes/iTunes%20Media/Music/"
        #expect(
            try library().tracks == [
                ImportedTrack(
                    title: "Rust & Roses", seconds: 245, artist: "Nils <Organ> Tveit",
                    album: "Verkstad", year: 1994,
                    location: music + "Nils%20Tveit/Verkstad/03%20Rust%20&%20Roses.m4a",
                    persistentID: "0A1B2C3D4E5F6071"),
                ImportedTrack(
                    title: "木曜日", seconds: 62, artist: "Café Ōsaka",
                    location: "file:///Users/dana/Music/old/mokuyobi.mp3",
                    persistentID: "0A1B2C3D4E5F6072"),
                ImportedTrack(
                    title: "Cloud Only", artist: "The Distant Servers", album: "Uptime",
                    year: 2020, persistentID: "0A1B2C3D4E5F6073"),
            ])
    }

    @Test func playlistsKeepOrderAndRepeatedSongs() throws {
        #expect(
            try library().playlists == [
                ImportedPlaylist(title: "Late Hours", tracks: [2, 0, 2]),
                ImportedPlaylist(title: "Most Played", tracks: [0]),
                ImportedPlaylist(title: "Nothing Yet", tracks: []),
            ])
    }

    @Test func whatIsLeftOutIsNamedAndCounted() throws {
        let leftOut = try library().leftOut
        #expect(leftOut.builtInLists == ["Library", "Music"])
        #expect(leftOut.folders == ["Moods"])
        #expect(leftOut.smartRules == ["Most Played"])
        #expect(leftOut.missingTracks == [.init(playlist: "Late Hours", count: 1)])
        #expect(leftOut.missingTrackCount == 1)
        #expect(
            leftOut.report.first
                == "Playlist \"Late Hours\": 1 item left out, "
                + "because the file does not have the track.")
    }

    @Test func playlistsMayStandBeforeTheTracks() throws {
        let text = Fixtures.propertyList(
            """
            <dict>
            <key>Playlists</key><array><dict><key>Name</key><string>P</string>
            <key>Playlist Items</key>
            <array><dict><key>Track ID</key><integer>5</integer></dict></array></dict></array>
            <key>Tracks</key><dict><key>5</key><dict><key>Name</key><string>T</string></dict></dict>
            </dict>
            """)
        let library = try Fixtures.read(text, as: "Library.xml")
        #expect(library.playlists == [ImportedPlaylist(title: "P", tracks: [0])])
    }

    @Test func anEmptyLibraryHasNoTracks() throws {
        let text = Fixtures.propertyList("<dict><key>Tracks</key><dict/></dict>")
        #expect(try Fixtures.read(text, as: "Library.xml") == ImportedLibrary())
    }

    @Test func everyTruncationIsAnErrorAndNeverACrash() throws {
        let path = try Fixtures.path("Library.xml")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let end = bytes.count - "</plist>\n".utf8.count
        for length in stride(from: 0, through: end, by: 7) {
            #expect(Fixtures.error(of: Array(bytes[..<length]), as: "Library.xml") != nil)
        }
    }
}
