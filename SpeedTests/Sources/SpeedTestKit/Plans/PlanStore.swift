import CRivals
import Cabinet
import Foundation

/// The store that plans are measured on.
struct PlanStore {
    let directory: URL
    let objects: Int

    /// Songs on an album.
    private static var albumSize: Int { 20 }

    /// Makes the store, with its indexes.
    func make() throws {
        let store = try open(hasIndexes: true)
        var choices = Job.seed
        func choose(_ count: Int) -> Int { Int(speed_next(&choices) % UInt64(count)) }
        let albums = (0..<max(objects / Self.albumSize, 1)).map { number in
            let album = PlanAlbum()
            (album.year, album.name) = (1900 + number % 100, "Album \(number)")
            store.insert(album)
            return album
        }
        var codes = (0..<UInt32(objects)).map { $0 }
        for place in codes.indices.reversed() { codes.swapAt(place, choose(place + 1)) }
        for number in 0..<objects {
            let song = PlanSong()
            song.title = "Title \(codes[number])"
            song.code = codes[number]
            song.artist = choose(1000)
            song.mood = choose(10)
            song.genre = choose(10)
            song.number = UInt32(number)
            if choose(4) > 0 { song.rating = Double(choose(100)) / 10 }
            song.tags = (0..<choose(4)).map { _ in "t\(choose(100))" }
            song.album = albums[choose(albums.count)]
            store.insert(song)
        }
        try store.save()
        try store.indexes.build()
        try store.close()
    }

    /// Opens the store as a program with indexes, or as one that knows none, whose queries scan.
    func open(hasIndexes: Bool) throws -> Store {
        PlanSong.hasIndexes.withLock { $0 = hasIndexes }
        return try Store(
            directory: directory, classes: [PlanSong.self, PlanAlbum.self], durability: .process)
    }
}
