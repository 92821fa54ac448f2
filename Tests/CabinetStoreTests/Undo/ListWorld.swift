import Cabinet

@testable import CabinetTestModel

/// What the lists of a store should hold, in plain arrays of rows: the model for random edits of
/// relationships with inverses.
struct ListWorld: Equatable {
    struct Song: Equatable {
        var title = ""
        var lists: [RowID] = []
        var album: RowID?
    }

    var songs: [RowID: Song] = [:]
    /// The tunes of each `TuneList`.
    var lists: [RowID: [RowID]] = [:]
    /// The tracks of each `Disc`.
    var discs: [RowID: [RowID]] = [:]

    init() {}

    /// What `store` shows.
    init(_ store: Store) throws {
        for song in try store.objects(of: Tune.self) {
            songs[song.rowID] = Song(
                title: song.title, lists: song.lists.map(\.rowID), album: song.album?.rowID)
        }
        for list in try store.objects(of: TuneList.self) {
            lists[list.rowID] = list.tunes.map(\.rowID)
        }
        for disc in try store.objects(of: Disc.self) {
            discs[disc.rowID] = disc.tracks.map(\.rowID)
        }
    }

    /// Whether each side of each relationship names the other.
    var sidesAgree: Bool {
        for (row, song) in songs {
            for list in song.lists where lists[list]?.contains(row) != true { return false }
            if let album = song.album, discs[album]?.contains(row) != true { return false }
        }
        for (row, tunes) in lists {
            for song in tunes where songs[song]?.lists.contains(row) != true { return false }
        }
        for (row, tracks) in discs {
            for song in tracks where songs[song]?.album != row { return false }
        }
        return true
    }

    mutating func setTunes(of list: RowID, to new: [RowID]) {
        let old = lists[list] ?? []
        lists[list] = new
        for song in Set(old).subtracting(new) { songs[song]?.lists.removeAll { $0 == list } }
        for song in new where songs[song]?.lists.contains(list) == false {
            songs[song]?.lists.append(list)
        }
    }

    mutating func setLists(of song: RowID, to new: [RowID]) {
        let old = songs[song]?.lists ?? []
        songs[song]?.lists = new
        for list in Set(old).subtracting(new) { lists[list]?.removeAll { $0 == song } }
        for list in new where lists[list]?.contains(song) == false { lists[list]?.append(song) }
    }

    mutating func setAlbum(of song: RowID, to disc: RowID?) {
        if let old = songs[song]?.album { discs[old]?.removeAll { $0 == song } }
        songs[song]?.album = disc
        if let disc { discs[disc]?.append(song) }
    }

    mutating func setTracks(of disc: RowID, to new: [RowID]) {
        let old = discs[disc] ?? []
        discs[disc] = new
        for song in Set(old).subtracting(new) { songs[song]?.album = nil }
        for song in new where songs[song]?.album != disc {
            if let former = songs[song]?.album { discs[former]?.removeAll { $0 == song } }
            songs[song]?.album = disc
        }
    }

    mutating func deleteSong(_ song: RowID) {
        songs[song] = nil
        for list in lists.keys { lists[list]?.removeAll { $0 == song } }
        for disc in discs.keys { discs[disc]?.removeAll { $0 == song } }
    }

    mutating func deleteList(_ list: RowID) {
        lists[list] = nil
        for song in songs.keys { songs[song]?.lists.removeAll { $0 == list } }
    }
}
