import CRivals
import Cabinet
import CabinetBackend
import CabinetTokyo

/// The work of the tests, done as a user of the library would do it.
///
/// A program that fetches objects, or puts them into an array of its own, keeps them: what is
/// returned holds them. Objects that the store alone holds are freed under the clock.
enum CabinetWork {
    struct Result {
        var proof: Proof
        /// What must live until the clock has stopped.
        var live: AnyObject?
        /// How long the work took, where opening and closing are no part of it.
        var seconds: Double?
        /// What the processors spent on it meanwhile.
        var processorSeconds: Double?
    }

    /// Something that keeps `value` alive.
    final class Kept<Value> {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    static func insertSongs(_ job: Job, _ shelf: Shelf) throws -> Result {
        var proof = Proof()
        let store = try shelf.open()
        for number in 0..<job.objects {
            store.insert(Song(title: "Test Song \(number)", number: number))
            proof.add(number)
        }
        try store.save()
        try shelf.close(store)
        return Result(proof: proof)
    }

    static func fetchSongs(_ job: Job, _ shelf: Shelf) throws -> Result {
        var proof = Proof()
        let store = try shelf.open()
        let songs = try store.objects(of: Song.self)
        for song in songs { proof.add(song.number) }
        try shelf.close(store)
        return Result(proof: proof, live: Kept((store, songs)))
    }

    static func updateSongs(_ job: Job, _ shelf: Shelf) throws -> Result {
        var proof = Proof()
        let store = try shelf.open()
        for song in try store.objects(of: Song.self) {
            song.number += 1
            proof.add(song.number)
        }
        try store.save()
        try shelf.close(store)
        return Result(proof: proof)
    }

    static func saveSmall(_ job: Job, _ shelf: Shelf) throws -> Result {
        let store = try shelf.open()
        let result = try saveSmall(job, store)
        try shelf.close(store)
        return result
    }

    /// The same while readers are held that are frozen at the last `count` commits. What the first
    /// commit of a session takes lies before the clock is started.
    static func saveSmall(beside count: Int) -> Work.CabinetCall {
        { job, _ in
            let backend = try TokyoBackend(
                path: job.directory, durability: job.isFull ? .full : .process)
            let store = try Store(backend: backend, classes: [Song.self, Playlist.self])
            var readers: [any BackendReader] = []
            for _ in 0..<max(count, 1) {
                let batch = backend.makeBatch()
                try batch.note(0, UnsafeRawBufferPointer(start: nil, count: 0))
                try backend.commit(batch)
                if count > 0 { readers.append(try backend.snapshot(label: "SmallSave")) }
            }
            let result = try saveSmall(job, store)
            try store.close()
            return withExtendedLifetime(readers) { result }
        }
    }

    private static func saveSmall(_ job: Job, _ store: Store) throws -> Result {
        var proof = Proof()
        var choices = job.choices
        let start = speed_clock()
        for _ in 0..<job.steps {
            let song = try song(choices.next(), in: store)
            song.number += 1
            try store.save()
            proof.add(song.number)
        }
        return Result(proof: proof, seconds: speed_clock() - start)
    }

    static func fetchRandom(_ job: Job, _ shelf: Shelf) throws -> Result {
        var proof = Proof()
        let store = try shelf.open()
        var choices = job.choices
        for _ in 0..<job.steps {
            proof.add(try song(choices.next(), in: store).number)
        }
        try shelf.close(store)
        return Result(proof: proof)
    }

    static func openStore(_ job: Job, _ shelf: Shelf) throws -> Result {
        var proof = Proof()
        let store = try shelf.open()
        proof.add(try song(0, in: store).number)
        try shelf.close(store)
        return Result(proof: proof, live: store)
    }

    static func streamSongs(_ job: Job, _ shelf: Shelf) throws -> Result {
        var proof = Proof()
        let store = try shelf.open()
        try store.forEach(Song.self) { proof.add($0.number) }
        try shelf.close(store)
        return Result(proof: proof)
    }

    /// The song that was inserted after `number` others.
    private static func song(_ number: UInt32, in store: Store) throws -> Song {
        guard let song = try store.object(Song.self, rowID: RowID.first.advanced(by: Int(number)))
        else {
            throw SpeedTestError.missing("song \(number)")
        }
        return song
    }

    // MARK: Playlists

    static func insertPlaylists(_ job: Job, _ shelf: Shelf) throws -> Result {
        var proof = Proof()
        let store = try shelf.open()
        var songs: [Song] = []
        for number in 0..<job.objects {
            let song = Song(title: "Test Song \(number)", number: number)
            store.insert(song)
            songs.append(song)
        }
        var choices = job.choices
        for list in 0..<job.objects / 100 {
            let chosen = (0..<100).map { _ in songs[Int(choices.next())] }
            store.insert(Playlist(title: "Playlist \(list)", songs: chosen))
            for song in chosen { proof.add(song.number) }
        }
        try store.save()
        try shelf.close(store)
        return Result(proof: proof, live: Kept(songs))
    }

    static func fetchFirstTitles(_ job: Job, _ shelf: Shelf) throws -> Result {
        try fetchTitles(shelf) { $0.songs.prefix(1) }
    }

    static func fetchAllTitles(_ job: Job, _ shelf: Shelf) throws -> Result {
        try fetchTitles(shelf) { $0.songs[...] }
    }

    private static func fetchTitles(
        _ shelf: Shelf, _ choice: (Playlist) -> Slice<ObjectList<Song>>
    ) throws -> Result {
        var proof = Proof()
        let store = try shelf.open()
        let playlists = try store.objects(of: Playlist.self)
        for playlist in playlists {
            for song in choice(playlist) { proof.add(number(in: song.title)) }
        }
        try shelf.close(store)
        return Result(proof: proof, live: Kept((store, playlists)))
    }

    /// The number at the end of a title.
    private static func number(in title: String) -> UInt32 {
        title.utf8.dropFirst("Test Song ".utf8.count).reduce(0) { $0 * 10 + UInt32($1 - 0x30) }
    }

    // MARK: Named buffers

    static func insertNames(_ job: Job, _ shelf: Shelf) throws -> Result {
        var proof = Proof()
        let store = try shelf.open()
        let buffer = DataBuffer()
        for number in 0..<job.objects {
            buffer.removeAll()
            buffer.writeString("Test Song \(number)")
            buffer.writeUInt32(number)
            store.namedBuffers["Buffer \(number)"] = buffer
            proof.add(number)
        }
        try store.save()
        try shelf.close(store)
        return Result(proof: proof)
    }

    static func fetchNames(_ job: Job, _ shelf: Shelf) throws -> Result {
        var proof = Proof()
        let store = try shelf.open()
        for index in 0..<job.objects {
            guard let buffer = try store.namedBuffers.buffer(for: "Buffer \(index)") else {
                throw SpeedTestError.missing("buffer \(index)")
            }
            _ = try buffer.readString()
            proof.add(try buffer.readUInt32())
        }
        try shelf.close(store)
        return Result(proof: proof)
    }
}
