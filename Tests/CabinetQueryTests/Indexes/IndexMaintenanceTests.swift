import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Indexes hold what follows from the records, whatever changed these.
@Suite("Indexes: maintenance")
struct IndexMaintenanceTests {
    private func expectAgreement(_ store: Store, _ note: String = "") throws {
        let contents = try store.indexContents(of: IndexedSong.self)
        #expect(try contents.count == 7 || store.count(of: IndexedSong.self) == 0, "\(note)")
        for (name, content) in contents {
            #expect(content.found == content.expected, "\(name) \(note)")
        }
    }

    @Test("a released store is freed, whatever its indexes have read")
    func isFreed() throws {
        weak var store: Store?
        weak var backend: (any Backend)?
        do {
            let made = try Store(inMemory: [IndexedSong.self, IndexedAlbum.self])
            let song = IndexedSong("So What")
            made.insert(song)
            try made.save()
            song.tags = ["modal"]
            try made.save()
            try made.delete(song)
            try made.save()
            store = made
            backend = made.backend
        }
        #expect(store == nil && backend == nil)
    }

    @Test(
        "random edits, deletes, undo and redo leave every index as the records say",
        arguments: RunSetting.seeds(12))
    func randomEdits(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try Store(inMemory: [IndexedSong.self, IndexedAlbum.self])
        let history = store.undoHistory
        history.isEnabled = true
        var songs: [IndexedSong] = []
        var albums: [IndexedAlbum] = []
        for step in 0..<400 {
            let number = random.below(100)
            switch number {
            case 0..<30:
                let song = IndexedSong("Song \(random.below(20))", artist: "A\(number % 4)")
                song.rating = random.below(3)
                song.tags = (0..<random.below(4)).map { _ in "t\(random.below(5))" }
                if random.below(2) == 0 { song.isrc = "I\(step)" }
                store.insert(song)
                songs.append(song)
            case 30..<35:
                let album = IndexedAlbum()
                store.insert(album)
                albums.append(album)
            case 35..<65:
                guard
                    let song = songs.filter({ $0.storedClass != nil && !$0.isDeleted })
                        .randomElement(using: &random)
                else { continue }
                switch random.below(6) {
                case 0: song.title = "söng \(random.below(20))"
                case 1: song.year = random.below(10)
                case 2: song.rating = random.below(3)
                case 3: song.tags.append("t\(random.below(5))")
                case 4:
                    song.album = albums.filter { $0.storedClass != nil && !$0.isDeleted }
                        .randomElement(using: &random)
                default: song.isrc = random.below(2) == 0 ? nil : "J\(step)"
                }
            case 65..<70:
                guard
                    let album = albums.filter({ $0.storedClass != nil && !$0.isDeleted })
                        .randomElement(using: &random),
                    let song = songs.filter({ $0.storedClass != nil && !$0.isDeleted })
                        .randomElement(using: &random)
                else { continue }
                album.songs.append(song)
            case 70..<78:
                if let song = songs.filter({ $0.storedClass != nil && !$0.isDeleted })
                    .randomElement(using: &random)
                {
                    try store.delete(song)
                }
            case 78..<84: if history.canUndo { try history.undo() }
            case 84..<87: if history.canRedo { try history.redo() }
            case 87..<90: store.rollback()
            default:
                try store.save()
                try expectAgreement(store, "seed \(seed), step \(step)")
            }
        }
        try store.save()
        try expectAgreement(store)
        #expect(try store.indexContents(of: IndexedSong.self).count == 7)
    }

    @Test("a store that is opened again finds its indexes complete")
    func reopening() throws {
        let directory = try TemporaryStore([IndexedSong.self, IndexedAlbum.self])
        for number in 0..<300 {
            directory.store.insert(IndexedSong("S\(number)", year: number % 7))
        }
        try directory.store.save()
        try directory.reopen()
        let store = directory.store
        try expectAgreement(store)
        let found = try store.indexKeeper?.indexes(of: store.registered(IndexedSong.self))
        let indexes = try #require(found)
        for index in indexes.all { #expect(index.isComplete, "\(index.name)") }
    }
}
