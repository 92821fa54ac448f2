import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// The views of new tables are filled while a large save is still being written: nothing of that
/// may be seen before the commit, and nothing may be left of it without one.
struct ForerunnerTests {
    let directory = ScratchDirectory()

    private func text(_ row: RowID) -> String {
        String(repeating: "song \(row) ", count: 150)
    }

    /// Writes songs of 1.5 KB and as many names to a batch that makes the songs' table.
    private func fill(
        _ batch: WriteBatch, _ count: UInt32 = 2000, expecting expected: Int = 2000,
        table: TableDefinition = .song
    ) throws {
        batch.expect(expected, in: table.number)
        batch.expect(expected, in: .namedBuffers)
        try batch.define(table)
        for row in 2..<RowID(2 + count) {
            try batch.put(text(row), at: row, in: table.number)
            try batch.put("\(row)", forKey: "name \(row)", in: .namedBuffers)
        }
        try batch.deleteRow(1000, in: table.number)
        try batch.put("other", at: 1001, in: table.number)
    }

    private func check(
        _ backend: TokyoBackend, _ count: UInt32 = 2000, table: TableNumber = 2
    ) throws {
        #expect(try backend.count(of: table) == Int(count) - 1)
        #expect(try backend.count(of: .namedBuffers) == Int(count))
        for row in 2..<RowID(2 + count) where row != 1000 {
            let expected = row == 1001 ? "other" : text(row)
            #expect(try backend.text(at: row, in: table) == expected)
            #expect(try backend.text(forKey: "name \(row)", in: .namedBuffers) == "\(row)")
        }
        #expect(try backend.text(at: 1000, in: table) == nil)
    }

    private func leftovers(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/Journal")
            .filter { $0.hasPrefix("view-") }
    }

    /// A file has room for 4,093 records at least, so one for which 100 were expected is outgrown.
    @Test(arguments: [5000, 100, 1_000_000])
    func aLargeSaveIsWholeWhateverWasExpected(_ expected: Int) throws {
        let path = directory.file("store")
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try fill(batch, 5000, expecting: expected)
        #expect((backend.forerunner != nil) == (expected >= 5000))
        #expect(try backend.tables().isEmpty)
        #expect(try backend.count(of: 2) == 0)
        #expect(try backend.text(at: 2, in: 2) == nil)
        try backend.commit(batch)
        #expect(backend.forerunner == nil)
        try check(backend, 5000)
        let killed = directory.file("killed")
        try FileManager.default.copyItem(atPath: path, toPath: killed)
        try backend.close()
        for copy in [path, killed] {
            let again = try TokyoBackend(path: copy)
            try check(again, 5000)
            #expect(try again.put("more", at: 5000, in: 2) > 0)
            try again.close()
            #expect(try leftovers(copy).isEmpty)
        }
    }

    /// Rows of a table that is there already are applied after the commit, beside a new table.
    @Test func oldTablesChangeOnlyWithTheCommit() throws {
        let backend = try TokyoBackend(path: directory.file("store"))
        let other = TableDefinition(
            number: 3, kind: .record, name: "Other", classNumber: 2, classVersion: 1)
        let first = backend.makeBatch()
        try first.define(other)
        try first.put("old", at: 2, in: 3)
        try backend.commit(first)
        let batch = backend.makeBatch()
        for row in 2..<1000 as Range<RowID> { try batch.put(text(row), at: row, in: 3) }
        #expect(batch.stagedChunks > 0 && backend.forerunner == nil)
        try fill(batch, table: TableDefinition(number: 4, kind: .record, name: "Song"))
        #expect(backend.forerunner?.tables.keys.sorted() == [4])
        #expect(try backend.text(at: 2, in: 3) == "old")
        try backend.commit(batch)
        #expect(try backend.text(at: 2, in: 3) == text(2))
        #expect(try backend.count(of: 3) == 998)
        try check(backend, table: 4)
    }

    @Test func aDiscardedSaveLeavesNoFile() throws {
        let path = directory.file("store")
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try fill(batch)
        #expect(backend.forerunner != nil)
        backend.discard(batch)
        #expect(backend.forerunner == nil)
        #expect(try leftovers(path).isEmpty)
        #expect(try backend.tables().isEmpty)
        let again = backend.makeBatch()
        try fill(again)
        #expect(backend.forerunner != nil)
        try backend.commit(again)
        try check(backend)
    }

    /// What the batch says of a table last counts, and not what it was begun with.
    @Test func aTableThatIsRenamedOrDroppedInTheSameSave() throws {
        let path = directory.file("store")
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try fill(batch)
        var renamed = TableDefinition.song
        renamed.name = "Track"
        try batch.define(renamed)
        try backend.commit(batch)
        #expect(try backend.tables().map(\.name) == ["Track"])
        try check(backend)
        #expect(FileManager.default.fileExists(atPath: path + "/Track"))
        let dropping = backend.makeBatch()
        let other = TableDefinition(number: 5, kind: .record, name: "Other")
        dropping.expect(2000, in: 5)
        try dropping.define(other)
        for row in 2..<2000 as Range<RowID> { try dropping.put(text(row), at: row, in: 5) }
        #expect(backend.forerunner != nil)
        try dropping.drop(5)
        try backend.commit(dropping)
        #expect(try backend.tables().map(\.name) == ["Track"])
        #expect(try leftovers(path).isEmpty)
        try check(backend)
    }

    /// Every call to the file system fails once, or the program is killed there.
    @Test(arguments: [
        FaultyFiles.Fault.error(EIO), .error(ENOSPC), .shortWrite(ENOSPC), .doneButReported(EIO),
        .killed,
    ])
    func aFaultAtAnyPointLeavesAllOrNothing(_ fault: FaultyFiles.Fault) throws {
        var index = RunSetting.firstTurn
        var isBeyond = false
        while !isBeyond {
            let limit = index
            let path = directory.file("store\(index)")
            let files = FaultyFiles()
            var backend: TokyoBackend? = try TokyoBackend(path: path, files: files)
            files.replacePlan { number, _, _ in number == limit ? fault : nil }
            var isDone = false
            for _ in 0..<2 where !isDone {
                guard let backend else { continue }
                let batch = backend.makeBatch()
                do {
                    try fill(batch)
                    try backend.commit(batch)
                    isDone = true
                } catch {
                    backend.discard(batch)
                    #expect(backend.forerunner == nil)
                }
                guard fault != .killed else { break }
                if isDone { try check(backend) } else { #expect(try backend.tables().isEmpty) }
            }
            #expect(isDone || fault == .killed)
            isBeyond = files.count <= limit
            backend = nil
            let again = try TokyoBackend(path: path)
            let exists = try !again.tables().isEmpty
            if isDone || exists {
                try check(again)
            } else {
                #expect(try again.count(of: .namedBuffers) == 0)
            }
            try again.close()
            #expect(try leftovers(path).isEmpty)
            try FileManager.default.removeItem(atPath: path)
            index += RunSetting.share
        }
        #expect(index > 20)
    }
}
