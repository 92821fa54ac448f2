import CRivals
import Cabinet

/// One property of a thousand objects, read or set again and again: what an accessor costs.
enum AccessWork {
    /// So few that the processor's nearest memory holds them.
    static let circle: UInt32 = 1000

    static func readPlain(_ job: Job, _ shelf: Shelf) -> CabinetWork.Result {
        let songs = plainSongs(job)
        var sum: UInt64 = 0
        let seconds = time(songs, job) { sum &+= UInt64($0.number) }
        return CabinetWork.Result(
            proof: Proof(count: UInt64(job.steps), sum: sum), seconds: seconds)
    }

    static func setPlain(_ job: Job, _ shelf: Shelf) -> CabinetWork.Result {
        let songs = plainSongs(job)
        var number: UInt32 = 0
        let seconds = time(songs, job) {
            $0.number = number
            number &+= 1
        }
        return result(songs.map(\.number), seconds)
    }

    private static func plainSongs(_ job: Job) -> [Plain.Song] {
        // The flags are such that the compiler cannot predict them.
        (0..<circle).map { Plain.Song(number: $0, flags: job.isFull ? 0 : 1) }
    }

    static func readHandWritten(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        let (store, songs) = try stored { Song(title: "", number: $0) }
        var sum: UInt64 = 0
        let seconds = time(songs, job) { sum &+= UInt64($0.number) }
        return withExtendedLifetime(store) {
            CabinetWork.Result(proof: Proof(count: UInt64(job.steps), sum: sum), seconds: seconds)
        }
    }

    static func setHandWritten(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        let (store, songs) = try stored { Song(title: "", number: $0) }
        var number: UInt32 = 0
        let seconds = time(songs, job) {
            $0.number = number
            number &+= 1
        }
        return withExtendedLifetime(store) { result(songs.map(\.number), seconds) }
    }

    static func readDeclared(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        let (store, songs) = try stored { Declared.Song(title: "", number: $0) }
        var sum: UInt64 = 0
        let seconds = time(songs, job) { sum &+= UInt64($0.number) }
        return withExtendedLifetime(store) {
            CabinetWork.Result(proof: Proof(count: UInt64(job.steps), sum: sum), seconds: seconds)
        }
    }

    static func setDeclared(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        let (store, songs) = try stored { Declared.Song(title: "", number: $0) }
        var number: UInt32 = 0
        let seconds = time(songs, job) {
            $0.number = number
            number &+= 1
        }
        return withExtendedLifetime(store) { result(songs.map(\.number), seconds) }
    }

    private static func result(_ numbers: [UInt32], _ seconds: Double) -> CabinetWork.Result {
        var proof = Proof()
        for number in numbers { proof.add(number) }
        return CabinetWork.Result(proof: proof, seconds: seconds)
    }

    /// Objects that a store has saved and knows to be changed.
    private static func stored<Object: StoredObject>(
        _ make: (UInt32) -> Object
    ) throws -> (Store, [Object]) {
        let store = try Store(inMemory: [Object.self])
        let objects = (0..<circle).map(make)
        objects.forEach(store.insert)
        try store.save()
        return (store, objects)
    }

    /// How long it takes to call `body` with the objects in turns, in seconds.
    @inline(__always)
    private static func time<Object: AnyObject>(
        _ objects: [Object], _ job: Job, _ body: (Object) -> Void
    ) -> Double {
        // Held all the while, so that no references are counted.
        let held = objects.map { Unmanaged.passUnretained($0) }
        let start = speed_clock()
        for _ in 0..<job.steps / circle {
            for object in held { object._withUnsafeGuaranteedRef(body) }
        }
        let seconds = speed_clock() - start
        return withExtendedLifetime(objects) { seconds }
    }
}
