import Foundation

@testable import CabinetTestModel

/// The store that the 2010 framework itself wrote, and what is in it.
struct LegacyFixture: Decodable {
    struct SongEntry: Decodable, Equatable {
        var row: UInt32
        var title: String
        var seconds: UInt32
    }
    struct PlaylistEntry: Decodable, Equatable {
        var row: UInt32
        var title: String
        var songs: [UInt32]
    }
    struct Place: Decodable, Equatable {
        var `class`: String
        var row: UInt32
    }
    struct PersonEntry: Decodable, Equatable {
        var row: UInt32
        var name: String
        var birthday: Double?
        var height: Float
        var weight: Double
        var photo: String
        var bestFriend: UInt32
        var favorites: [Place]
        var stars: UInt8
    }

    var songs: [SongEntry]
    var playlists: [PlaylistEntry]
    var people: [PersonEntry]

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures")

    static func read() throws -> LegacyFixture {
        let data = try Data(contentsOf: folder.appending(path: "bnr-legacy.json"))
        return try JSONDecoder().decode(LegacyFixture.self, from: data)
    }

    /// Copies the store to `place`, which must not be there.
    static func copy(to place: URL) throws {
        try FileManager.default.copyItem(at: folder.appending(path: "bnr-legacy"), to: place)
    }
}
