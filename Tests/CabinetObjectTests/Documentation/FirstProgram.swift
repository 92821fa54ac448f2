import Cabinet
import Foundation

final class Recording: StoredObject {
    @Field var title = ""
    @Field var seconds: UInt32 = 0
    @Field var released: Date?
    @Many var mixtapes: [Mixtape]
}

final class Mixtape: StoredObject {
    @Field var title = ""
    @Many(inverse: \Recording.mixtapes, onDelete: .nullify) var recordings: [Recording]
}

func makeAMixtape(in directory: URL) throws {
    let store = try Store(directory: directory, classes: [Recording.self, Mixtape.self])
    store.undoHistory.isEnabled = true
    let (tape, song) = (Mixtape(), Recording())
    song.title = "Low Tide"
    store.insert(tape)
    tape.recordings.append(song)
    try store.save()
    print(song.mixtapes.count)  // 1
    try store.delete(song)
    print(tape.recordings.count)  // 0
    try store.undoHistory.undo()
    for song in tape.recordings { print(song.rowID, song.title) }  // 2 Low Tide
    try store.close()
}
