import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A store whose directory, or log, goes while it is open.
struct MovedStoreTests {
    private let directory = ScratchDirectory()
    private var path: String { directory.file("Music") }
    private var away: String { directory.file("Away") }

    private func make(
        _ path: String, _ durability: Durability = .full
    ) throws -> TokyoBackend {
        let backend = try TokyoBackend(
            path: path, durability: durability, log: LogSink { _, _ in })
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.define(TableDefinition(number: 3, kind: .ordered, name: "Titles"))
        try backend.commit(batch)
        return backend
    }

    /// All files below `path`, with what they hold.
    private func contents(_ path: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            contents[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        return contents
    }

    /// Once, the engine made its views anew in the directory of another store, and wrote over that one's log.
    @Test(arguments: RunSetting.seeds(12))
    func whatStandsAtItsPlaceIsLeftAlone(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let other = directory.file("Other")
        let second = try make(other)
        _ = try second.put("of another store", at: 2, in: 2)
        try second.close()
        let durability: Durability = random.once(in: 2) ? .full : .process
        let backend = try make(path, durability)
        var rows: [RowID: String] = [:]
        var row: RowID = 2
        var moment = random.below(12)
        var found: [String: Data] = [:]
        for step in 0..<30 {
            if step == moment {
                try FileManager.default.moveItem(atPath: path, toPath: away)
                if random.once(in: 3) {
                    moment = -1
                } else {
                    try FileManager.default.moveItem(atPath: other, toPath: path)
                    found = try contents(path)
                }
            }
            do {
                switch random.below(6) {
                case 0: try await backend.compact()
                case 1: _ = try await backend.check()
                case 2: try backend.sync()
                case 3:
                    let batch = backend.makeBatch()
                    let name = "Extra\(step)"
                    try batch.define(
                        TableDefinition(
                            number: TableNumber(UInt16(4 + step)), kind: .record, name: name))
                    try backend.commit(batch)
                default:
                    let text = "song \(step)"
                    _ = try backend.put(text, at: row, in: 2)
                    rows[row] = text
                    row = row.next
                }
            } catch is BackendError {
                #expect(step >= moment, "seed \(seed)")
            }
        }
        #expect(throws: BackendError.replaced(path: path)) { try backend.close() }
        if moment >= 0 {
            #expect(try contents(path) == found, "seed \(seed)")
        } else {
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        let moved = try TokyoBackend(path: away, log: LogSink { _, _ in })
        #expect(try moved.rows(in: 2) == rows, "seed \(seed)")
        #expect(try await moved.check().isSound)
        try moved.close()
    }

    /// Once, a follower took the commits of the copy for those after its own: half of what it showed was in no store.
    @Test(arguments: RunSetting.seeds(6))
    func aFollowerDoesNotGoOnInACopy(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func save(_ count: Int, from row: Int, _ text: String) throws {
            let backend = try TokyoBackend(path: path, log: LogSink { _, _ in })
            for row in row..<row + count {
                _ = try backend.put("\(text) \(row)", at: RowID(rawValue: UInt32(row)), in: 2)
            }
            try backend.close()
        }
        try make(path).close()
        try save(3, from: 2, "both")
        try FileManager.default.copyItem(atPath: path, toPath: away)
        try save(1 + random.below(4), from: 5, "first")
        let follower = try TokyoBackend(
            path: path, access: .readOnly, log: LogSink { _, _ in }, files: SystemFiles(),
            follows: random.once(in: 2))
        let rows = try follower.rows(in: 2)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: away, toPath: path)
        for count in [0, 1 + random.below(8), 3] {
            try save(count, from: 5, "second")
            #expect(throws: BackendError.replaced(path: path), "seed \(seed)") {
                try follower.refresh()
            }
            #expect(try follower.rows(in: 2) == rows)
        }
        try follower.close()
    }

    /// Once, such saves returned, and were gone with the file.
    @Test(arguments: ["", "/log-0000000000000001", "/Lock"])
    func aLogThatIsRemovedTakesNoSave(_ name: String) throws {
        let backend = try make(path)
        _ = try backend.put("kept", at: 2, in: 2)
        try FileManager.default.removeItem(atPath: path + "/Journal" + name)
        for row in 3..<6 as Range<RowID> {
            #expect(throws: BackendError.replaced(path: path)) {
                _ = try backend.put("lost", at: row, in: 2)
            }
        }
        #expect(throws: BackendError.replaced(path: path)) { try backend.close() }
    }
}
