import CRivals

extension SpeedTest {
    /// The tests of `OrderedTest`: an ordered table beside SQLite's index of the same keys.
    static let ordered = insertions + readings + smallSaves + openings

    private static let engines: [Engine] = [.cabinet, .sqlite]

    private static let insertions = [
        insertion("Ordered.insert", .insertKeys),
        insertion("Ordered.insertIndexLater", .insertKeysThenIndex),
        insertion("Ordered.insertSorted", .insertSortedKeys),
        insertion("Ordered.saves", .saveKeys, saves: true),
        insertion("Ordered.savesSorted", .saveSortedKeys, saves: true),
    ]

    private static func insertion(_ name: String, _ work: Work, saves: Bool = false) -> SpeedTest {
        SpeedTest(
            name: name, unit: saves ? "save" : "key", things: "keys in random order",
            stepShare: saves ? 0.001 : nil,
            work: work, expected: Expected.all, engines: engines,
            check: (.walkKeys, Expected.all))
    }

    private static let readings = [
        reading("Ordered.ranges", "range", 0.001, .walkKeyRanges, Expected.rangesOfRows),
        reading("Ordered.count", "count", 0.0001, .countKeyRanges, Expected.counts),
        reading("Ordered.lookup", "fetch", 0.1, .lookUpKeys, Expected.steps),
    ]

    private static func reading(
        _ name: String, _ unit: String, _ share: Double, _ work: Work,
        _ expected: @escaping @Sendable (Job) -> Proof
    ) -> SpeedTest {
        SpeedTest(
            name: name, unit: unit, things: "keys", stepShare: share,
            preparation: .insertKeysThenIndex, stock: "keys",
            work: work, expected: expected, engines: engines)
    }

    // What a key adds to a save is the difference of the two.
    private static let smallSaves = [
        smallSave("Ordered.saveRecord", .saveRecords),
        smallSave("Ordered.saveRecordAndKey", .saveRecordsAndKeys),
    ]

    private static func smallSave(_ name: String, _ work: Work) -> SpeedTest {
        SpeedTest(
            name: name, unit: "save", things: "records and keys", shares: [0.1], stepShare: 0.1,
            isFull: false, preparation: .makeRecordsAndKeys,
            work: work, expected: Expected.steps, engines: [.cabinet])
    }

    // From opening a store to closing it, with ten ordered tables and without.
    private static let openings = [
        opening("Ordered.open", .makeSongsAndTables, "songs and tables"),
        opening("Ordered.openWithout", .insertSongs, "songs"),
    ]

    private static func opening(_ name: String, _ work: Work, _ stock: String) -> SpeedTest {
        SpeedTest(
            name: name, unit: "opening", things: stock, preparation: work, stock: stock,
            work: .openStore, expected: Expected.first, engines: [.cabinet])
    }
}

extension Work {
    static let makeSongsAndTables = Work(cabinet: OrderedWork.makeSongsAndTables)
    static let insertKeys = Work(
        cabinet: OrderedWork.insertKeys(sorted: false), sqlite: sqlite_insert_keys)
    static let insertKeysThenIndex = Work(
        cabinet: OrderedWork.insertKeys(sorted: false), sqlite: sqlite_insert_keys_then_index)
    static let insertSortedKeys = Work(
        cabinet: OrderedWork.insertKeys(sorted: true), sqlite: sqlite_insert_sorted_keys)
    static let saveKeys = Work(
        cabinet: OrderedWork.insertKeys(sorted: false, saves: true), sqlite: sqlite_save_keys)
    static let saveSortedKeys = Work(
        cabinet: OrderedWork.insertKeys(sorted: true, saves: true),
        sqlite: sqlite_save_sorted_keys)
    static let walkKeys = Work(cabinet: OrderedWork.walkKeys, sqlite: sqlite_walk_keys)
    static let walkKeyRanges = Work(
        cabinet: OrderedWork.walkRanges, sqlite: sqlite_walk_key_ranges)
    static let countKeyRanges = Work(
        cabinet: OrderedWork.countRanges, sqlite: sqlite_count_key_ranges)
    static let lookUpKeys = Work(cabinet: OrderedWork.lookUpKeys, sqlite: sqlite_look_up_keys)
    static let makeRecordsAndKeys = Work(cabinet: OrderedWork.makeRecords)
    static let saveRecords = Work(cabinet: OrderedWork.saveRecords)
    static let saveRecordsAndKeys = Work(cabinet: OrderedWork.saveRecordsAndKeys)
}

extension Expected {
    /// The rows of the titles in each range.
    @Sendable static func rangesOfRows(_ job: Job) -> Proof {
        let titles = OrderedWork.Titles(job)
        let count = Int(job.objects)
        var rows = [UInt32](repeating: 0, count: count)
        for row in 0..<count { rows[Int(titles.numbers[row])] = UInt32(row) }
        let length = min(count, Int(speed_walked_range))
        var proof = Proof()
        var choices = Job.seed
        for _ in 0..<job.steps {
            let first = Int(speed_next(&choices) % UInt64(count - length + 1))
            for row in rows[first..<first + length] { proof.add(row) }
        }
        return proof
    }

    @Sendable static func counts(_ job: Job) -> Proof {
        Proof(
            count: UInt64(job.steps),
            sum: UInt64(job.steps) * UInt64(job.objects / UInt32(speed_counted_share)))
    }
}
