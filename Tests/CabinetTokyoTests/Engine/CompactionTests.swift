import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

struct EngineCompactionTests {
    let directory = ScratchDirectory()
    var path: String { directory.file("Music") }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/Journal").sorted()
    }

    private func fill(_ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.define(.byTitle)
        for row in 2..<502 as Range<RowID> {
            try batch.put("song \(row)", at: row, in: 2)
            try batch.put("\(row)", forKey: "title \(row)", in: 3)
        }
        try backend.commit(batch)
        for row in 2..<22 as Range<RowID> {
            _ = try backend.put("song \(row), again", at: row, in: 2)
        }
        let deletion = backend.makeBatch()
        try deletion.deleteRow(400, in: 2)
        try backend.commit(deletion)
    }

    private func check(_ backend: TokyoBackend) throws {
        #expect(try backend.count(of: 2) == 499)
        #expect(try backend.text(at: 2, in: 2) == "song 2, again")
        #expect(try backend.text(at: 400, in: 2) == nil)
        #expect(try backend.rows(in: 2).count == 499)
        #expect(try backend.keys(in: 3).count == 500)
        #expect(try backend.reserveRows(1, in: 2).lowerBound == 502)
    }

    @Test(arguments: [Durability.full, .process])
    func aSnapshotReplacesTheLog(_ durability: Durability) throws {
        let backend = try TokyoBackend(path: path, durability: durability)
        try fill(backend)
        try backend.compact()
        #expect(try names().filter { $0.hasPrefix("log-") } == ["log-0000000000000002"])
        #expect(try names().contains("snapshot-0000000000000016"))
        try check(backend)
        _ = try backend.put("later", at: 600, in: 2)
        try backend.compact()
        #expect(try names().filter { $0.hasPrefix("snapshot-") } == ["snapshot-0000000000000017"])
        _ = try backend.put("latest", at: 601, in: 2)
        let killed = directory.file("Killed")
        try FileManager.default.copyItem(atPath: path, toPath: killed)
        try backend.close()
        for place in [path, killed] {
            for name in ["Song", "Journal/Catalog"] + runNames(in: place) {
                try FileManager.default.removeItem(atPath: place + "/" + name)
            }
            let again = try TokyoBackend(path: place)
            #expect(try again.count(of: 2) == 501)
            #expect(try again.text(at: 600, in: 2) == "later")
            #expect(try again.text(at: 601, in: 2) == "latest")
            #expect(try again.reserveRows(1, in: 2).lowerBound == 602)
            #expect(try again.keys(in: 3).count == 500)
            try again.close()
        }
    }

    @Test func savesGoOnDuringCompaction() async throws {
        let backend = try TokyoBackend(path: path, durability: .process)
        try fill(backend)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<5 { try backend.compact() } }
            group.addTask {
                for row in 1000..<1200 as Range<RowID> {
                    _ = try backend.put("r\(row)", at: row, in: 2)
                }
            }
            group.addTask { for _ in 0..<50 { _ = try backend.rows(in: 2) } }
            try await group.waitForAll()
        }
        #expect(try backend.count(of: 2) == 699)
        try backend.close()
        try FileManager.default.removeItem(atPath: path + "/Song")
        let again = try TokyoBackend(path: path)
        #expect(try again.count(of: 2) == 699)
        #expect(try again.text(at: 1199, in: 2) == "r1199")
    }

    @Test func aCompactionThatFailsLosesNothing() throws {
        var index = 0
        while true {
            let limit = index
            let place = directory.file("store\(index)")
            let files = FaultyFiles()
            let backend = try TokyoBackend(path: place, files: files)
            try fill(backend)
            files.replacePlan { number, _, _ in number == limit ? .error(5) : nil }
            try? backend.compact()
            let isBeyond = files.count <= limit
            files.replacePlan(nil)
            try check(backend)
            _ = try backend.put("later", at: 600, in: 2)
            try backend.close()
            try FileManager.default.removeItem(atPath: place + "/Song")
            let again = try TokyoBackend(path: place)
            #expect(try again.count(of: 2) == 500)
            #expect(try again.text(at: 600, in: 2) == "later")
            try again.close()
            index += 1
            if isBeyond { break }
        }
        #expect(index > 20)
    }

    /// What was written again and again must not lie about in the log, beside what it holds.
    @Test func theLogIsNotMuchLongerThanWhatIsAlive() async throws {
        let backend = try TokyoBackend(path: path, durability: .process)
        let value = String(repeating: "x", count: 1 << 20)
        for _ in 0..<3 {
            for name in 0..<40 {
                let batch = backend.makeBatch()
                try batch.put(value, forKey: "\(name)", in: 1)
                try backend.commit(batch)
            }
        }
        func hasSnapshot() throws -> Bool {
            try names().contains { $0.hasPrefix("snapshot-") && !$0.hasSuffix(".new") }
        }
        let deadline = ContinuousClock.now + .seconds(60)
        while try !hasSnapshot(), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try hasSnapshot())
        try backend.close()
    }
}
