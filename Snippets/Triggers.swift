import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
    @Field var sortTitle = ""
    @One var album: Album?

    override class var triggers: [Trigger] {
        [
            .before(\Song.title) { (song: Song, _) in song.sortTitle = song.title.lowercased() },
            .before(\Song.album) { (song: Song, change) in
                change.former?.album?.songCount -= 1
                if change.kind != .deleted { song.album?.songCount += 1 }
            },
            .after(Song.self, named: "history") { store, event in
                guard case .changed(let fields) = event.kind else { return }
                let entry = Entry()
                (entry.date, entry.text) = (event.date, fields.map(\.name).joined(separator: ", "))
                store.insert(entry)
            },
        ]
    }
}

final class Album: StoredObject {
    @Field var songCount = 0
}

final class Entry: StoredObject {
    @Field var date = Date.distantPast
    @Field var text = ""
}
