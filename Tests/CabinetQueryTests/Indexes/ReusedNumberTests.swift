import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing

@testable import Cabinet

/// Indexes that are made and dropped more often than there are numbers for their tables.
@Suite("Indexes: numbers used again")
struct ReusedNumberTests {
    @Test("an index with a number of another one has its own keys")
    func registering() throws {
        let directory = try TemporaryDirectory()
        let path = directory.url.appending(path: "Store").path
        let backend = try TokyoBackend(
            path: path, durability: .process, files: SystemFiles(), tableLimit: 48)
        let store = try Store(backend: backend, classes: IndexScene.older)
        let songs = (0..<30).map { number in
            let song = OlderSong()
            song.year = number
            song.title = "song \(number)"
            return song
        }
        for song in songs { store.insert(song) }
        try store.save()
        let follower = try Store(
            backend: TokyoBackend(path: path, files: SystemFiles(), follows: true),
            classes: IndexScene.older)
        for round in 0..<150 {
            let isByYear = round % 2 == 0
            try store.indexes.register(
                isByYear
                    ? .ordered(\OlderSong.year, named: "index\(round)")
                    : .ordered(\OlderSong.title, named: "index\(round)"))
            try store.indexes.build()
            let song = songs[round % 30]
            song.year = 1_000 + round
            song.title = "changed \(round)"
            try store.save()
            let contents = try store.indexContents(of: OlderSong.self)
            #expect(Array(contents.keys) == ["index\(round)"])
            for (name, content) in contents {
                #expect(content.found == content.expected, "\(name)")
            }
            if round % 7 == 0 {
                try follower.refresh()
                let year = 1_000 + round
                #expect(
                    try follower.fetch(OlderSong.self, where: #Predicate { $0.year == year })
                        .map(\.rowID) == [song.rowID])
            }
            try store.indexes.unregister(named: "index\(round)", of: OlderSong.self)
            if round % 8 == 7 { try backend.compact() }
        }
        #expect(try backend.tables().map(\.number).max() ?? 0 < 48)
        try follower.close()
        try store.close()
    }
}
