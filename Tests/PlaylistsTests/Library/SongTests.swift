import Testing

@testable import playlists

struct SongTests {
    @Test func aRecordOf2010StaysUntilItIsChangedAndARollbackTakesNewFieldsOff() throws {
        try Place.temporary(of: Fixtures.shared("bnr-legacy")) { place in
            try place.withStore { store in
                let song = try #require(try store.objects(of: Song.self).first)
                #expect(!song.title.isEmpty && song.seconds > 0)
                #expect(song.artist.isEmpty && song.album.isEmpty && song.year == nil)
                try store.save()
                song.artist = "Nobody"
                song.year = 1
                store.rollback()
                #expect(song.artist.isEmpty && song.year == nil)
            }
            #expect(try place.versions() == [3])
            try place.withStore { store in
                try store.objects(of: Song.self).first?.artist = "Somebody"
                try store.save()
            }
            #expect(try place.versions() == [3, 5])
        }
    }

    @Test func whatATrackDoesNotKnowStaysAsItIs() {
        let song = Song()
        song.update(from: ImportedTrack(title: "T", seconds: 9, artist: "A", year: 1990))
        song.update(from: ImportedTrack())
        #expect(song.title == "T" && song.seconds == 9 && song.year == 1990)
        song.update(from: ImportedTrack(title: "New"))
        #expect(song.title == "New" && song.artist == "A")
    }
}
