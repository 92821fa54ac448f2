import CabinetBackend
import Foundation
import TrustSupport

@testable import Cabinet

extension Kept {
    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures").standardizedFileURL

    /// Makes the stores `closed` and `killed` in `folder`, which is made, and `content.json`, what both hold.
    ///
    /// Records of two layouts, log and snapshot, rows of text indexes that no segment has, and references that
    /// are not entered yet are among what is there. What depends on chance or time is what is on disk of
    /// identities, lines and tokens.
    static func make(in folder: URL) async throws {
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        let directory = folder.appending(path: "closed")
        let earlier = try Store(
            directory: directory, classes: [KeptBefore.KeptSong.self, KeptNote.self])
        for number in 0..<8 {
            let song = KeptBefore.KeptSong()
            (song.name, song.seconds, song.rating) = ("Early \(number)", Int16(number), 0.5)
            earlier.insert(song)
        }
        try earlier.save()
        try earlier.close()
        let store = try Store(directory: directory, classes: classes)
        store.author = "fixture"
        let artists = fill(store)
        try store.save()
        try store.indexes.build()
        try await (store.backend as? any StoreMaintenance)?.compact()
        try edit(store, artists)
        try store.save()
        // As a kill leaves it: all is in the log, and nothing says that the session ended in order.
        try files.copyItem(at: directory, to: folder.appending(path: "killed"))
        try store.json.export(exported, to: folder.appending(path: "content.json"))
        try store.close()
        for name in ["closed", "killed"] {
            try? files.removeItem(at: folder.appending(path: "\(name)/Journal/Lock"))
        }
    }

    private static func fill(_ store: Store) -> [KeptArtist] {
        let artists = (0..<12).map { number in
            let artist = KeptArtist()
            artist.name = ["Ärzte", "beat", "Chor", "Δ"][number % 4] + " \(number)"
            artist.born =
                number % 3 == 0
                ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * -86_400.25)
            artist.home = Place(city: "City \(number)", heights: [Double(number), -0.5, .infinity])
            store.insert(artist)
            return artist
        }
        for number in 0..<120 {
            let song = KeptSong()
            song.title = "Blue \(number) train's \(number % 7) été"
            song.code = number % 5 == 0 ? nil : "C\(number)"
            song.seconds = Int32(number * 1_000 - 40_000)
            song.rating = [0, 1.5, -.infinity, 4.75][number % 4]
            song.price = Decimal(number) / 8
            song.genre = Genre.allCases[number % 3]
            song.tags = Set((0..<number % 4).map { "t\($0)" })
            song.identifier =
                number % 2 == 0
                ? nil
                : UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number)))
            song.cover = Data(repeating: UInt8(number), count: number * 3)
            song.link = number % 6 == 0 ? URL(string: "https://example.org/\(number)") : nil
            song.lyrics = "Walking by the rivers, song \(number) walks on"
            song.artist = number % 11 == 0 ? nil : artists[number % artists.count]
            store.insert(song)
        }
        for (number, artist) in artists.enumerated() where number % 2 == 1 {
            artist.friend = artists[number / 2]
        }
        for number in 0..<3 {
            let list = KeptList()
            list.title = "List \(number)"
            list.songs = Array(artists[number].songs.reversed())
            list.others = [artists[number], list]
            store.insert(list)
            let note = KeptNote()
            note.text = "Note \(number)"
            store.insert(note)
        }
        for name in ["settings", "größe"] {
            let buffer = DataBuffer()
            buffer.writeString(name)
            store.namedBuffers[name] = buffer
        }
        return artists
    }

    /// What the log has after the snapshot.
    private static func edit(_ store: Store, _ artists: [KeptArtist]) throws {
        for (number, song) in try store.objects(of: KeptSong.self).enumerated() {
            switch number % 9 {
            case 2: song.title += " (live)"
            case 4: song.rating += 1
            case 6 where song.artist != nil: song.artist = artists[(number * 5) % artists.count]
            case 8: try store.delete(song)
            default: break
            }
        }
        try store.delete(artists[11])
        store.namedBuffers["settings"] = nil
        let late = KeptSong()
        late.title = "A late one"
        late.artist = artists[0]
        store.insert(late)
    }
}
