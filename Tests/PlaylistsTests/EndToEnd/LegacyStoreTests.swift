import Foundation
import Testing

@testable import playlists

/// A store that the program of 2010 wrote; `bnr-legacy.json` says what is in it.
struct LegacyStoreTests {
    /// What the JSON beside the store and the program's own export have in common.
    private struct Content: Decodable, Equatable {
        struct Song: Decodable, Equatable {
            var row: UInt32
            var title: String
            var seconds: UInt32
        }
        struct Playlist: Decodable, Equatable {
            var row: UInt32
            var title: String
            var songs: [UInt32]
        }

        var songs: [Song]
        var playlists: [Playlist]
    }

    private struct Versions: Decodable {
        struct Song: Decodable { var version: UInt8 }
        var songs: [Song]
    }

    private func withCopy(_ body: (Place) throws -> Void) throws {
        try Place.temporary { place in
            try FileManager.default.copyItem(
                at: Fixtures.shared("bnr-legacy"), to: place.store)
            try body(place)
        }
    }

    private func expected() throws -> Content {
        let file = Fixtures.shared("bnr-legacy.json")
        return try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
    }

    private func export(_ place: Place) throws -> Content {
        let outcome = place.run("export")
        #expect(outcome.status == .done, "\(outcome.messages)")
        return try JSONDecoder().decode(Content.self, from: Data(outcome.output.utf8))
    }

    private func versions(_ place: Place) throws -> [UInt8] {
        let text = place.run("export").output
        return try JSONDecoder().decode(Versions.self, from: Data(text.utf8)).songs.map(\.version)
    }

    @Test func itOpensAndHoldsWhatItsProgramSaid() throws {
        try withCopy { place in
            let (found, wanted) = (try export(place), try expected())
            #expect(found == wanted)
            #expect(Set(try versions(place)) == [3])
        }
    }

    @Test func itTakesASaveAndOpensAgain() throws {
        try withCopy { place in
            var content = try expected()
            #expect(place.run("shell", input: ["new 'From Today'", "save"]).status == .done)
            let row = try #require(try export(place).playlists.last?.row)
            content.playlists.append(.init(row: row, title: "From Today", songs: []))
            content.playlists.sort { $0.row < $1.row }
            #expect(try export(place) == content)
            let table = place.directory.appending(path: "new.xml")
            try Fixtures.library(title: "Newcomer", seconds: "5000").write(to: table)
            #expect(place.run("import '\(table.path)'").status == .done)
            #expect(try export(place).songs.dropLast() == content.songs[...])
            #expect(Set(try versions(place)) == [3, 5])
        }
    }

    @Test func upgradingRewritesEverySong() throws {
        try withCopy { place in
            let count = try expected().songs.count
            #expect(place.run("upgrade").output.hasPrefix("Rewrote \(count) songs"))
            #expect(Set(try versions(place)) == [5])
            let (found, wanted) = (try export(place), try expected())
            #expect(found == wanted)
        }
    }

    @Test func aSongLeavesItsPlaylistsHereToo() throws {
        try withCopy { place in
            let before = try expected()
            let song = try #require(before.playlists.first { !$0.songs.isEmpty }?.songs.first)
            #expect(place.run("delete-song @\(song)").status == .done)
            let after = try export(place)
            #expect(!after.songs.contains { $0.row == song })
            #expect(
                after.playlists.map(\.songs)
                    == before.playlists.map { $0.songs.filter { $0 != song } })
        }
    }
}
