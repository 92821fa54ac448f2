import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Notes, authors, and operations that this program does not know, in the log and out of it.
struct NoteTests {
    let directory = ScratchDirectory(inMemory: true)
    var path: String { directory.file("Music") }

    private func saves(_ backend: TokyoBackend) throws -> [SaveSummary] {
        var saves: [SaveSummary] = []
        try backend.forEachSave { saves.append($0) }
        return saves
    }

    /// Three saves: a first one, one as small as can be, and one of several chunks.
    private func fill(_ backend: TokyoBackend) throws {
        let first = backend.makeBatch()
        first.author = 1
        try first.define(.song)
        try first.define(.byTitle)
        try first.note(1, "first")
        try first.put("song 2", at: 2, in: 2)
        try first.put("2", forKey: "song 2", in: 3)
        try backend.commit(first)
        let small = backend.makeBatch()
        small.author = .max
        try small.put("song two", at: 2, in: 2)
        try small.note(2, "")
        try small.addUnknown(0x90, in: 2, "later")
        try small.note(2, "second")
        try backend.commit(small)
        let large = backend.makeBatch()
        for row in 3..<23 as Range<RowID> {
            try large.put(String(repeating: "song \(row) ", count: 20_000), at: row, in: 2)
            try large.note(3, "row \(row)")
            try large.addUnknown(0xFF, in: 3, "row \(row)")
        }
        try backend.commit(large)
    }

    private func check(_ backend: TokyoBackend, snapshot: Bool = false) throws {
        let rows = try backend.rows(in: 2)
        #expect(rows.keys.sorted() == Array(2..<23))
        #expect(rows[2] == "song two")
        #expect(rows[22] == String(repeating: "song 22 ", count: 20_000))
        #expect(try backend.keys(in: 3) == ["song 2"])
        let saves = try saves(backend)
        guard !snapshot else { return #expect(saves.isEmpty) }
        #expect(saves.map(\.author) == [1, .max, 0])
        #expect(saves[0].notes == [LoggedNote(tag: 1, bytes: Array("first".utf8))])
        #expect(
            saves[1].notes == [
                LoggedNote(tag: 2, bytes: []), LoggedNote(tag: 2, bytes: Array("second".utf8)),
            ])
        #expect(saves[2].notes.map(\.tag) == Array(repeating: 3, count: 20))
        #expect(saves[2].notes.last?.bytes == Array("row 22".utf8))
        #expect(saves.map { $0.changes.first { $0.table == 2 }?.puts } == [1, 1, 20])
        #expect(saves[1].changes == [SaveSummary.Change(table: 2, puts: 1)])
    }

    @Test(arguments: [true, false], [Durability.full, .process])
    func stayInTheLogWhenItIsOpenedAnew(_ closed: Bool, _ durability: Durability) throws {
        let backend = try TokyoBackend(path: path, durability: durability)
        try fill(backend)
        try check(backend)
        let copy = directory.file("Copy")
        if !closed { try FileManager.default.copyItem(atPath: path, toPath: copy) }
        try backend.close()
        let place = closed ? path : copy
        for name in ["Song"] + runNames(in: place) {
            try FileManager.default.removeItem(atPath: place + "/" + name)
        }
        let again = try TokyoBackend(path: place, durability: durability)
        try check(again)
        try again.close()
    }

    @Test func areGoneWithTheLogThatASnapshotReplaces() async throws {
        let backend = try TokyoBackend(path: path)
        try fill(backend)
        #expect(try await backend.check().isSound)
        try await backend.backup(to: directory.file("Backup"))
        try await backend.compact()
        try check(backend, snapshot: true)
        #expect(try await backend.check().isSound)
        try backend.close()
        let copy = try TokyoBackend(path: directory.file("Backup"))
        try check(copy, snapshot: true)
        try copy.close()
    }

    @Test func areSkippedBySalvage() async throws {
        let backend = try TokyoBackend(path: path)
        try fill(backend)
        try backend.close()
        let report = try await TokyoBackend.salvage(from: path, into: directory.file("New"))
        #expect(report.isComplete && report.saves == 3)
        let new = try TokyoBackend(path: directory.file("New"))
        #expect(try new.rows(in: 2).count == 21)
        #expect(try saves(new).allSatisfy { $0.notes.isEmpty && $0.author == 0 })
        try new.close()
    }

    /// Such a save touches no table but the one it puts to.
    @Test func aSmallSaveWithANoteLeavesItsTableReady() throws {
        let backend = try TokyoBackend(path: path)
        try fill(backend)
        let batch = backend.makeBatch()
        try batch.put("song 2, again", at: 2, in: 2)
        try batch.note(1, "again")
        let number = try backend.commit(batch)
        let only = backend.makeBatch()
        try only.note(1, "nothing else")
        #expect(try backend.commit(only) == number.next)
        #expect(backend.table(2)?.lastCommit == number)
        #expect(try saves(backend).suffix(2).map(\.changes.count) == [1, 0])
        try backend.close()
        let again = try TokyoBackend(path: path)
        #expect(try again.text(at: 2, in: 2) == "song 2, again")
        #expect(try again.lastSave() == number.next)
        try again.close()
    }

    /// Its commit has a number, which no later one may get again.
    @Test func aCommitOfNotesAloneOutlivesAKill() throws {
        let backend = try TokyoBackend(path: path, durability: .process)
        try fill(backend)
        let only = backend.makeBatch()
        only.author = 4
        try only.note(1, "nothing else")
        let number = try backend.commit(only)
        let copy = directory.file("Copy")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try backend.close()
        let again = try TokyoBackend(path: copy, durability: .process)
        #expect(try again.lastSave() == number)
        #expect(try saves(again).last?.author == 4)
        #expect(try again.put("later", at: 50, in: 2) == number.next)
        try again.close()
    }

    /// A program that does not know an operation of a kind below 0x80 cannot go on.
    @Test func anOperationThatMayNotBeSkippedIsDamage() throws {
        let bytes: [UInt8] = [0x7F, 2, 0, 0, 0, 0, 0]
        bytes.withUnsafeBytes { bytes in
            var reader = OperationReader(bytes)
            #expect(reader.next() == nil && reader.isDamaged)
        }
    }
}

extension TokyoBackend {
    fileprivate func lastSave() throws -> CommitNumber {
        var last: CommitNumber = 0
        try forEachSave { last = $0.number }
        return last
    }
}

extension WriteBatch {
    func note(_ tag: UInt8, _ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try note(tag, $0) }
    }

    func addUnknown(_ kind: UInt8, in table: TableNumber, _ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try addSkippable(kind, in: table, $0) }
    }
}
