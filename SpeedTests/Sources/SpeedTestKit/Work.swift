import CRivals

/// A piece of work in the words of each engine.
struct Work: Sendable {
    typealias CabinetCall = @Sendable (Job, Shelf) throws -> CabinetWork.Result
    typealias RivalCall =
        @Sendable (UnsafePointer<speed_task>?, UnsafeMutablePointer<speed_proof>?)
        -> UnsafePointer<CChar>?

    var cabinet: CabinetCall?
    var sqlite: RivalCall?
    var tokyo: RivalCall?
    var declared: CabinetCall?
    var plain: CabinetCall?

    func run(_ job: Job, on engine: Engine, _ shelf: Shelf) throws -> CabinetWork.Result {
        let answer: CabinetWork.Result? =
            switch engine {
            case .cabinet, .memory, .file: try cabinet?(job, shelf)
            case .declared: try declared?(job, shelf)
            case .plain: try plain?(job, shelf)
            case .sqlite: try sqlite.map { try call($0, job) }
            case .tokyo: try tokyo.map { try call($0, job) }
            }
        guard let answer else { throw SpeedTestError.badOption("--engine \(engine)") }
        return answer
    }

    private func call(_ rival: RivalCall, _ job: Job) throws -> CabinetWork.Result {
        try job.directory.withCString { directory throws in
            var words = speed_task(
                directory: directory, objects: job.objects, steps: job.steps, seed: Job.seed,
                full: job.isFull)
            var proof = speed_proof()
            if let message = rival(&words, &proof) {
                throw SpeedTestError.rival(String(cString: message))
            }
            return CabinetWork.Result(
                proof: Proof(count: proof.count, sum: proof.sum),
                seconds: proof.seconds > 0 ? proof.seconds : nil,
                processorSeconds: proof.processor > 0 ? proof.processor : nil)
        }
    }
}

extension Work {
    static let insertSongs = Work(
        cabinet: CabinetWork.insertSongs, sqlite: sqlite_insert_songs, tokyo: tokyo_insert_songs,
        declared: DeclaredWork.insertSongs)
    static let fetchSongs = Work(
        cabinet: CabinetWork.fetchSongs, sqlite: sqlite_fetch_songs, tokyo: tokyo_fetch_songs,
        declared: DeclaredWork.fetchSongs)
    static let updateSongs = Work(
        cabinet: CabinetWork.updateSongs, sqlite: sqlite_update_songs, tokyo: tokyo_update_songs)
    static let saveSmall = Work(
        cabinet: CabinetWork.saveSmall, sqlite: sqlite_save_small, tokyo: tokyo_save_small)
    static let saveSmallBesideNone = Work(cabinet: CabinetWork.saveSmall(beside: 0))
    static let saveSmallBesideOne = Work(cabinet: CabinetWork.saveSmall(beside: 1))
    static let saveSmallBesideEight = Work(cabinet: CabinetWork.saveSmall(beside: 8))
    static let fetchRandom = Work(
        cabinet: CabinetWork.fetchRandom, sqlite: sqlite_fetch_random, tokyo: tokyo_fetch_random)
    static let openStore = Work(
        cabinet: CabinetWork.openStore, sqlite: sqlite_open_store, tokyo: tokyo_open_store)
    static let streamSongs = Work(
        cabinet: CabinetWork.streamSongs, sqlite: sqlite_fetch_songs, tokyo: tokyo_fetch_songs)
    static let insertPlaylists = Work(
        cabinet: CabinetWork.insertPlaylists,
        sqlite: sqlite_insert_playlists, tokyo: tokyo_insert_playlists)
    static let fetchFirstTitles = Work(
        cabinet: CabinetWork.fetchFirstTitles,
        sqlite: sqlite_fetch_first_titles, tokyo: tokyo_fetch_first_titles)
    static let fetchAllTitles = Work(
        cabinet: CabinetWork.fetchAllTitles,
        sqlite: sqlite_fetch_all_titles, tokyo: tokyo_fetch_all_titles)
    static let insertNames = Work(
        cabinet: CabinetWork.insertNames, sqlite: sqlite_insert_names, tokyo: tokyo_insert_names)
    static let fetchNames = Work(
        cabinet: CabinetWork.fetchNames, sqlite: sqlite_fetch_names, tokyo: tokyo_fetch_names)
    static let insertAndStreamSongs = Work(
        cabinet: { job, shelf in
            let inserted = try CabinetWork.insertSongs(job, shelf).proof
            let streamed = try CabinetWork.streamSongs(job, shelf).proof
            return CabinetWork.Result(proof: inserted + streamed)
        },
        sqlite: { sqlite_insert_songs($0, $1) ?? sqlite_fetch_songs($0, $1) },
        tokyo: { tokyo_insert_songs($0, $1) ?? tokyo_fetch_songs($0, $1) })
}
