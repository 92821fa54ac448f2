import Cabinet
import Foundation
import Testing

@testable import playlists

/// A library that the program wrote when its classes wrote their records by hand.
struct PastStoreTests {
    private func withCopy(of fixture: URL? = nil, _ body: (Place) throws -> Void) throws {
        try Place.temporary { place in
            let written = try fixture ?? URL(filePath: Fixtures.path("version-4"))
            try FileManager.default.copyItem(at: written, to: place.store)
            try body(place)
        }
    }

    /// What the earlier program said of it, with `version` for the songs' version 4.
    private func told(version: UInt8 = 4) throws -> LibraryListing {
        let file = URL(filePath: try Fixtures.path("version-4.json"))
        var listing = try JSONDecoder().decode(LibraryListing.self, from: Data(contentsOf: file))
        #expect(listing.songs.allSatisfy { $0.version == 4 })
        for index in listing.songs.indices { listing.songs[index].version = version }
        return listing
    }

    private func export(_ place: Place) throws -> LibraryListing {
        let outcome = place.run("export")
        #expect(outcome.status == .done)
        return try JSONDecoder().decode(LibraryListing.self, from: Data(outcome.output.utf8))
    }

    private func withToday<Result>(_ place: Place, _ body: (Store) throws -> Result) throws
        -> Result
    {
        let store = try Store(directory: place.store, classes: Library.classes)
        defer { try? store.close() }
        return try body(store)
    }

    private func withPast<Result>(_ place: Place, _ body: (Store) throws -> Result) throws -> Result
    {
        let store = try Store(directory: place.store, classes: Past.classes)
        defer { try? store.close() }
        return try body(store)
    }

    private func versions(_ place: Place) throws -> Set<UInt8> {
        try withToday(place) { store in
            var versions: Set<UInt8> = []
            try store.forEachRecordVersion(Song.self) { _, version, _ in versions.insert(version) }
            return versions
        }
    }

    /// Each song's playlists, asked from either side.
    private func expectBothSidesAgree(_ place: Place) throws {
        try withToday(place) { store in
            var led: [RowID: Set<RowID>] = [:]
            for playlist in try store.objects(of: Playlist.self) {
                for song in playlist.songs { led[song.rowID, default: []].insert(playlist.rowID) }
            }
            let songs = try store.objects(of: Song.self)
            #expect(!led.isEmpty)
            for song in songs {
                #expect(Set(song.playlists.map(\.rowID)) == led[song.rowID] ?? [])
                #expect(song.playlists.count == led[song.rowID]?.count ?? 0)
            }
        }
    }

    @Test func itIsAsItsProgramSaid() throws {
        try withCopy { place in
            #expect(try export(place) == told())
            try expectBothSidesAgree(place)
            #expect(try versions(place) == [4])
        }
    }

    @Test func aSongKnowsItsPlaces() throws {
        try withCopy { place in
            let shown = place.run("show 'Brass Tacks'").output
            #expect(shown.contains("\nPlace          "))
            #expect(shown.contains("in \"Dinner with Friends\""))
        }
    }

    @Test func itTakesEditsRecordByRecord() throws {
        try withCopy { place in
            #expect(place.run("move 'Dinner with Friends' 6 1").status == .done)
            #expect(try versions(place) == [4])
            let left = place.run("delete-song 'Brass Tacks'").output
            #expect(left.contains("It left ") && left.contains("\"Dinner with Friends\""))
            #expect(place.run("remove 'Dinner with Friends' 1").status == .done)
            #expect(try versions(place) == [4, 5])
            try expectBothSidesAgree(place)
            #expect(place.run("search 'Brass Tacks'").output == "0 songs and 0 playlists found.\n")
        }
    }

    @Test func undoBringsBackWhatWasNeverRewritten() throws {
        try withCopy { place in
            let lines = ["delete-song 'Brass Tacks'", "save", "undo", "save"]
            #expect(place.run("shell", input: lines).status == .done)
            var found = try export(place)
            for index in found.songs.indices { found.songs[index].version = 4 }
            let wanted = try told()
            #expect(found == wanted)
            try expectBothSidesAgree(place)
        }
    }

    @Test func upgradingRewritesAllAndChangesNothing() throws {
        try withCopy { place in
            let outcome = place.run("upgrade")
            #expect(outcome.output == "Rewrote 40 songs and 5 playlists of older versions.\n")
            #expect(place.run("upgrade").output == "All records are of the present version.\n")
            #expect(try export(place) == told(version: 5))
            try expectBothSidesAgree(place)
        }
    }

    @Test func itsProgramRefusesWhatIsNewAndReadsTheRest() throws {
        try withCopy { place in
            #expect(place.run("remove 'Dinner with Friends' 1").status == .done)
            let playlist = try withToday(place) { store in
                try Library(store).playlist("Dinner with Friends").rowID
            }
            try withPast(place) { store in
                #expect(
                    throws: StoreError.newerVersion(
                        class: "Playlist", row: playlist, found: 2, known: 1)
                ) { try store.object(Past.Playlist.self, rowID: playlist) }
                #expect(throws: StoreError.self) { try store.objects(of: Past.Playlist.self) }
                let other = try store.object(Past.Playlist.self, rowID: playlist == 2 ? 3 : 2)
                #expect(other != nil)
            }
        }
    }

    /// Both programs in turn: what the older one changes in its own records is known on both sides.
    @Test func programsOfBothTimesTakeTurns() throws {
        try withCopy { place in
            #expect(place.run("upgrade").status == .done)
            try withPast(place) { store in
                let playlist = Past.Playlist()
                playlist.title = "From the Past"
                let song = Past.Song()
                song.title = "Old Hat"
                store.insert(song)
                playlist.songs = [song, song]
                store.insert(playlist)
                try store.save()
            }
            #expect(try versions(place) == [4, 5])
            try expectBothSidesAgree(place)
            #expect(
                place.run("show 'Old Hat'").output.contains("1, 2 in \"From the Past\""))
            #expect(place.run("add 'From the Past' 'Low Tide'").status == .done)
            try expectBothSidesAgree(place)
            #expect(place.run("delete-song 'Old Hat'").output.contains("It left \"From the Past\""))
            try expectBothSidesAgree(place)
        }
    }

    @Test func threeGenerationsLiveInOneStore() throws {
        try withCopy(of: Fixtures.shared("bnr-legacy")) { place in
            try withPast(place) { store in
                let song = try #require(try store.objects(of: Past.Song.self).first)
                song.artist = "Known in 2020"
                try store.save()
            }
            let first = place.run("export").output
            try expectBothSidesAgree(place)
            let table = place.directory.appending(path: "new.xml")
            try Fixtures.library(title: "Newcomer", seconds: "5000").write(to: table)
            #expect(place.run("import '\(table.path)'").status == .done)
            #expect(try versions(place) == [3, 4, 5])
            #expect(first.contains("Known in 2020"))
            try expectBothSidesAgree(place)
            #expect(place.run("upgrade").status == .done)
            #expect(try versions(place) == [5])
            try expectBothSidesAgree(place)
        }
    }

    @Test func newRecordsHaveNumbersThatThePastTakesForNewerVersions() throws {
        try withCopy(of: Fixtures.shared("bnr-legacy")) { place in
            #expect(place.run("upgrade").status == .done)
            try withToday(place) { store in
                // Behind every version that was ever written by hand: of songs 4, of playlists 1.
                for (name, last) in [("Song", 4), ("Playlist", 1)] as [(String, UInt8)] {
                    let table = try #require(
                        try store.backend.tables().first { $0.name == name }
                    ).number
                    let buffer = DataBuffer()
                    #expect(try store.backend.value(of: 2, in: table, into: buffer))
                    #expect(buffer.withUnsafeBytes { $0[0] } > last)
                }
            }
        }
    }
}
