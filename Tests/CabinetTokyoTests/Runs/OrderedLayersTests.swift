import CabinetBackend
import Testing

@testable import CabinetTokyo

/// Counts and positions read few blocks, however many keys they pass.
struct OrderedLayersTests {
    let directory = RunDirectory()
    let files = SystemFiles()
    let identity = RunIdentity(store: 77, table: 5)
    let keys: [[UInt8]] = {
        var random = ModelRandom(5)
        return Array(Set(KeyKind.titles.keys(20_000, &random))).sorted {
            $0.lexicographicallyPrecedes($1)
        }
    }()

    /// Fresh runs of which no block was read: all keys; deletes of some and puts over others; and
    /// puts of some that were deleted. With the keys that are there.
    private func open() throws -> (layers: OrderedLayers, runs: [Run], live: [[UInt8]]) {
        var entries: [[ModelEntry]] = [[], [], []]
        var live: [[UInt8]] = []
        for (index, key) in keys.enumerated() {
            entries[0].append(ModelEntry(key: key, value: [], weight: 1))
            let isDeleted = index % 3 == 0
            if isDeleted {
                entries[1].append(ModelEntry(key: key, value: nil, weight: -1))
            } else if index % 3 == 1 {
                entries[1].append(ModelEntry(key: key, value: [1], weight: 0))
            }
            let isBack = isDeleted && index % 2 == 0
            if isBack { entries[2].append(ModelEntry(key: key, value: [2], weight: 1)) }
            if isBack || !isDeleted { live.append(key) }
        }
        var runs: [Run] = []
        for (index, entries) in entries.enumerated() {
            let path = directory.file("run\(index)")
            _ = try writeRun(RunModel(entries: entries), path, blockLimit: 1024)
            runs.append(try #require(try Run(files: files, path: path, identity: identity)))
        }
        return (OrderedLayers(runs.map { .run($0) }), runs, live)
    }

    @Test func aCountReadsTwoBlocksOfEachRun() throws {
        let last = keys.count - 1
        for (lower, upper) in [(0, last), (last / 7, last / 2), (5, 6), (last / 3, last / 3)] {
            let (layers, runs, live) = try open()
            let range = KeyRange(from: keys[lower], to: keys[upper])
            let expected = live.filter {
                !$0.lexicographicallyPrecedes(keys[lower])
                    && $0.lexicographicallyPrecedes(keys[upper])
            }
            #expect(try layers.count(in: range) == expected.count)
            for run in runs {
                #expect(run.blockCount > 20)
                #expect(run.blocksRead <= 2)
            }
        }
    }

    @Test func aKeyAtAPositionIsFoundInThreeBlocksOfEachRun() throws {
        let count = try open().live.count
        for offset in stride(from: 0, to: count, by: count / 40) {
            let (layers, runs, live) = try open()
            #expect(try layers.count == live.count)
            #expect(try layers.key(at: offset) == live[offset])
            for run in runs { #expect(run.blocksRead <= 3, "\(offset)") }
        }
    }
}
