import CRivals
import CabinetBackend
import CabinetTokyo
import Foundation

/// An ordered table as an index uses it: a key is a title of 20 bytes and a row number of four, and
/// there are no values.
enum OrderedWork {
    static let titleLength = Int(speed_title_length)
    static let keyLength = titleLength + 4

    /// The title that each row gets, in the order of the rows.
    final class Titles {
        let numbers: UnsafeMutablePointer<UInt32>

        init(_ job: Job) {
            guard let numbers = speed_shuffled(job.objects, Job.seed) else {
                fatalError("No memory for \(job.objects) numbers.")
            }
            self.numbers = numbers
        }

        deinit { free(numbers) }
    }

    /// Memory for one key.
    final class Key {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: keyLength, alignment: 8)

        deinit { bytes.deallocate() }

        func set(_ title: UInt32, row: UInt32) -> UnsafeRawBufferPointer {
            speed_title(bytes.baseAddress, title)
            bytes.storeBytes(of: row.bigEndian, toByteOffset: titleLength, as: UInt32.self)
            return UnsafeRawBufferPointer(bytes)
        }
    }

    static func open(_ job: Job) throws -> TokyoBackend {
        try TokyoBackend(path: job.directory, durability: job.isFull ? .full : .process)
    }

    static func table(
        _ backend: TokyoBackend, _ kind: TableKind = .ordered, _ name: String = "Song.title"
    ) throws -> TableNumber {
        if let found = try backend.tables().first(where: { $0.name == name }) {
            return found.number
        }
        return try backend.claim(TableClaim(kind: kind, name: name)).number
    }

    static var nothing: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The work of one save of all keys, or of as many saves as the job has steps.
    static func insertKeys(sorted: Bool, saves: Bool = false) -> Work.CabinetCall {
        { job, _ in try insert(job, sorted: sorted, saves: saves ? max(job.steps, 1) : 1) }
    }

    private static func insert(
        _ job: Job, sorted: Bool, saves: UInt32
    ) throws -> CabinetWork.Result {
        var proof = Proof()
        let titles = Titles(job)
        let key = Key()
        let start = speed_clock()
        let backend = try open(job)
        let table = try table(backend)
        let limit = max(job.objects / saves, 1)
        var row: UInt32 = 0
        while row < job.objects {
            let end = min(row + limit, job.objects)
            let batch = backend.makeBatch()
            if row == 0 {
                try batch.define(
                    TableDefinition(number: table, kind: .ordered, name: "Song.title"))
            }
            while row < end {
                let title = sorted ? row : titles.numbers[Int(row)]
                try batch.put(nothing, for: key.set(title, row: row), in: table)
                proof.add(row)
                row += 1
            }
            try backend.commit(batch)
        }
        try backend.close()
        return CabinetWork.Result(proof: proof, seconds: speed_clock() - start)
    }

    /// The row at the end of a key.
    private static func row(_ key: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(bigEndian: key.loadUnaligned(fromByteOffset: titleLength, as: UInt32.self))
    }

    private static func addRows(
        _ backend: TokyoBackend, _ table: TableNumber, _ range: KeyRange, _ run: EntryRun,
        _ proof: inout Proof
    ) throws {
        let cursor = try backend.entries(in: table, range: range, descending: false)
        while try cursor.next(run) {
            while let (key, _) = run.next() { proof.add(row(key)) }
        }
    }

    static func walkKeys(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        var proof = Proof()
        let backend = try open(job)
        try addRows(backend, try table(backend), .everything, EntryRun(), &proof)
        try backend.close()
        return CabinetWork.Result(proof: proof)
    }

    /// The titles of `length` keys in a row, chosen at random.
    private static func range(
        _ choices: inout UInt64, _ job: Job, _ length: UInt32
    ) -> KeyRange {
        let first = UInt32(speed_next(&choices) % UInt64(job.objects - length + 1))
        return KeyRange(from: title(first), to: title(first + length))
    }

    private static func title(_ number: UInt32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: titleLength) { bytes, count in
            speed_title(bytes.baseAddress, number)
            count = titleLength
        }
    }

    static func walkRanges(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        var proof = Proof()
        let backend = try open(job)
        let table = try table(backend)
        let run = EntryRun()
        var choices = Job.seed
        let length = min(job.objects, UInt32(speed_walked_range))
        let start = speed_clock()
        for _ in 0..<job.steps {
            try addRows(backend, table, range(&choices, job, length), run, &proof)
        }
        let seconds = speed_clock() - start
        try backend.close()
        return CabinetWork.Result(proof: proof, seconds: seconds)
    }

    static func countRanges(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        var proof = Proof()
        let backend = try open(job)
        let table = try table(backend)
        var choices = Job.seed
        let length = job.objects / UInt32(speed_counted_share)
        let start = speed_clock()
        for _ in 0..<job.steps {
            proof.add(UInt32(try backend.count(of: range(&choices, job, length), in: table)))
        }
        let seconds = speed_clock() - start
        try backend.close()
        return CabinetWork.Result(proof: proof, seconds: seconds)
    }

    static func lookUpKeys(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        var proof = Proof()
        let titles = Titles(job)
        let key = Key()
        let backend = try open(job)
        let table = try table(backend)
        let buffer = DataBuffer()
        var choices = job.choices
        let start = speed_clock()
        for _ in 0..<job.steps {
            let row = choices.next()
            let isThere = try backend.value(
                forKey: key.set(titles.numbers[Int(row)], row: row), in: table, into: buffer)
            if isThere { proof.add(row) }
        }
        let seconds = speed_clock() - start
        try backend.close()
        return CabinetWork.Result(proof: proof, seconds: seconds)
    }
}

// What a key costs in a small save, and what ordered tables cost that nothing is done with.
extension OrderedWork {
    private static func put(
        _ row: UInt32, _ batch: WriteBatch, _ table: TableNumber
    ) throws {
        let buffer = batch.beginRecord(RowID(row + 1), in: table)
        for _ in 0..<3 { buffer.writeUInt64(UInt64(row)) }
        try batch.endRecord()
    }

    static func makeRecords(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        let backend = try open(job)
        let records = try table(backend, .record, "Song")
        let batch = backend.makeBatch()
        try batch.define(TableDefinition(number: records, kind: .record, name: "Song"))
        for row in 0..<job.objects {
            try put(row, batch, records)
        }
        try backend.commit(batch)
        try backend.close()
        _ = try insert(job, sorted: false, saves: 1)
        return CabinetWork.Result(proof: Proof())
    }

    static func saveRecords(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        try saveSmall(job, withKey: false)
    }

    static func saveRecordsAndKeys(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        try saveSmall(job, withKey: true)
    }

    /// Each save puts one record, and one new key.
    private static func saveSmall(_ job: Job, withKey: Bool) throws -> CabinetWork.Result {
        var proof = Proof()
        let key = Key()
        let backend = try open(job)
        let keys = try table(backend)
        let records = try table(backend, .record, "Song")
        var choices = job.choices
        let start = speed_clock()
        for step in 0..<job.steps {
            let row = choices.next()
            let batch = backend.makeBatch()
            try put(row, batch, records)
            if withKey {
                try batch.put(nothing, for: key.set(row, row: job.objects + step), in: keys)
            }
            try backend.commit(batch)
            proof.add(row)
        }
        let seconds = speed_clock() - start
        let count = try backend.count(of: keys)
        guard count == Int(job.objects + (withKey ? job.steps : 0)) else {
            throw SpeedTestError.missing("key: there are \(count)")
        }
        try backend.close()
        return CabinetWork.Result(proof: proof, seconds: seconds)
    }
}
