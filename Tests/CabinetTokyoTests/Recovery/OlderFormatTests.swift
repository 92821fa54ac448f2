import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Stores whose segments are of format 1, as `Tests/Fixtures/README.md` describes them.
struct OlderFormatTests {
    let directory = ScratchDirectory(inMemory: true)
    var path: String { directory.file("Music") }
    private let files = SystemFiles()

    private func take(_ fixture: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures/format-1/\(fixture)").standardizedFileURL
        try FileManager.default.copyItem(atPath: folder.path, toPath: path)
    }

    private func header(_ number: UInt64) throws -> SegmentHeader {
        try SegmentReader(
            files: files, path: StorePaths(root: path).segment(number), number: number, store: nil
        ).header
    }

    private func check(_ backend: TokyoBackend) throws {
        let rows = [2] + Array(4..<12 as Range<RowID>) + Array(20..<25)
        let songs = try backend.rows(in: 2)
        #expect(songs.keys.sorted() == rows)
        for row in rows { #expect(songs[row] == "song \(row)") }
        #expect(try backend.keys(in: 3) == ["title"])
        #expect(try backend.text(forKey: "title", in: 3) == "song 4")
        #expect(try backend.text(forKey: "motto", in: .namedBuffers) == "slow")
    }

    private func note(_ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        batch.author = 5
        try batch.put("noted", at: 30, in: 2)
        try Array("why".utf8).withUnsafeBytes { try batch.note(1, $0) }
        try backend.commit(batch)
    }

    @Test(arguments: ["closed", "killed"], [Durability.full, .process])
    func isReadAndWrittenOnInANewSegment(_ fixture: String, _ durability: Durability) throws {
        try take(fixture)
        let log = path + "/Journal/log-0000000000000002"
        let before = try #require(FileManager.default.contents(atPath: log)).prefix(1302)
        do {
            let backend = try TokyoBackend(path: path, durability: durability)
            try check(backend)
            try note(backend)
            try backend.close()
        }
        let last = try header(3)
        #expect(last.format == SegmentHeader.format)
        // What a program of then wrote is as it was.
        if let after = FileManager.default.contents(atPath: log) {
            #expect(after == before.prefix(after.count) && after.count == Int(last.predecessorEnd))
            #expect(try header(2).format == 1)
        } else {
            #expect(last.firstCommit <= 2)
        }
        for _ in 0..<2 {
            let backend = try TokyoBackend(path: path, durability: durability)
            #expect(try backend.text(at: 30, in: 2) == "noted")
            var saves: [SaveSummary] = []
            try backend.forEachSave { saves.append($0) }
            #expect(saves.map(\.number) == Array(2...8))
            #expect(saves.last?.author == 5)
            #expect(saves.last?.notes == [LoggedNote(tag: 1, bytes: Array("why".utf8))])
            let undo = backend.makeBatch()
            try undo.deleteRow(30, in: 2)
            try backend.commit(undo)
            try check(backend)
            try backend.compact()
            try backend.close()
            let again = try TokyoBackend(path: path, durability: durability)
            try check(again)
            try again.close()
            // Once more from the fixture, killed right after the save.
            try FileManager.default.removeItem(atPath: path)
            try take(fixture)
            let killed = directory.file("Killed")
            let third = try TokyoBackend(path: path, durability: durability)
            try note(third)
            try? FileManager.default.removeItem(atPath: killed)
            try FileManager.default.copyItem(atPath: path, toPath: killed)
            try third.close()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: killed, toPath: path)
        }
    }

    @Test(arguments: ["closed", "killed"])
    func isNotChangedByReading(_ fixture: String) throws {
        try take(fixture)
        let before = try content(of: path)
        let reader = try TokyoBackend(path: path, access: .readOnly)
        try check(reader)
        try reader.close()
        #expect(try content(of: path) == before)
    }

    /// Opening a store for writing and saving nothing leaves a log that a program of the earlier
    /// format can read.
    @Test func getsNoNewSegmentWithoutASave() throws {
        try take("closed")
        let before = try content(of: path + "/Journal")
        for _ in 0..<2 {
            let backend = try TokyoBackend(path: path)
            try check(backend)
            try backend.sync()
            try backend.close()
        }
        var after = try content(of: path + "/Journal")
        after["Lock"] = nil
        #expect(after == before)
    }

    /// The disk is full where the successor is to be made: nothing is lost, nothing is appended to
    /// the old segment, and the next save makes the successor.
    @Test func keepsItsSegmentAsItIsWhereNoSuccessorCanBeMade() throws {
        try take("closed")
        let log = path + "/Journal/log-0000000000000002"
        let before = FileManager.default.contents(atPath: log)
        let faulty = FaultyFiles()
        let backend = try TokyoBackend(path: path, files: faulty)
        faulty.replacePlan { _, operation, path in
            operation == .write && path.hasSuffix("log.new") ? .error(ENOSPC) : nil
        }
        #expect(throws: BackendError.self) { try note(backend) }
        try check(backend)
        faulty.replacePlan(nil)
        try note(backend)
        #expect(try backend.text(at: 30, in: 2) == "noted")
        try backend.close()
        #expect(FileManager.default.contents(atPath: log) == before)
        let again = try TokyoBackend(path: path)
        #expect(try again.text(at: 30, in: 2) == "noted")
        try again.close()
    }
}

/// The names of all files in a directory and below, with their bytes.
func content(of directory: String) throws -> [String: Data] {
    var content: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
        content[name] = FileManager.default.contents(atPath: directory + "/" + name)
    }
    return content
}
