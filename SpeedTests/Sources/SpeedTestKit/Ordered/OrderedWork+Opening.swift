import CRivals
import CabinetBackend
import CabinetTokyo

// What ordered tables cost that nothing is done with.
extension OrderedWork {
    private static let tables = 10

    /// Songs, and a tenth as many keys in each of ten ordered tables, which are one run each.
    static func makeSongsAndTables(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        let result = try CabinetWork.insertSongs(job, shelf)
        let titles = Titles(job)
        let key = Key()
        let backend = try open(job)
        for name in 0..<tables {
            let table = try table(backend, .ordered, "Song.title.\(name)")
            let batch = backend.makeBatch()
            try batch.define(
                TableDefinition(number: table, kind: .ordered, name: "Song.title.\(name)"))
            for row in 0..<job.objects / UInt32(tables) {
                try batch.put(nothing, for: key.set(titles.numbers[Int(row)], row: row), in: table)
            }
            try backend.commit(batch)
        }
        try backend.close()
        return result
    }
}
