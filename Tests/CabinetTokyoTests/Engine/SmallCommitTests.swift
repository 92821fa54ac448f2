import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Commits of a few rows to one table and of a few keys, as most saves make them.
struct SmallCommitTests {
    let directory = ScratchDirectory()
    var path: String { directory.file("Songs") }

    private func open() throws -> TokyoBackend {
        try TokyoBackend(path: path, durability: .process, access: .readWrite)
    }

    /// What each file of the store holds, but for the one that says how it was closed.
    private func contents() throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let file = path + "/" + name
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory)
            if !isDirectory.boolValue { found[name] = FileManager.default.contents(atPath: file) }
        }
        return found
    }

    /// Gives the files what they held, where they lie: a view is known by its inode, too.
    private func restore(_ contents: [String: Data]) throws {
        for name in try self.contents().keys where contents[name] == nil {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        for (name, content) in contents {
            let file = try #require(FileHandle(forWritingAtPath: path + "/" + name))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: content)
            try file.close()
        }
    }

    private func batch(
        _ backend: TokyoBackend, _ rows: [RowID], _ text: String
    ) throws -> WriteBatch {
        let batch = backend.makeBatch()
        for row in rows { try batch.put("\(text) \(row)", at: row, in: 2) }
        return batch
    }

    /// Rows 2 to 200.
    private func makeStore() throws {
        let backend = try open()
        let first = backend.makeBatch()
        try first.define(TableDefinition(number: 2, kind: .record, name: "Song"))
        for row in RowID(2)...200 { try first.put("song \(row)", at: row, in: 2) }
        try backend.commit(first)
        try backend.close()
    }

    /// The file of the table, without what stands in its header about the commit before it was
    /// closed, which names an offset in the log.
    private func view(_ contents: [String: Data]) throws -> [UInt8] {
        let bytes = [UInt8](try #require(contents["Song"]))
        try #require(bytes.count > 256)
        return Array(bytes[..<128] + bytes[256...])
    }

    /// How often the log holds `body`.
    private func count(of body: Data, in contents: [String: Data]) throws -> Int {
        let log = try #require(contents["Journal/log-0000000000000001"])
        var (count, start) = (0, log.startIndex)
        while let found = log.range(of: body, in: start..<log.endIndex) {
            (count, start) = (count + 1, found.upperBound)
        }
        return count
    }

    @Test(
        arguments: [[7], [7, 100, 8], [2, 2, 200]] as [[RowID]],
        ["tune", "a somewhat longer tune"])
    func leavesTheSameBytesInAFileThatIsOpenedForIt(_ rows: [RowID], _ text: String) throws {
        try makeStore()
        let before = try contents()
        let opened = try open()
        // The first commit opens the file for writing.
        try opened.commit(try batch(opened, [3], "song"))
        let some = try batch(opened, rows, text)
        let body = Data(some.chunk()[WriteBatch.headroom...])
        try opened.commit(some)
        try opened.close()
        let byOpened = try contents()

        try restore(before)
        let first = try open()
        try first.commit(try batch(first, [3], "song"))
        try first.close()
        let closed = try open()
        try closed.commit(try batch(closed, rows, text))
        try closed.close()
        let byClosed = try contents()

        #expect(try view(byOpened) == view(byClosed))
        #expect(try view(byOpened) != view(before))
        #expect(try count(of: body, in: byOpened) == 1)
        #expect(try count(of: body, in: byClosed) == 1)
        let again = try open()
        #expect(try again.rows(in: 2).count == 199)
        for row in rows { #expect(try again.text(at: row, in: 2) == "\(text) \(row)") }
        try again.close()
    }

    private func addOrderedTables() throws -> TokyoBackend {
        try makeStore()
        let backend = try open()
        let batch = backend.makeBatch()
        for table in 3...5 as ClosedRange<TableNumber> {
            try batch.define(
                TableDefinition(number: table, kind: .ordered, name: "Song.\(table)"))
        }
        try batch.put("song", at: 2, in: 2)
        try backend.commit(batch)
        return backend
    }

    @Test func takesKeysOfSeveralTables() throws {
        let backend = try addOrderedTables()
        for save in 1...3 {
            let batch = try batch(backend, [7], "tune \(save)")
            for table in 3...5 as ClosedRange<TableNumber> {
                try batch.put("", forKey: "key \(save)", in: table)
                try batch.delete(key: "key \(save - 1)", in: table)
            }
            try backend.commit(batch)
        }
        try backend.close()
        let again = try open()
        for table in 3...5 as ClosedRange<TableNumber> {
            #expect(try again.keys(in: table) == ["key 3"])
            #expect(try again.count(of: table) == 1)
        }
        #expect(try again.text(at: 7, in: 2) == "tune 3 7")
        try again.close()
    }

    /// Beside keys of an ordered table, one of a table of rows went into the log once.
    @Test(arguments: [true, false])
    func refusesAKeyOfATableOfRows(_ isPut: Bool) throws {
        let backend = try addOrderedTables()
        let batch = try batch(backend, [7], "tune")
        try batch.put("", forKey: "key", in: 3)
        if isPut {
            try batch.put("", forKey: "key", in: 2)
        } else {
            try batch.delete(key: "key", in: 2)
        }
        #expect(throws: BackendError.self) { try backend.commit(batch) }
        #expect(try backend.count(of: 3) == 0)
        #expect(try backend.text(at: 7, in: 2) == "song 7")
        try backend.close()
    }
}
