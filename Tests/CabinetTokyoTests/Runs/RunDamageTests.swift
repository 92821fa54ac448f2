import CabinetBackend
import Testing

@testable import CabinetTokyo

/// Damaged runs: a typed error or right values, never a trap.
struct RunDamageTests {
    let directory = RunDirectory()
    let files = SystemFiles()
    let identity = RunIdentity(store: 77, table: 5)
    var path: String { directory.file("run") }

    private func model(_ kind: KeyKind, _ count: Int, seed: UInt64) -> RunModel {
        var random = ModelRandom(seed)
        let keys = kind.keys(count, &random)
        return RunModel(keys: keys, random: &random)
    }

    private func bytes() throws -> [UInt8] {
        let file = try files.open(path, for: .reading)
        return try files.readBytes(Int(try files.size(of: file)), from: file, at: 0)
    }

    private func replace(by bytes: [UInt8]) throws {
        let file = try files.open(path, for: .replacing)
        try files.write(bytes, to: file, at: 0)
    }

    /// What all ways of reading give; `nil` for damage that reading reports.
    private func outcome(_ keys: [[UInt8]]) throws -> RunReport? {
        do throws(BackendError) {
            guard let run = try Run(files: files, path: path, identity: identity) else {
                return nil
            }
            return try RunReport(run, keys)
        } catch {
            guard case .corrupt(path, _) = error else { throw error }
            return nil
        }
    }

    @Test(arguments: [64, 8192])
    func noByteMayChange(blockLimit: Int) throws {
        let model = model(.titles, 60, seed: 1)
        try writeRun(model, path, blockLimit: blockLimit)
        let bytes = try bytes()
        let keys = model.entries.map(\.key)
        let whole = try #require(try outcome(keys))
        #expect(whole.forward == model.entries)
        let file = try files.open(path, for: .writing)
        for (index, byte) in bytes.enumerated() {
            let change: UInt8 = index % 2 == 0 ? 1 << (index / 2 % 8) : 0xFF
            try files.write([byte ^ change], to: file, at: UInt64(index))
            #expect(try outcome(keys) == nil, "byte \(index) changed by \(change)")
            try files.write([byte], to: file, at: UInt64(index))
        }
        #expect(try outcome(keys) == whole)
    }

    @Test func noRunIsWholeAtAnotherLength() throws {
        let model = model(.titles, 40, seed: 2)
        try writeRun(model, path, blockLimit: 200)
        let bytes = try bytes()
        for length in bytes.indices {
            try replace(by: Array(bytes[..<length]))
            #expect(try outcome([]) == nil, "cut to \(length)")
        }
        for more in [1, 60, 96, 4096] {
            try replace(by: bytes + [UInt8](repeating: 0, count: more))
            #expect(try outcome([]) == nil, "\(more) zeros more")
            try replace(by: bytes + bytes.suffix(more))
            #expect(try outcome([]) == nil, "\(more) bytes more")
        }
    }

    @Test func damagedStretchesGiveErrorsOrRightValues() throws {
        var random = ModelRandom(3)
        let model = model(.crowded, 3000, seed: 3)
        try writeRun(model, path, blockLimit: 1024)
        let bytes = try bytes()
        let keys = (0..<20).map { _ in model.entries[random.below(model.entries.count)].key }
        let whole = try #require(try outcome(keys))
        for _ in 0..<100 {
            var mutant = bytes
            let start = random.below(bytes.count)
            let end = min(bytes.count, start + 1 + random.below(5000))
            let source = random.below(bytes.count)
            let way = random.below(3)
            for place in start..<end {
                switch way {
                case 0: mutant[place] = 0
                case 1: mutant[place] = UInt8(truncatingIfNeeded: random.next())
                default: mutant[place] = bytes[(source + place - start) % bytes.count]
                }
            }
            try replace(by: mutant)
            let result = try outcome(keys)
            #expect(result == nil || mutant == bytes && result == whole)
        }
    }

    @Test func blocksOfAnotherFileAreNotTaken() throws {
        let model = model(.titles, 400, seed: 4)
        try writeRun(model, path, blockLimit: 500, number: 1)
        let one = try bytes()
        try writeRun(model, path, blockLimit: 500, number: 2)
        let run = try #require(try Run(files: files, path: path, identity: identity))
        let place = try #require(run.index.place(of: 1))
        let block = place.offset..<place.offset + place.length
        var mixed = try bytes()
        #expect(mixed.count == one.count && run.blockCount > 2)
        mixed.replaceSubrange(block, with: one[block])
        try replace(by: mixed)
        #expect(try outcome([]) == nil)
    }

    @Test func runsOfOthersAreNone() throws {
        let path = path
        #expect(try Run(files: files, path: path, identity: identity) == nil)
        try writeRun(RunModel(), path)
        #expect(
            try Run(files: files, path: path, identity: RunIdentity(store: 78, table: 5)) == nil)
        #expect(
            try Run(files: files, path: path, identity: RunIdentity(store: 77, table: 6)) == nil)
        #expect(try Run(files: files, path: path, identity: identity) != nil)
        try replace(by: [])
        #expect(throws: BackendError.corrupt(path: path, offset: 0)) {
            try Run(files: files, path: path, identity: identity)
        }
    }

    @Test func aNewerFormatSaysSo() throws {
        try writeRun(RunModel(), path)
        var bytes = try bytes()
        bytes[8] = 3
        let sum = bytes[..<60].withUnsafeBytes { $0.checksum() }
        bytes.replaceSubrange(60..<64, with: withUnsafeBytes(of: sum.littleEndian, Array.init))
        try replace(by: bytes)
        #expect(throws: BackendError.newerFormat(path: path, found: 3, known: 2)) {
            try Run(files: files, path: path, identity: identity)
        }
    }
}

/// What all ways of reading a run give.
struct RunReport: Hashable {
    var forward: [ModelEntry]
    var backward: [ModelEntry]
    var found: [ModelEntry?]
    var ranks: [Int]
    var jumps: [ModelEntry?] = []
    var rows: [RowID] = []

    init(_ run: Run, _ keys: [[UInt8]]) throws(BackendError) {
        found = []
        ranks = []
        let cursor = try run.cursor()
        for key in keys {
            found.append(try run.found(key))
            ranks.append(try run.rank(key))
            try cursor.seek(to: key)
            try cursor.previous()
            jumps.append(cursor.entry)
            try cursor.seekBack(before: key)
            jumps.append(cursor.entry)
            try cursor.next()
            jumps.append(cursor.entry)
        }
        forward = try run.contents()
        backward = try run.contentsBackward()
        let rowRun = RowRun()
        try cursor.seek(nil)
        while cursor.isAtEntry {
            rowRun.removeAll()
            try cursor.takeRows(into: rowRun, limit: .max, before: nil)
            rows += rowRun.rows
        }
        try run.verify()
    }
}
