import CRivals
import Cabinet

/// The work of the tests on declared classes, as `CabinetWork` has it on hand-written ones.
enum DeclaredWork {
    static func insertSongs(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        var proof = Proof()
        let store = try shelf.open([Declared.Song.self])
        for number in 0..<job.objects {
            store.insert(Declared.Song(title: "Test Song \(number)", number: number))
            proof.add(number)
        }
        try store.save()
        try shelf.close(store)
        return CabinetWork.Result(proof: proof)
    }

    static func fetchSongs(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        var proof = Proof()
        let store = try shelf.open([Declared.Song.self])
        let songs = try store.objects(of: Declared.Song.self)
        for song in songs { proof.add(song.number) }
        return CabinetWork.Result(proof: proof, live: CabinetWork.Kept((store, songs)))
    }

    // MARK: Lists

    /// Appends tracks that are in the store to a list that leads back from each of them, and looks
    /// at the other side.
    static func appendTracks(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        let store = try Store(inMemory: [Declared.Track.self, Declared.TrackList.self])
        let tracks = (0..<job.objects).map { Declared.Track(number: $0) }
        tracks.forEach(store.insert)
        let list = Declared.TrackList()
        store.insert(list)
        try store.save()
        let start = speed_clock()
        for track in tracks { list.tracks.append(track) }
        let others = tracks[tracks.count - 1].lists.count
        let seconds = speed_clock() - start
        return try result(list, tracks, others, seconds)
    }

    /// Likewise with tracks that are made on the way, which takes them into the store.
    static func appendNewTracks(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        let store = try Store(inMemory: [Declared.Track.self, Declared.TrackList.self])
        let list = Declared.TrackList()
        store.insert(list)
        let start = speed_clock()
        for number in 0..<job.objects { list.tracks.append(Declared.Track(number: number)) }
        let others = list.tracks[list.tracks.count - 1].lists.count
        let seconds = speed_clock() - start
        return try result(list, list.tracks, others, seconds)
    }

    private static func result(
        _ list: Declared.TrackList, _ tracks: [Declared.Track], _ others: Int, _ seconds: Double
    ) throws -> CabinetWork.Result {
        var proof = Proof()
        for (track, original) in zip(list.tracks, tracks) {
            guard track === original, track.lists.count == others, track.lists.first === list
            else { throw SpeedTestError.missing("track \(original.number) in its list") }
            proof.add(track.number)
        }
        return CabinetWork.Result(proof: proof, seconds: seconds)
    }

    static func appendPlain(_ job: Job, _ shelf: Shelf) -> CabinetWork.Result {
        let songs = (0..<job.objects).map { Plain.Song(number: $0, flags: 0) }
        let list = Plain.List()
        let start = speed_clock()
        for song in songs { list.songs.append(song) }
        let seconds = speed_clock() - start
        return result(list, seconds)
    }

    static func appendNewPlain(_ job: Job, _ shelf: Shelf) -> CabinetWork.Result {
        let list = Plain.List()
        let start = speed_clock()
        for number in 0..<job.objects { list.songs.append(Plain.Song(number: number, flags: 0)) }
        let seconds = speed_clock() - start
        return result(list, seconds)
    }

    private static func result(_ list: Plain.List, _ seconds: Double) -> CabinetWork.Result {
        var proof = Proof()
        for song in list.songs { proof.add(song.number) }
        return CabinetWork.Result(proof: proof, seconds: seconds)
    }
}
