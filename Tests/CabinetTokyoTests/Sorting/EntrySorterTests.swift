import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

struct EntrySorterTests {
    /// How the keys of a run look.
    enum Keys: CaseIterable {
        case random, titles, zeros, alike, nested, long, repeated

        func key(_ random: inout SeededRandom) -> [UInt8] {
            switch self {
            case .random:
                return (0..<random.below(20)).map { _ in UInt8(random.below(256)) }
            case .titles:
                return Array("Test Song \(100_000 + random.below(50_000))".utf8) + [0, 1, 2, 3]
            case .zeros:
                return [UInt8](repeating: 0, count: random.below(30))
                    + (random.once(in: 3) ? [1] : [])
            case .alike:
                return [UInt8](repeating: 9, count: 40) + [UInt8(random.below(200))]
            case .nested:
                // Each is the beginning of all longer ones: each comparison rules out one.
                return [UInt8](repeating: 97, count: 8 * random.below(120))
            case .long:
                let tail = (0..<3).map { _ in UInt8(random.below(4)) }
                return [UInt8](repeating: UInt8(random.below(2)), count: 300) + tail
            case .repeated:
                return random.once(in: 2) ? [] : [UInt8(random.below(3)), 0]
            }
        }
    }

    /// An entry as the plain sort knows it: where it stands, and which one it is.
    struct Plain {
        var place: EntryKey
        var number: UInt32
        var isDelete: Bool
    }

    private func makeEntries(_ keys: Keys, _ count: Int, seed: UInt64) -> [Plain] {
        var random = SeededRandom(seed: RunSetting.seed &+ seed)
        return (0..<count).map { number in
            let place =
                random.once(in: 5)
                ? EntryKey(
                    TableNumber(UInt16(2 * random.below(300))),
                    row: RowID(UInt32(random.below(4_000))))
                : EntryKey(random.once(in: 4) ? 65_535 : 5, key: keys.key(&random))
            return Plain(
                place: place, number: UInt32(number), isDelete: random.once(in: 4))
        }
    }

    /// What should come out: the last one about each place, by Swift's own sort.
    private func expected(_ entries: [Plain]) -> [Stored] {
        var last: [EntryKey: Plain] = [:]
        for entry in entries { last[entry.place] = entry }
        return last.values.sorted { $0.place < $1.place }.map {
            Stored(place: $0.place, bytes: $0.isDelete ? [] : bytes($0.number))
        }
    }

    private func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private func with(_ plain: Plain, _ body: (TableEntry) throws -> Void) throws {
        try bytes(plain.number).withUnsafeBytes { stored in
            let stored = plain.isDelete ? nil : stored
            let place = plain.place
            guard place.table.rawValue % 2 == 0 else {
                return try place.key.withUnsafeBytes {
                    try body(TableEntry(table: place.table, key: $0, stored: stored))
                }
            }
            let row = RowID(place.key.reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
            try body(TableEntry(table: place.table, row: row, stored: stored))
        }
    }

    private func add(_ plain: Plain, to sorter: EntrySorter) throws -> Bool {
        var isAdded = false
        try with(plain) { isAdded = try sorter.add($0) }
        return isAdded
    }

    private func taken(_ source: any EntrySource) throws -> [Stored] {
        var all: [Stored] = []
        while let entry = try source.next() {
            let place =
                entry.hasKey
                ? EntryKey(entry.table, key: Array(entry.key))
                : EntryKey(entry.table, row: entry.row)
            all.append(Stored(place: place, bytes: entry.stored.map(Array.init) ?? []))
        }
        return all
    }

    @Test(arguments: Keys.allCases, [0, 1, 30, 1_500])
    func theLastEntryAboutEachPlaceComesInOrder(keys: Keys, count: Int) throws {
        let sorter = try EntrySorter(limit: 32 << 20, path: "memory")
        let entries = makeEntries(keys, count, seed: UInt64(count))
        let orders = [entries, entries.sorted { $0.place < $1.place }, entries.reversed()]
        for entries in orders {
            for entry in entries { #expect(try add(entry, to: sorter)) }
            #expect(sorter.count == count)
            sorter.sort()
            #expect(try taken(sorter) == expected(entries))
            try sorter.removeAll()
        }
    }

    @Test func oneEntryMayBeLargerThanTheMemory() throws {
        let sorter = try EntrySorter(limit: 256, path: "memory")
        for _ in 0..<2 {
            let large = Plain(
                place: EntryKey(5, key: [UInt8](repeating: 1, count: 5_000)), number: 7,
                isDelete: false)
            #expect(try add(large, to: sorter))
            #expect(try !add(large, to: sorter))
            sorter.sort()
            #expect(try taken(sorter) == expected([large]))
            try sorter.removeAll()
        }
    }

    @Test(arguments: Keys.allCases, [2, 3, 64])
    func whatDoesNotFitIsSortedOnDisk(keys: Keys, fanIn: Int) throws {
        let directory = ScratchDirectory()
        let files = SystemFiles()
        let spool = try EntrySpool(
            files: files, path: directory.file("Spool"), suffix: ".new",
            limits: EntrySpool.Limits(memory: 12_000, fanIn: fanIn, block: 3_000))
        let entries = makeEntries(keys, 1_200, seed: UInt64(fanIn))
        for entry in entries { try with(entry) { try spool.add($0) } }
        #expect(try !files.list(directory.path).isEmpty)
        let merged = try #require(try spool.entries())
        #expect(try taken(merged) == expected(entries))
        spool.removeFiles()
        #expect(try files.list(directory.path).isEmpty)
    }

    @Test func aSpoolThatIsGivenUpLeavesNoFiles() throws {
        let directory = ScratchDirectory()
        let files = SystemFiles()
        do {
            let spool = try EntrySpool(
                files: files, path: directory.file("Spool"), suffix: ".new",
                limits: EntrySpool.Limits(memory: 1_000, fanIn: 2))
            for entry in makeEntries(.titles, 300, seed: 1) {
                try with(entry) { try spool.add($0) }
            }
            #expect(try spool.entries(isCancelled: { true }) == nil)
        }
        #expect(try files.list(directory.path).isEmpty)
    }

    @Test func whatFitsNeedsNoDisk() throws {
        let directory = ScratchDirectory()
        let spool = try EntrySpool(
            files: SystemFiles(), path: directory.file("Spool"), suffix: ".new")
        let entries = makeEntries(.titles, 300, seed: 2)
        for entry in entries { try with(entry) { try spool.add($0) } }
        let older = makeEntries(.titles, 300, seed: 3)
        let below = try EntrySorter(limit: 1 << 20, path: "memory")
        for entry in older { #expect(try add(entry, to: below)) }
        below.sort()
        let merged = try #require(try spool.entries(over: [below]))
        #expect(try taken(merged) == expected(older + entries))
        #expect(try SystemFiles().list(directory.path).isEmpty)
    }
}
