import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Random saves, reopenings, kills and compactions beside a model in memory.
struct EngineHistoryTests {
    let directory = ScratchDirectory()

    private struct Model: Equatable {
        var rows: [RowID: String] = [:]
        var keys: [String: String] = [:]
        var names: [String: String] = [:]
    }

    private func change(
        _ batch: WriteBatch, _ model: inout Model, _ numbers: inout SeededRandom
    ) throws {
        for _ in 0..<Int.random(in: 1...30, using: &numbers) {
            let row = RowID(UInt32.random(in: 2...400, using: &numbers))
            let text = String(repeating: "x", count: Int.random(in: 0...300, using: &numbers))
            switch Int.random(in: 0..<7, using: &numbers) {
            case 0...2:
                try batch.put(text, at: row, in: 2)
                model.rows[row] = text
            case 3:
                try batch.deleteRow(row, in: 2)
                model.rows[row] = nil
            case 4:
                try batch.put(text, forKey: "key \(row)", in: 3)
                model.keys["key \(row)"] = text
            case 5:
                try batch.delete(key: "key \(row)", in: 3)
                model.keys["key \(row)"] = nil
            default:
                try batch.put(text, forKey: "name \(row.rawValue % 20)", in: .namedBuffers)
                model.names["name \(row.rawValue % 20)"] = text
            }
        }
    }

    private func check(_ backend: TokyoBackend, _ model: Model) throws {
        #expect(try backend.rows(in: 2) == model.rows)
        #expect(try backend.count(of: 2) == model.rows.count)
        #expect(try backend.keys(in: 3) == model.keys.keys.sorted())
        for (key, text) in model.keys { #expect(try backend.text(forKey: key, in: 3) == text) }
        #expect(try backend.keys(in: .namedBuffers).sorted() == model.names.keys.sorted())
        for (row, text) in model.rows { #expect(try backend.text(at: row, in: 2) == text) }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64], [Durability.full, .process])
    func theStoreIsWhatTheModelIs(_ seed: UInt64, _ durability: Durability) throws {
        var numbers = SeededRandom(seed: seed)
        var path = directory.file("store")
        var model = Model()
        var backend = try TokyoBackend(path: path, durability: durability)
        let first = backend.makeBatch()
        try first.define(.song)
        try first.define(.byTitle)
        try backend.commit(first)
        for step in 0..<60 {
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0...6:
                let batch = backend.makeBatch()
                var next = model
                try change(batch, &next, &numbers)
                if Bool.random(using: &numbers) || step % 3 > 0 {
                    try backend.commit(batch)
                    model = next
                } else {
                    backend.discard(batch)
                }
            case 7:
                try backend.close()
                backend = try TokyoBackend(path: path, durability: durability)
            case 8:
                let copy = directory.file("store \(step)")
                try FileManager.default.copyItem(atPath: path, toPath: copy)
                try backend.close()
                try FileManager.default.removeItem(atPath: path)
                path = copy
                backend = try TokyoBackend(path: path, durability: durability)
            default: try backend.compact()
            }
            try check(backend, model)
        }
        try backend.close()
    }

    @Test func manyThreadsSeeWholeSaves() async throws {
        let backend = try TokyoBackend(path: directory.file("store"), durability: .process)
        let first = backend.makeBatch()
        try first.define(.song)
        try first.define(.byTitle)
        try backend.commit(first)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    for round in 0..<40 {
                        let batch = backend.makeBatch()
                        let first = RowID(100 * UInt32(writer + 1))
                        for row in first..<first.advanced(by: 20) {
                            try batch.put("\(round)", at: row, in: 2)
                        }
                        try batch.put("\(round)", forKey: "writer \(writer)", in: 3)
                        try backend.commit(batch)
                    }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<40 {
                        _ = try backend.rows(in: 2)
                        _ = try backend.keys(in: 3)
                        _ = try backend.text(at: 105, in: 2)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try backend.rows(in: 2).count == 60)
        #expect(try Set(backend.rows(in: 2).values) == ["39"])
        #expect(try backend.keys(in: 3).count == 3)
        try backend.close()
    }

    @Test func readingChangesNoFile() throws {
        let path = directory.file("store")
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.define(.byTitle)
        try batch.put("one", at: 2, in: 2)
        try batch.put("one", forKey: "key", in: 3)
        try backend.commit(batch)
        try backend.close()
        let files = RecordingFiles()
        let reader = try TokyoBackend(path: path, access: .readOnly, files: files)
        #expect(try reader.text(at: 2, in: 2) == "one")
        #expect(try reader.keys(in: 3) == ["key"])
        try reader.close()
        #expect(files.events.isEmpty)
    }

    #if os(Linux)
        @Test func tchmgrSeesTheLiveRowsOfAnOpenStore() throws {
            let path = directory.file("store")
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/tchmgr") else { return }
            let backend = try TokyoBackend(path: path)
            let batch = backend.makeBatch()
            try batch.define(.song)
            for row in 2..<52 as Range<RowID> { try batch.put("song \(row)", at: row, in: 2) }
            try backend.commit(batch)
            _ = try backend.put("song", at: 60, in: 2)
            let deletion = backend.makeBatch()
            try deletion.deleteRow(3, in: 2)
            try backend.commit(deletion)
            #expect(try tchmgr("inform", path + "/Song").contains("record number: 50\n"))
            #expect(try tchmgr("get", path + "/Song", "60").hasPrefix("song"))
            #expect(try backend.text(at: 60, in: 2) == "song")
            try backend.close()
            #expect(try tchmgr("inform", path + "/Song").contains("record number: 50\n"))
        }

        private func tchmgr(_ arguments: String...) throws -> String {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/tchmgr")
            process.arguments = arguments
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }
    #endif
}
