import Foundation
import Testing

@testable import playlists

struct AppleLibraryImporterTests {
    @Test func tracksComeInTheOrderOfTheFileWithAllTheirFields() throws {
        let music = "file:///Users/dana/Music/iTunes/iTunes%20Media/Music/"
        #expect(
            try Fixtures.library().tracks == [
                ImportedTrack(
                    title: "Rust & Roses", seconds: 245, artist: "Nils <Organ> Tveit",
                    album: "Verkstad", genre: "Jazz", year: 1994,
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
            try Fixtures.library().playlists == [
                ImportedPlaylist(title: "Late Hours", tracks: [2, 0, 2]),
                ImportedPlaylist(title: "Most Played", tracks: [0]),
                ImportedPlaylist(title: "Nothing Yet", tracks: []),
            ])
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
        #expect(try Fixtures.read(text).playlists == [ImportedPlaylist(title: "P", tracks: [0])])
    }

    @Test func anEmptyLibraryHasNoTracks() throws {
        let text = Fixtures.propertyList("<dict><key>Tracks</key><dict/></dict>")
        #expect(try Fixtures.read(text) == ImportedLibrary())
    }

    // MARK: - Property lists that are no libraries

    private func error(inTrack fields: String) -> ImportError? {
        Fixtures.error(of: Fixtures.library(ofTrack: fields))
    }

    private func read(track fields: String) throws -> ImportedLibrary {
        try Fixtures.read(Fixtures.library(ofTrack: fields))
    }

    /// One odd value kept a whole library away.
    @Test func aNumberWhereAStringBelongsIsLeftOutAndNamed() throws {
        let library = try read(
            track: "<key>Name</key><integer>12</integer><key>Artist</key><string>A</string>")
        #expect(library.tracks == [ImportedTrack(artist: "A")])
        #expect(
            library.notes == [
                "Left out 1 value of \"Name\", the first in line 3: Tracks / 7 / Name must be "
                    + "<string>, but is <integer>."
            ])
    }

    @Test(arguments: ["-1", "4294967295001", "99999999999999999999999", "", "12x"])
    func aTimeThatCannotBeIsLeftOut(_ time: String) throws {
        let library = try read(track: "<key>Total Time</key><integer>\(time)</integer>")
        #expect(library.tracks == [ImportedTrack()])
        #expect(library.notes.count == 1)
    }

    @Test func valuesLeftOutAreCountedByField() throws {
        let tracks = (1...50 as ClosedRange<Int>).map { number in
            "<key>\(number)</key><dict><key>Track ID</key><integer>\(number)</integer>"
                + "<key>Year</key><integer>\(number % 2 == 0 ? 20_000 : 1994)</integer>"
                + "<key>Genre</key>\(number == 7 ? "<true/>" : "<string>Jazz</string>")</dict>\n"
        }
        let text = Fixtures.propertyList(
            "<dict><key>Tracks</key><dict>\n\(tracks.joined())</dict></dict>")
        let library = try Fixtures.read(text)
        #expect(library.tracks.count == 50)
        #expect(library.tracks.filter { $0.year == 1994 }.count == 25)
        #expect(library.tracks.filter { $0.genre == "Jazz" }.count == 49)
        #expect(library.notes.count == 2)
        #expect(library.notes.first?.hasPrefix("Left out 25 values of \"Year\"") == true)
    }

    /// A track without a number is a song all the same.
    @Test func aTrackWithoutANumberIsASong() throws {
        let text = Fixtures.propertyList(
            """
            <dict><key>Tracks</key><dict><key>x</key><dict><key>Track ID</key><string>1</string>
            <key>Name</key><string>T</string></dict></dict>
            <key>Playlists</key><array><dict><key>Name</key><string>P</string>
            <key>Playlist Items</key><array>
            <dict><key>Track ID</key><integer>-4</integer></dict></array></dict></array></dict>
            """)
        let library = try Fixtures.read(text)
        #expect(library.tracks == [ImportedTrack(title: "T")])
        #expect(library.playlists == [ImportedPlaylist(title: "P", tracks: [])])
        #expect(library.notes.count == 2)
    }

    @Test func theLongestTimeIsTheLargestUInt32() throws {
        let text = "<key>Total Time</key><integer>4294967295000</integer>"
        #expect(try Fixtures.read(Fixtures.library(ofTrack: text)).tracks.first?.seconds == .max)
    }

    @Test(arguments: ["-3", "10000", "65536"])
    func aYearThatCannotBeIsLeftOut(_ year: String) throws {
        let library = try read(track: "<key>Year</key><integer>\(year)</integer>")
        #expect(library.tracks == [ImportedTrack()])
        #expect(library.notes.count == 1)
    }

    @Test func aStrangeValueInAnUnusedFieldDoesNoHarm() {
        #expect(error(inTrack: "<key>Play Date</key><integer>many</integer>") == nil)
    }

    @Test(arguments: [
        ("<dict><key>Tracks</key><array/></dict>", "Tracks"),
        ("<dict><key>Tracks</key><string>x</string></dict>", "Tracks"),
        ("<dict><key>Tracks</key><dict><key>1</key><true/></dict></dict>", "Tracks / 1"),
        ("<dict><key>Tracks</key><dict/><key>Playlists</key><dict/></dict>", "Playlists"),
        ("<dict><key>Playlists</key><array><integer>1</integer></array></dict>", "Playlists / 1"),
        (
            "<dict><key>Playlists</key><array><dict><key>Playlist Items</key>"
                + "<array><integer>1</integer></array></dict></array></dict>",
            "Playlists / 1 / Playlist Items / 1"
        ),
    ])
    func theWrongShapeSaysWhichPartIsWrong(_ content: String, _ part: String) {
        let error = Fixtures.error(of: Fixtures.propertyList(content))
        guard case .wrongType(part, _, _) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aPropertyListWithoutTracksIsNoLibrary() {
        let text = Fixtures.propertyList("<dict><key>Label</key><string>x</string></dict>")
        #expect(Fixtures.error(of: text)?.problem == .notALibrary)
    }
}
