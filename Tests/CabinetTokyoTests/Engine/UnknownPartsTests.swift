import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Flags of tables and kinds of operations that a newer program may write pass unharmed.
struct UnknownPartsTests {
    let directory = ScratchDirectory(inMemory: true)
    var path: String { directory.file("Music") }

    private static let tables = [
        TableDefinition(
            number: 2, kind: .record, name: "Song", classNumber: 3,
            flags: TableFlags(rawValue: 0xF2)),
        TableDefinition(
            number: 3, kind: .ordered, name: "Titles", flags: TableFlags(rawValue: 0x81)),
    ]
    private static let former: [UInt8] = [1, 2, 0, 0, 0, 0x6F, 1, 2, 3, 4]
    private static let unknown: [(kind: UInt8, bytes: [UInt8])] = [
        (0x81, former), (0x81, [7, 1]), (0x82, []), (0xFF, Array("later".utf8)),
    ]

    private func save(_ row: RowID, _ backend: TokyoBackend) throws -> CommitNumber {
        let batch = backend.makeBatch()
        if row == 2 { for table in Self.tables { try batch.define(table) } }
        for (kind, bytes) in Self.unknown {
            try bytes.withUnsafeBytes { try batch.addSkippable(kind, in: 2, $0) }
            try batch.put("song \(row)", at: row, in: 2)
        }
        try batch.put("\(row)", forKey: "song \(row)", in: 3)
        return try backend.commit(batch)
    }

    private func check(_ backend: TokyoBackend, _ rows: ClosedRange<RowID>) throws {
        #expect(try backend.tables() == Self.tables)
        #expect(try backend.rows(in: 2).keys.sorted() == Array(rows))
        #expect(try backend.keys(in: 3).count == rows.count)
    }

    /// What the feed has of the commits behind `number`.
    private func checkFeed(
        _ backend: TokyoBackend, after number: CommitNumber, count: Int
    ) throws {
        let cursor = try backend.changes(after: number)
        var commits = 0
        while let commit = try cursor.next() {
            commits += 1
            var found: [(kind: UInt8, bytes: [UInt8])] = []
            try commit.forEachOperation { operation in
                guard case .unknown(let kind, 2, let bytes) = operation else { return }
                found.append((kind, Array(bytes)))
            }
            #expect(found.map(\.kind) == Self.unknown.map(\.kind))
            #expect(found.map(\.bytes) == Self.unknown.map(\.bytes))
        }
        #expect(commits == count)
    }

    @Test(arguments: [Durability.full, .process])
    func passThroughLogSnapshotCompactionBackupAndFollower(_ durability: Durability) async throws {
        let backend = try TokyoBackend(path: path, durability: durability)
        _ = try save(2, backend)
        let follower = try TokyoBackend(path: path, files: SystemFiles(), follows: true)
        _ = try save(3, backend)
        _ = try save(4, backend)
        try follower.refresh()
        try check(follower, 2...4)
        try checkFeed(follower, after: 1, count: 2)
        try checkFeed(backend, after: 0, count: 3)

        try await backend.backup(to: directory.file("Backup"))
        try await backend.compact()
        let compacted = try backend.lastCommit()
        try check(backend, 2...4)
        #expect(throws: BackendError.self) { try backend.changes(after: compacted.previous) }
        _ = try save(5, backend)
        try checkFeed(backend, after: compacted, count: 1)
        #expect(try await backend.check().isSound)
        try backend.close()
        try follower.refresh()
        try check(follower, 2...5)
        try follower.close()

        // Views from snapshot and log, the catalog's among them.
        try FileManager.default.removeItem(atPath: path + "/Song")
        try FileManager.default.removeItem(atPath: path + "/Journal/Catalog")
        try FileManager.default.removeItem(atPath: path + "/Journal/Clean")
        let again = try TokyoBackend(path: path, durability: durability)
        try check(again, 2...5)
        try checkFeed(again, after: compacted, count: 1)
        try again.close()
        let copy = try TokyoBackend(path: directory.file("Backup"), durability: durability)
        try check(copy, 2...4)
        try copy.close()
    }

    /// A program that does not know what operations mean keeps them for one that does.
    @Test(arguments: [Durability.full, .process])
    func stayThroughCompactionsFromAPositionOn(_ durability: Durability) throws {
        var backend = try TokyoBackend(path: path, durability: durability)
        _ = try save(2, backend)
        try backend.commitLog.roll(tables: backend.tableStates)
        let position = ChangePosition(
            line: try backend.position().line, commit: try save(3, backend))
        let batch = backend.makeBatch()
        try batch.keepChanges(KeptChanges(name: "history", position: position, limit: .max))
        try backend.commit(batch)
        for row in 4...6 as ClosedRange<RowID> {
            _ = try save(row, backend)
            try backend.compact()
        }
        let kept = try backend.lastCommit()
        #expect(throws: BackendError.changesGone(oldest: 1)) { try backend.changes(after: 0) }
        for _ in 0..<2 {
            let cursor = try backend.changes(after: position)
            #expect(try cursor.next()?.number == position.commit.next)
            try checkFeed(backend, after: position.commit.next, count: 3)
            try check(backend, 2...6)
            try backend.close()
            backend = try TokyoBackend(path: path, durability: durability)
        }
        #expect(try backend.lastCommit() == kept)
        try backend.close()
    }
}
