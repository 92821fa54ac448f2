import Cabinet

final class Song: StoredObject {
    @Field var title = ""
    @Field var plays = 0
}

func editWithUndo(_ songs: [Song], in store: Store) throws {
    store.undoHistory.isEnabled = true
    try store.undoHistory.group("Reset Plays") {
        for song in songs { song.plays = 0 }
    }
    try store.save()
    try store.undoHistory.undo()  // a new pending change; the next save writes it
    try store.undoHistory.redo()
}
