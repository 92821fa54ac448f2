import Cabinet
import Foundation
import Testing

@testable import playlists

/// A library that the program wrote when its classes wrote their records by hand.
struct PastStoreTests {
    /// Each song's playlists, asked from either side.
    private func expectBothSidesAgree(_ place: Place) throws {
        try place.withStore { store in
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
        try Past.withLibrary { place in
            #expect(try place.export() == Past.listing())
            try expectBothSidesAgree(place)
            #expect(try place.versions() == [4])
        }
    }

    @Test func aSongKnowsItsPlaces() throws {
        try Past.withLibrary { place in
            let shown = place.run("show 'Brass Tacks'").output
            #expect(shown.contains("\nPlace          "))
            #expect(shown.contains("in \"Dinner with Friends\""))
        }
    }

    @Test func itTakesEditsRecordByRecord() throws {
        try Past.withLibrary { place in
            #expect(place.run("move 'Dinner with Friends' 6 1").status == .done)
            #expect(try place.versions() == [4])
            let left = place.run("delete-song 'Brass Tacks'").output
            #expect(left.contains("It left ") && left.contains("\"Dinner with Friends\""))
            #expect(place.run("remove 'Dinner with Friends' 1").status == .done)
            #expect(try place.versions() == [4, 5])
            try expectBothSidesAgree(place)
            #expect(place.run("search 'Brass Tacks'").output == "0 songs and 0 playlists found.\n")
        }
    }

    @Test func undoBringsBackWhatWasNeverRewritten() throws {
        try Past.withLibrary { place in
            let lines = ["delete-song 'Brass Tacks'", "save", "undo", "save"]
            #expect(place.run("shell", input: lines).status == .done)
            #expect(try place.export() == Past.listing())
            try expectBothSidesAgree(place)
        }
    }

    @Test func upgradingRewritesAllAndChangesNothing() throws {
        try Past.withLibrary { place in
            let outcome = place.run("upgrade")
            #expect(outcome.output == "Rewrote 40 songs and 5 playlists of older versions.\n")
            #expect(place.run("upgrade").output == "All records are of the present version.\n")
            #expect(try place.export() == Past.listing())
            try expectBothSidesAgree(place)
        }
    }

    @Test func itsProgramRefusesWhatIsNewAndReadsTheRest() throws {
        try Past.withLibrary { place in
            #expect(place.run("remove 'Dinner with Friends' 1").status == .done)
            let playlist = try place.withStore { store in
                try Library(store).playlist("Dinner with Friends").rowID
            }
            try place.withStore(of: Past.classes) { store in
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
        try Past.withLibrary { place in
            #expect(place.run("upgrade").status == .done)
            try place.withStore(of: Past.classes) { store in
                let playlist = Past.Playlist()
                playlist.title = "From the Past"
                let song = Past.Song()
                song.title = "Old Hat"
                store.insert(song)
                playlist.songs = [song, song]
                store.insert(playlist)
                try store.save()
            }
            #expect(try place.versions() == [4, 5])
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
        try Place.temporary(of: Fixtures.shared("bnr-legacy")) { place in
            try place.withStore(of: Past.classes) { store in
                let song = try #require(try store.objects(of: Past.Song.self).first)
                try song.load()
                song.willChange()
                song.artist = "Known in 2020"
                try store.save()
            }
            let first = place.run("export").output
            try expectBothSidesAgree(place)
            try place.importNewcomer()
            #expect(try place.versions() == [3, 4, 5])
            #expect(first.contains("Known in 2020"))
            try expectBothSidesAgree(place)
            #expect(place.run("upgrade").status == .done)
            #expect(try place.versions() == [5])
            try expectBothSidesAgree(place)
        }
    }
}
