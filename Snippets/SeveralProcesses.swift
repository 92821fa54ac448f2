import Cabinet

final class Song: StoredObject {
    @Field var title = ""
    @Field var plays = 0
}

/// Each process opens the file for itself: `backend` is its own `SQLiteBackend(file: url)`.
func countPlay(of row: RowID, over backend: any Backend) throws {
    let store = try Store(backend: backend, classes: [Song.self])
    var isSaved = false
    while !isSaved {
        guard let song = try store.object(Song.self, rowID: row) else { return }
        song.plays += 1
        do {
            try store.save()
            isSaved = true
        } catch StoreError.conflict {
            store.rollback()  // another process has counted meanwhile
            try store.refresh()
        }
    }
}
