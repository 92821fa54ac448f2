import CabinetBackend
import CabinetTokyo
import CabinetTools
import Foundation
import Testing
import TrustSupport

@testable import cabinet_inspect

struct ConvertingTests {
    private let store = InspectStore()

    /// Another engine where there is one.
    private func place(_ name: String) -> String {
        #if SQLite
            "sqlite:\(store.directory)/\(name)"
        #else
            "\(store.directory)/\(name)"
        #endif
    }

    @Test func aStoreIsTheSameThereAndBack() async throws {
        try store.makeRecordings()
        let (there, back) = (place("There"), store.directory + "/Back")
        let content = try store.content()
        let first = await store.run("convert", store.path, there)
        #expect(first.status == .sound, "\(first.messages)")
        #expect(first.output.count == 1)
        #expect(first.output[0].contains("both stores are the same"))
        let second = await store.run("convert", there, back, "--json")
        #expect(second.output.first?.hasPrefix("{\"copied\":") == true, "\(second.messages)")
        #expect(try store.content() == content)
        let commands: [[String]] = [
            ["schema"], ["graph"], ["names"], ["dump", "Song"], ["dump", "Note"],
            ["dump", "Playlist"], ["query", "Song", "title BEGINSWITH 'E'"],
            ["referrers", "Song", "3"], ["graph", "Playlist", "2"],
        ]
        var lines = 0
        for command in commands {
            let outputs = await [store.path, there, back].mapInOrder { place in
                var words = command
                words.insert(place, at: 1)
                return await store.run(words).output
            }
            #expect(outputs[1] == outputs[0] && outputs[2] == outputs[0], "\(command)")
            lines += outputs[0].count
        }
        #expect(lines > 20)
        for place in [there, back] { #expect(await store.run("check", place).status == .sound) }
    }

    #if PostgreSQL
        @Test(.enabled(if: PostgresServer.isInstalled))
        func aStoreIsTheSameOnAServerAndBack() async throws {
            try store.makeRecordings()
            let there = try #require(PostgresServer.shared).newStore()
            let content = try store.content()
            #expect(await store.run("dump", there, "Song").status == .failed)
            let first = await store.run("convert", store.path, there)
            #expect(first.status == .sound, "\(first.messages)")
            for command in [["schema"], ["names"], ["dump", "Song"], ["graph", "Playlist", "2"]] {
                var words = command
                words.insert(there, at: 1)
                let output = await store.run(words).output
                words[1] = store.path
                #expect(await store.run(words).output == output, "\(command)")
            }
            #expect(await store.run("check", there).status == .sound)
            #expect(await store.run("convert", store.path, there).status == .failed)
            let back = store.directory + "/Back"
            #expect(await store.run("convert", there, back).status == .sound)
            #expect(try store.content() == content)
            #expect(await store.run("info", there).status == .notUnderstood)
        }
    #endif

    @Test func aPlaceThatIsTakenIsRefused() async throws {
        try store.makeRecordings()
        let (file, directory) = (place("There"), store.directory + "/Other")
        _ = await store.run("convert", store.path, file)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: directory + "/notes.txt"))
        for taken in [file, directory, store.path] {
            let from = taken == file ? store.path : file
            let result = await store.run("convert", from, taken)
            #expect(result.status == .failed, "\(taken)")
            #expect(result.output.isEmpty)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory) == ["notes.txt"])
        #expect(await store.run("convert", file, file).status != .sound)
        let missing = await store.run("convert", store.directory + "/No", store.directory + "/To")
        #expect(missing.status == .failed)
        #expect(!FileManager.default.fileExists(atPath: store.directory + "/To"))
        #expect(await store.run("convert", store.path).status == .notUnderstood)
        #expect(
            await store.run("convert", "https://example.org/x", directory).status
                == .notUnderstood)
    }

    /// What a program has left that was killed is an empty store, or all of it.
    @Test(arguments: RunSetting.seeds(16))
    func aKilledProgramLeavesNothingOrAll(_ seed: UInt64) async throws {
        let program = try #require(BuiltProgram.path("cabinet-inspect"))
        let source = try TokyoBackend(path: store.path, durability: .process)
        let batch = source.makeBatch()
        try batch.define(TableDefinition(number: 2, kind: .record, name: "Song", classNumber: 1))
        for row in 2..<8_002 as Range<RowID> {
            let buffer = batch.beginRecord(row, in: 2)
            for _ in 0..<40 { buffer.writeUInt64(UInt64(row.rawValue)) }
            try batch.endRecord()
        }
        try source.commit(batch)
        try source.close()
        let to = seed % 3 == 0 ? store.directory + "/To" : place("There")
        let child = try ChildProcess(program, ["convert", store.path, to])
        try await Task.sleep(for: .milliseconds(SeededRandom.milliseconds(below: 1500, seed)))
        child.sendKill()
        _ = child.wait()
        let address = try StoreAddress(to)
        if let path = address.path, FileManager.default.fileExists(atPath: path) {
            let target = try address.open(.readWrite)
            let isThere = try target.lastCommit() > 0
            #expect(try target.tables().count == (isThere ? 1 : 0))
            #expect(try target.count(of: 2) == (isThere ? 8_000 : 0), "seed \(seed)")
            try target.close()
            if isThere { return }
        }
        let again = await store.run("convert", store.path, to)
        #expect(again.status == .sound, "seed \(seed): \(again.messages)")
    }
}

extension SeededRandom {
    fileprivate static func milliseconds(below limit: Int, _ seed: UInt64) -> Int {
        var random = SeededRandom(seed: seed)
        return random.below(limit)
    }
}

extension Sequence {
    /// One after the other.
    fileprivate func mapInOrder<Result>(
        _ transform: (Element) async -> Result
    ) async -> [Result] {
        var results: [Result] = []
        for element in self { results.append(await transform(element)) }
        return results
    }
}
