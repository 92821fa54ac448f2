import CRivals
import Cabinet
import CabinetBackend

/// What is done with indexes of objects.
enum IndexWork {
    /// Opens the store as a program with these indexes.
    private static func open(_ shelf: Shelf, _ indexing: CatalogSong.Indexing) throws -> Store {
        CatalogSong.indexing.withLock { $0 = indexing }
        return try shelf.open([CatalogSong.self])
    }

    /// Inserts all songs in one save; the indexes are complete when it ends.
    static func insert(_ indexing: CatalogSong.Indexing) -> Work.CabinetCall {
        { job, shelf in
            var proof = Proof()
            let titles = OrderedWork.Titles(job)
            let start = speed_clock()
            let store = try open(shelf, indexing)
            var choices = Job.seed
            for row in 0..<job.objects {
                let song = CatalogSong()
                let code = titles.numbers[Int(row)]
                song.title = title(code)
                song.code = code
                song.artist = UInt32(speed_next(&choices) % 10)
                song.genre = UInt32(speed_next(&choices) % 10)
                song.number = row
                store.insert(song)
                proof.add(row)
            }
            try store.save()
            try store.indexes.build()
            try shelf.close(store)
            return CabinetWork.Result(proof: proof, seconds: speed_clock() - start)
        }
    }

    private static func title(_ number: UInt32) -> String {
        String(unsafeUninitializedCapacity: OrderedWork.titleLength) {
            speed_title($0.baseAddress, number)
            return OrderedWork.titleLength
        }
    }

    /// Opens a store without the index, waits until it is built, and closes.
    static func build(_ indexing: CatalogSong.Indexing) -> Work.CabinetCall {
        { job, shelf in
            let start = speed_clock()
            let store = try open(shelf, indexing)
            try store.indexes.build()
            try shelf.close(store)
            let seconds = speed_clock() - start
            return CabinetWork.Result(proof: Proof(count: 1, sum: 0), seconds: seconds)
        }
    }

    /// Opens the store, and reads its first song.
    static func open(_ indexing: CatalogSong.Indexing) -> Work.CabinetCall {
        { job, shelf in
            var proof = Proof()
            let start = speed_clock()
            let store = try open(shelf, indexing)
            proof.add(try song(RowID.first, in: store).number)
            try shelf.close(store)
            return CabinetWork.Result(proof: proof, seconds: speed_clock() - start)
        }
    }

    private static func song(_ row: RowID, in store: Store) throws -> CatalogSong {
        guard let song = try store.object(CatalogSong.self, rowID: row) else {
            throw SpeedTestError.missing("song in row \(row.rawValue)")
        }
        return song
    }

    /// Each save gives a song chosen at random another code.
    static func saveCodes(_ indexing: CatalogSong.Indexing) -> Work.CabinetCall {
        { job, shelf in
            var proof = Proof()
            let store = try open(shelf, indexing)
            var choices = job.choices
            let start = speed_clock()
            for _ in 0..<job.steps {
                let row = RowID.first.advanced(by: Int(choices.next()))
                let song = try song(row, in: store)
                song.code += job.objects
                proof.add(song.number)
                try store.save()
            }
            let seconds = speed_clock() - start
            try shelf.close(store)
            return CabinetWork.Result(proof: proof, seconds: seconds)
        }
    }

    /// What a query gives, step by step; opening and closing are not timed.
    static func ask(
        _ indexing: CatalogSong.Indexing,
        _ step: @escaping @Sendable (Store, Job, UInt32, inout Choices, inout Proof) throws -> Void
    ) -> Work.CabinetCall {
        { job, shelf in
            var proof = Proof()
            let store = try open(shelf, indexing)
            var choices = Choices(job)
            let start = speed_clock()
            for number in 0..<max(job.steps, 1) {
                try step(store, job, number, &choices, &proof)
            }
            let seconds = speed_clock() - start
            try shelf.close(store)
            return CabinetWork.Result(proof: proof, seconds: seconds)
        }
    }

    /// What the steps are about, the same as the rivals'.
    struct Choices {
        private var state = Job.seed
        private let titles: OrderedWork.Titles
        private let objects: UInt32

        init(_ job: Job) {
            titles = OrderedWork.Titles(job)
            objects = job.objects
        }

        /// The code of some song.
        mutating func code() -> UInt32 {
            titles.numbers[Int(speed_next(&state) % UInt64(objects))]
        }

        /// Codes in a row.
        mutating func range(_ length: UInt32) -> Range<UInt32> {
            let first = UInt32(speed_next(&state) % UInt64(objects - length + 1))
            return first..<first + length
        }
    }
}

extension Proof {
    mutating func add(_ rows: [RowID]) {
        for row in rows { add(row.rawValue - RowID.first.rawValue) }
    }
}
