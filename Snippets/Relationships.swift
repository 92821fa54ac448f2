import Cabinet
import Foundation

final class Artwork: StoredObject {
    @Field var image = Data()
}

final class Song: StoredObject {
    @Field var title = ""
    @Many var playlists: [Playlist]
}

final class Playlist: StoredObject {
    @Field var title = ""
    @One(onDelete: .cascade) var cover: Artwork?
    @Many(inverse: \Song.playlists, onDelete: .nullify) var songs: [Song]
}

func editAPlaylist(in store: Store) throws {
    let (list, song) = (Playlist(), Song())
    store.insert(list)
    list.songs.append(song)  // inserts the song
    print(song.playlists.count)  // 1: changing either side changes both
    song.playlists = []
    print(list.songs.count)  // 0
    try store.save()
}
