import CabinetBackend
import Testing

@testable import CabinetTokyo

struct RunReadingTests {
    let directory = RunDirectory()
    let files = SystemFiles()
    let identity = RunIdentity(store: 77, table: 5)

    private func open(_ model: RunModel, blockLimit: Int) throws -> Run {
        let path = directory.file("run")
        let file = try writeRun(model, path, blockLimit: blockLimit)
        let run = try #require(try Run(files: files, path: path, identity: identity))
        #expect(file.size == run.size)
        #expect(run.span == CommitSpan(from: 3, to: 9) && file.span == run.span)
        return run
    }

    /// Keys that are in no run but near one that is.
    private func near(_ model: RunModel, _ random: inout ModelRandom) -> [[UInt8]] {
        var keys: [[UInt8]] = [[], [0], [255], [UInt8](repeating: 255, count: 40)]
        for _ in 0..<120 where !model.entries.isEmpty {
            var key = model.entries[random.below(model.entries.count)].key
            keys.append(key)
            keys.append(key + [UInt8(random.below(256))])
            keys.append(Array(key.prefix(random.below(key.count + 1))))
            if !key.isEmpty {
                key[random.below(key.count)] ^= UInt8(1 << random.below(8))
                keys.append(key)
            }
        }
        return keys
    }

    @Test(arguments: KeyKind.allCases, [64, 700, 8192])
    func aRunGivesWhatWasWritten(_ kind: KeyKind, blockLimit: Int) throws {
        var random = ModelRandom(UInt64(blockLimit))
        for count in [0, 1, 2, 16, 17, 33, 700] {
            let keys = kind.keys(count, &random)
            let model = RunModel(keys: keys, random: &random)
            let run = try open(model, blockLimit: blockLimit)
            #expect(try run.contents() == model.entries)
            #expect(try run.contentsBackward() == model.entries.reversed())
            #expect(run.entryCount == model.entries.count)
            #expect(run.deleteCount == model.entries.filter { $0.value == nil }.count)
            #expect(run.weightSum == model.entries.reduce(0) { $0 + $1.weight })
            try run.verify()
        }
    }

    @Test(arguments: KeyKind.allCases, [64, 700, 8192])
    func eachKeyIsFoundAndRanked(_ kind: KeyKind, blockLimit: Int) throws {
        var random = ModelRandom(UInt64(blockLimit) + 1)
        for count in [0, 1, 20, 900] {
            let keys = kind.keys(count, &random)
            let model = RunModel(keys: keys, random: &random)
            let run = try open(model, blockLimit: blockLimit)
            for key in near(model, &random) {
                let expected = model.find(key)
                let found = try run.found(key)
                #expect(found?.value == expected?.value && (found == nil) == (expected == nil))
                #expect(try run.rank(key) == model.rank(key))
            }
        }
    }

    @Test(arguments: KeyKind.allCases, [64, 700, 8192])
    func aCursorMovesAsAnArrayIndex(_ kind: KeyKind, blockLimit: Int) throws {
        var random = ModelRandom(UInt64(blockLimit) + 2)
        let keys = kind.keys(600, &random)
        let model = RunModel(keys: keys, random: &random)
        let run = try open(model, blockLimit: blockLimit)
        let cursor = try run.cursor()
        #expect(cursor.entry == nil)
        for key in near(model, &random) {
            var position = model.position(key)
            if random.below(2) == 0 {
                try cursor.seek(to: key)
            } else {
                try cursor.seekBack(before: key)
                position -= 1
            }
            for _ in 0..<random.below(60) {
                guard model.entries.indices.contains(position) else { break }
                #expect(cursor.entry == model.entries[position])
                let isForward = random.below(3) != 0
                position += isForward ? 1 : -1
                if isForward { try cursor.next() } else { try cursor.previous() }
            }
            #expect(
                cursor.entry
                    == (model.entries.indices.contains(position) ? model.entries[position] : nil))
        }
    }

    @Test func aCursorSeeksByItsOwnKey() throws {
        var random = ModelRandom(3)
        let keys = KeyKind.crowded.keys(500, &random)
        let model = RunModel(keys: keys, random: &random)
        let run = try open(model, blockLimit: 300)
        let cursor = try run.cursor()
        try cursor.seek(nil)
        for entry in model.entries {
            #expect(cursor.entry == entry)
            try cursor.seek(cursor.key)
            #expect(cursor.entry == entry)
            try cursor.next()
        }
    }

    @Test func largeValuesAndKeysComeBack() throws {
        var entries: [ModelEntry] = []
        for (number, size) in [10, 40_000, 0, 3_000_000, 32 << 10, 70_000, 1].enumerated() {
            let value = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
            entries.append(ModelEntry(key: [UInt8(number)], value: value, weight: 1))
            let key = [UInt8(number), 0] + value
            entries.append(ModelEntry(key: key, value: [1], weight: 0))
            entries.append(ModelEntry(key: key + [0], value: nil, weight: -1))
        }
        let model = RunModel(entries: entries)
        let run = try open(model, blockLimit: 8192)
        #expect(try run.contents() == entries)
        #expect(try run.contentsBackward() == entries.reversed())
        for entry in entries {
            #expect(try run.found(entry.key)?.value == entry.value)
            #expect(try run.rank(entry.key) == model.rank(entry.key))
        }
        try run.verify()
    }

    /// 1,024 bytes and more, all the same but the last ones.
    @Test func keysThatShareAThousandBytesAreCheap() throws {
        let keys = (0..<5000).map { number in
            [UInt8](repeating: 9, count: 1100) + [UInt8(number >> 8), UInt8(number & 255)]
        }
        var random = ModelRandom(5)
        let model = RunModel(keys: keys, random: &random, longestValue: 0)
        let run = try open(model, blockLimit: 8192)
        #expect(run.size < 60_000)
        #expect(try run.contents() == model.entries)
    }

    @Test func separatorsDivideBlocks() throws {
        var random = ModelRandom(6)
        let keys = KeyKind.titles.keys(3000, &random)
        let model = RunModel(keys: keys, random: &random)
        let run = try open(model, blockLimit: 700)
        #expect(run.blockCount > 10)
        #expect(run.separator(of: 0).isEmpty)
        #expect(run.weight(before: run.blockCount) == run.weightSum)
        for block in 0..<run.blockCount {
            let start = model.position(Array(run.separator(of: block)))
            let end =
                block + 1 < run.blockCount
                ? model.position(Array(run.separator(of: block + 1))) : model.entries.count
            #expect(start == run.index.entries(before: block) && start < end)
            #expect(run.weight(before: block) == model.rank(model.entries[start].key))
            var sum = 0
            let sums = model.entries[start..<end].map { entry in
                sum += entry.weight
                return sum
            }
            #expect(run.greatestWeight(in: block) == max(0, sums.max() ?? 0))
        }
    }

    @Test func onlyTheBlocksThatAreNeededAreRead() throws {
        var random = ModelRandom(7)
        let keys = KeyKind.titles.keys(20_000, &random)
        let model = RunModel(keys: keys, random: &random)
        let run = try open(model, blockLimit: 4096)
        #expect(run.blocksRead == 0)
        _ = try run.found(model.entries[5000].key)
        #expect(run.blocksRead == 1)
        _ = try run.rank(model.entries[15_000].key)
        #expect(run.blocksRead == 2)
        _ = try run.rank(model.entries[5001].key)
        #expect(run.blocksRead <= 3)
    }
}
