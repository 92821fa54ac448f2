import Foundation
import Testing

@testable import playlists

/// A store that the program of 2010 wrote; `bnr-legacy.json` says what is in it.
struct LegacyStoreTests {
    private func withCopy(_ body: (Place, LibraryListing) throws -> Void) throws {
        struct Content: Decodable {
            struct Song: Decodable {
                var row: UInt32
                var title: String
                var seconds: UInt32
            }
            var songs: [Song]
            var playlists: [LibraryListing.Playlist]
        }
        let file = Fixtures.shared("bnr-legacy.json")
        let content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
        let listing = LibraryListing(
            songs: content.songs.map {
                .init(row: .init($0.row), title: $0.title, seconds: $0.seconds)
            },
            playlists: content.playlists)
        try Place.temporary(of: Fixtures.shared("bnr-legacy")) { try body($0, listing) }
    }

    @Test func itOpensAndHoldsWhatItsProgramSaid() throws {
        try withCopy { place, wanted in
            let (found, versions) = (try place.export(), try place.versions())
            #expect(found == wanted && versions == [3])
        }
    }

    @Test func itTakesASaveAndOpensAgain() throws {
        try withCopy { place, wanted in
            #expect(place.run("shell", input: ["new 'From Today'", "save"]).status == .done)
            var content = wanted
            let row = try #require(try place.export().playlists.last?.row)
            content.playlists.append(.init(row: row, title: "From Today", songs: []))
            #expect(try place.export() == content)
            try place.importNewcomer()
            #expect(try place.export().songs.dropLast() == content.songs[...])
            #expect(try place.versions() == [3, 5])
        }
    }

    @Test func upgradingRewritesEverySong() throws {
        try withCopy { place, wanted in
            let output = place.run("upgrade").output
            #expect(output.hasPrefix("Rewrote \(wanted.songs.count) songs"))
            let (found, versions) = (try place.export(), try place.versions())
            #expect(found == wanted && versions == [5])
        }
    }

    @Test func aSongLeavesItsPlaylistsHereToo() throws {
        try withCopy { place, before in
            let song = try #require(before.playlists.first { !$0.songs.isEmpty }?.songs.first)
            #expect(place.run("delete-song @\(song)").status == .done)
            let after = try place.export()
            #expect(!after.songs.contains { $0.row == song })
            let left = before.playlists.map { $0.songs.filter { $0 != song } }
            #expect(after.playlists.map(\.songs) == left)
        }
    }
}
