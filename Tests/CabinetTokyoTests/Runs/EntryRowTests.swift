import CabinetBackend
import Testing

@testable import CabinetTokyo

/// The rows that the entries of runs end with are found without making keys where that can be, and are
/// those of the keys and values always.
struct EntryRowTests {
    /// Keys as indexes have them, beside those of ``KeyKind``.
    enum IndexKind: CaseIterable, Sendable {
        /// Few values, each of many rows.
        case groups
        /// Numbers, each of one row.
        case numbers
        /// Texts of different lengths.
        case texts

        func keys(_ count: Int, _ random: inout ModelRandom) -> [[UInt8]] {
            (0..<count).map { number in
                let row = withUnsafeBytes(of: UInt32(number * 3).bigEndian) { Array($0) }
                let value = withUnsafeBytes(of: UInt32(random.below(1 << 20)).bigEndian) {
                    Array($0)
                }
                return switch self {
                case .groups: [0x10, UInt8(random.below(4))] + row
                case .numbers: [0x10] + value + row
                case .texts:
                    Array("Song \(random.below(300))".utf8.prefix(4 + random.below(6))) + [0] + row
                }
            }
        }
    }

    let directory = RunDirectory()
    let files = SystemFiles()
    let identity = RunIdentity(store: 77, table: 5)

    private func open(_ model: RunModel, _ name: String, blockLimit: Int) throws -> Run {
        let path = directory.file(name)
        _ = try writeRun(model, path, blockLimit: blockLimit)
        return try #require(try Run(files: files, path: path, identity: identity))
    }

    private static func row(_ entry: ModelEntry) -> RowID? {
        guard let value = entry.value else { return nil }
        let bytes = value.isEmpty ? entry.key : value
        guard bytes.count >= 4 else { return nil }
        return RowID(bytes.suffix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
    }

    /// Takes the rows of ranges by chance, with limits by chance.
    private func check(
        _ cursor: LayerCursor, _ entries: [ModelEntry], _ random: inout ModelRandom
    ) throws {
        let run = RowRun()
        for round in 0..<25 {
            let ends = [random.below(entries.count), random.below(entries.count)].sorted()
            let (lower, upper) = (entries[ends[0]].key, entries[ends[1]].key)
            let isOpen = round % 5 == 0
            var found: [RowID] = []
            var longest = 0
            try cursor.seek(to: lower)
            var steps = 0
            while let key = cursor.entry?.key, isOpen || key.lexicographicallyPrecedes(upper) {
                steps += 1
                try #require(steps < 10 * entries.count + 10)
                let limit = round % 3 == 0 ? Int.max : 1 + random.below(40)
                run.removeAll()
                try upper.withBytes { (upper) throws(BackendError) in
                    try cursor.takeRows(into: run, limit: limit, before: isOpen ? nil : upper)
                }
                #expect(run.rows.count <= limit)
                found += run.rows
                longest = max(longest, run.longestKey)
            }
            let wanted = entries[ends[0]..<(isOpen ? entries.count : ends[1])]
            #expect(found == wanted.compactMap(Self.row))
            let sizes = wanted.filter { Self.row($0) != nil }.map {
                $0.value?.isEmpty == true ? $0.key.count - 4 : $0.key.count
            }
            #expect(longest == max(sizes.max() ?? 0, 0))
            if !isOpen { #expect(cursor.entry?.key == upper) }
        }
    }

    private func check(_ models: [RunModel], blockLimit: Int, _ random: inout ModelRandom) throws {
        var newest: [[UInt8]: ModelEntry] = [:]
        var cursors: [LayerCursor] = []
        for (index, model) in models.enumerated() {
            for entry in model.entries { newest[entry.key] = entry }
            cursors.append(try open(model, "run\(index)", blockLimit: blockLimit).cursor())
        }
        let entries = newest.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let cursor = cursors.count == 1 ? cursors[0] : LayerMerge(cursors)
        try check(cursor, entries, &random)
    }

    @Test(arguments: KeyKind.allCases, [64, 700, 8192])
    func rowsOfAnyEntriesAreThoseOfKeysAndValues(_ kind: KeyKind, blockLimit: Int) throws {
        var random = ModelRandom(UInt64(blockLimit) + 5)
        let model = RunModel(keys: kind.keys(900, &random), random: &random)
        try check([model], blockLimit: blockLimit, &random)
    }

    @Test(arguments: IndexKind.allCases, [1, 3])
    func rowsOfAnIndexAreThoseOfItsKeys(_ kind: IndexKind, runs: Int) throws {
        var random = ModelRandom(UInt64(runs))
        for mayDelete in [false, true] {
            let models = (0..<runs).map { index -> RunModel in
                // Of the later runs one is among the others, and one lies in a row.
                let keys = kind.keys(index == 2 ? 200 : 3000, &random)
                if mayDelete { return RunModel(keys: keys, random: &random) }
                return RunModel(
                    entries: Set(keys).sorted { $0.lexicographicallyPrecedes($1) }.map {
                        ModelEntry(key: $0, value: [], weight: 1)
                    })
            }
            try check(models, blockLimit: 2048, &random)
        }
    }

    @Test func aDamagedBlockIsFoundOut() throws {
        var random = ModelRandom(9)
        let model = RunModel(keys: IndexKind.numbers.keys(3000, &random), random: &random)
        let path = directory.file("damaged")
        _ = try writeRun(model, path, blockLimit: 512)
        let bytes = try #require(try Run(files: files, path: path, identity: identity))
        let place = try #require(bytes.index.place(of: bytes.blockCount / 2))
        let file = try files.open(path, for: .writing)
        try files.write([0xFF], to: file, at: UInt64(place.offset + 9))
        let run = try #require(try Run(files: files, path: path, identity: identity))
        let cursor = try run.cursor()
        try cursor.seek(nil)
        let rows = RowRun()
        #expect(throws: BackendError.corrupt(path: path, offset: UInt64(place.offset))) {
            try cursor.takeRows(into: rows, limit: .max, before: nil)
        }
    }
}
