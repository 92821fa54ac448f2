import Cabinet
import CabinetBackend
import CabinetTokyo
import Foundation
import Testing

@testable import cabinet_inspect

/// Whatever the catalog and the tables of indexes say, the program answers or says what is wrong.
struct DamagedIndexTests {
    let store = InspectStore()

    /// Numbers that depend on a seed alone (Steele, Lea and Flood 2014, SplitMix).
    private struct Numbers {
        var state: UInt64

        mutating func below(_ limit: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ (mixed >> 31)) % UInt64(max(limit, 1)))
        }
    }

    /// Changes, removes and adds entries of the tables of indexes, and what the catalog says of them.
    private func damage(_ numbers: inout Numbers) throws {
        let backend = try TokyoBackend(path: store.path)
        let indexes = try backend.tables().filter { $0.kind == .ordered && $0.number != .catalog }
            .map(\.number)
        let table =
            numbers.below(4) == 0 ? TableNumber.catalog : indexes[numbers.below(indexes.count)]
        var entries: [(key: [UInt8], value: [UInt8])] = []
        let run = EntryRun()
        let cursor = try backend.entries(in: table, range: .everything, descending: false)
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                let name = String(decoding: key, as: UTF8.self)
                if table == .catalog, !name.hasPrefix("derived.") {
                    continue
                }
                entries.append((Array(key), Array(value)))
            }
        }
        let batch = backend.makeBatch()
        for _ in 0..<4 where !entries.isEmpty {
            var (key, value) = entries[numbers.below(entries.count)]
            switch numbers.below(5) {
            case 0 where table != .catalog:
                try key.withUnsafeBytes { try batch.deleteKey($0, in: table) }
                continue
            case 1 where table != .catalog:
                key[numbers.below(key.count)] ^= 1 << numbers.below(8)
            case 2: value = Array(value.prefix(numbers.below(value.count)))
            default:
                guard !value.isEmpty else { continue }
                value[numbers.below(value.count)] ^= 1 << numbers.below(8)
            }
            try key.withUnsafeBytes { key in
                try value.withUnsafeBytes { try batch.put($0, for: key, in: table) }
            }
        }
        try backend.commit(batch)
        try backend.close()
    }

    private func rows(_ words: [String]) async throws -> Set<Int> {
        let found = await store.run(words + ["--json"])
        return Set(try InspectStore.objects(found.output).compactMap { $0["row"] as? Int })
    }

    @Test(arguments: 1...4)
    func nothingInAnIndexCrashesOrInventsARecord(_ seed: UInt64) async throws {
        try store.makeTunes()
        var numbers = Numbers(state: seed)
        for _ in 0..<12 {
            try damage(&numbers)
            for query in [
                "artist = 'Artist 3' AND year > 1990", "ORDER BY rating DESC LIMIT 9",
                "title BEGINSWITH 'red '", "rating > 2.5",
            ] {
                let all = try await rows(["query", store.path, "Tune", query, "--scan"])
                let found = try await rows(["query", store.path, "Tune", query])
                #expect(query.contains("LIMIT") || found.isSubset(of: all), "\(query)")
            }
            let every = try await rows(["query", store.path, "Tune", ""])
            for query in ["blue", "\"blue été\"", "title:na*", "[[*tist*]]"] {
                let found = try await rows(["search", store.path, "Tune", query])
                #expect(found.isSubset(of: every))
            }
            let report = await store.run("check", store.path)
            #expect(report.status == .sound || report.status == .findings, "\(report.messages)")
        }
    }
}
