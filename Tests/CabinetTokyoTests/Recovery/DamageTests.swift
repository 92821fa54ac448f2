import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// What is done about bytes that are not what was written.
struct DamageTests {
    let directory = ScratchDirectory()
    var path: String { directory.file("Music") }

    private func make(close: Bool) throws {
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try batch.define(.song)
        for row in 2..<12 as Range<RowID> { try batch.put("song \(row)", at: row, in: 2) }
        try backend.commit(batch)
        for row in 20..<25 as Range<RowID> { _ = try backend.put("song \(row)", at: row, in: 2) }
        if close {
            try backend.close()
        } else {
            let copy = directory.file("Copy")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try backend.close()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: copy, toPath: path)
        }
    }

    /// Right data, or `nil` for damage that was reported.
    private func outcome(_ place: String) throws -> Int? {
        do {
            let backend = try TokyoBackend(path: place)
            defer { try? backend.close() }
            let rows = try backend.rows(in: 2)
            for (row, text) in rows { #expect(text == "song \(row)") }
            #expect(try backend.count(of: 2) == rows.count)
            for row in rows.keys { #expect(try backend.text(at: row, in: 2) == "song \(row)") }
            return rows.count
        } catch BackendError.corrupt {
            return nil
        } catch BackendError.newerFormat {
            return nil
        }
    }

    private func flip(_ file: String, _ offset: Int, in place: String) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: place + "/" + file))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        guard let byte = try handle.read(upToCount: 1)?.first else { return }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: [byte ^ (1 << UInt8(offset % 8))])
    }

    private static let files = [
        "Song", "Journal/log-0000000000000001", "Journal/Clean", "Journal/Catalog",
    ]

    @Test(arguments: files, [true, false])
    func noFlippedByteGivesWrongData(_ file: String, _ closed: Bool) throws {
        try make(close: closed)
        guard let size = FileManager.default.contents(atPath: path + "/" + file)?.count else {
            return
        }
        // Every byte of the heads, and of the rest as many as a second allows.
        let offsets = Array(0..<min(size, 300)) + Array(stride(from: 300, to: size, by: 1021))
        for (number, offset) in offsets.enumerated()
        where offset < size && RunSetting.isTurn(of: number) {
            let copy = directory.file("Flipped")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try flip(file, offset, in: copy)
            if let count = try outcome(copy) {
                #expect(count == 15, "\(file) at \(offset)")
            }
            try FileManager.default.removeItem(atPath: copy)
        }
    }

    @Test func aTornTailIsCutAndADamagedMiddleIsReported() throws {
        let backend = try TokyoBackend(path: path, durability: .process)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try backend.commit(batch)
        for row in 2..<12 as Range<RowID> { _ = try backend.put("song \(row)", at: row, in: 2) }
        let copy = directory.file("Copy")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try backend.close()
        // Nothing of these commits was ever synced, so a cut log is what a power cut leaves.
        let log = copy + "/Journal/log-0000000000000001"
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: log))
        let reader = CommitReader(
            try SegmentReader(files: SystemFiles(), path: log, number: 1, store: nil))
        var ends: [UInt64] = []
        while try reader.next() != nil { ends.append(reader.offset) }
        try handle.truncate(atOffset: ends[ends.count - 3] + 5)
        try handle.close()
        let cut = try TokyoBackend(path: copy)
        #expect(try cut.rows(in: 2).count == 8)
        try cut.close()
        // After an orderly close everything is known to be durable.
        let closed = path + "/Journal/log-0000000000000001"
        try FileManager.default.removeItem(atPath: path + "/Song")
        try flip("Journal/log-0000000000000001", Int(ends[4]) + 90, in: path)
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        #expect(throws: BackendError.corrupt(path: closed, offset: ends[4])) {
            _ = try TokyoBackend(path: path)
        }
        // What was half made is gone again.
        let left = try FileManager.default.subpathsOfDirectory(atPath: path)
        #expect(Set(left) == Set(names))
    }

    /// A store closed in order at `path`, and one at `Copy` that was not. At `.process` the next
    /// segment may have its name before the frames of this one are durable.
    private func makeTwoSegments() throws -> String {
        let backend = try TokyoBackend(path: path, durability: .process)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try backend.commit(batch)
        for row in 2..<12 as Range<RowID> { _ = try backend.put("song \(row)", at: row, in: 2) }
        try backend.commitLog.roll(tables: backend.tableStates)
        let copy = directory.file("Copy")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try backend.close()
        return copy
    }

    /// Takes the last two saves and a half from the first segment. Returns where the frames end.
    private func shorten(_ place: String, leaving rest: UInt64) throws -> (log: String, end: UInt64)
    {
        let log = place + "/Journal/log-0000000000000001"
        let reader = CommitReader(
            try SegmentReader(files: SystemFiles(), path: log, number: 1, store: nil))
        var ends: [UInt64] = []
        while try reader.next() != nil { ends.append(reader.offset) }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: log))
        try handle.truncate(atOffset: ends[ends.count - 3] + rest)
        try handle.close()
        return (log, ends[ends.count - 3])
    }

    @Test(arguments: [0, 5] as [UInt64])
    func aSegmentThatAPowerCutLeftShorterThanItsSuccessorSaysIsATail(_ rest: UInt64) throws {
        let copy = try makeTwoSegments()
        _ = try shorten(copy, leaving: rest)
        let shortened = try TokyoBackend(path: copy)
        #expect(try shortened.rows(in: 2).count == 8)
        _ = try shortened.put("more", at: 20, in: 2)
        try shortened.close()
        let reopened = try TokyoBackend(path: copy)
        #expect(try reopened.rows(in: 2).count == 9)
        try reopened.close()
        // After an orderly close everything is known to be durable.
        let closed = try shorten(path, leaving: rest)
        #expect(throws: BackendError.corrupt(path: closed.log, offset: closed.end)) {
            _ = try TokyoBackend(path: path)
        }
    }

    /// Where nothing may be changed, the segments behind the log's end stay.
    @Test(arguments: [0, 5] as [UInt64])
    func suchAStoreIsSoundWhenItIsOnlyRead(_ rest: UInt64) async throws {
        let copy = try makeTwoSegments()
        _ = try shorten(copy, leaving: rest)
        let reader = try TokyoBackend(path: copy, access: .readOnly)
        #expect(try reader.rows(in: 2).count == 8)
        var saves: [CommitNumber] = []
        try reader.forEachSave { saves.append($0.number) }
        #expect(saves == Array(1...9))
        let report = try await reader.check()
        #expect(report.findings.isEmpty)
        #expect(report.saves == 9)
        try reader.close()
    }

    @Test func aBadRecordOfAnOpenStoreIsRebuilt() throws {
        let messages = Messages()
        let backend = try TokyoBackend(path: path, log: LogSink { messages.add($1) })
        let batch = backend.makeBatch()
        try batch.define(.song)
        for row in 2..<12 as Range<RowID> { try batch.put("song \(row)", at: row, in: 2) }
        try backend.commit(batch)
        let bytes = try #require(FileManager.default.contents(atPath: path + "/Song"))
        let place = try #require(bytes.range(of: Data("song 7".utf8))).lowerBound
        try flip("Song", place, in: path)
        #expect(try backend.text(at: 7, in: 2) == "song 7")
        #expect(messages.all.contains { $0.contains("making it anew") })
        #expect(try backend.rows(in: 2).count == 10)
        _ = try backend.put("more", at: 20, in: 2)
        #expect(try backend.count(of: 2) == 11)
    }

    /// The last segment of a store that is only read, and was not closed, has no end but its own;
    /// taken for empty, it had nothing to rebuild from.
    @Test func aBadRecordIsRebuiltInAStoreThatIsOnlyRead() throws {
        try make(close: false)
        let messages = Messages()
        let backend = try TokyoBackend(
            path: path, access: .readOnly, log: LogSink { messages.add($1) })
        let view = try #require(try backend.table(2)?.hash().path)
        try flip("song 7", in: view)
        #expect(try backend.text(at: 7, in: 2) == "song 7")
        #expect(messages.all.contains { $0.contains("making it anew") })
        #expect(try backend.rows(in: 2).count == 15)
    }

    /// A segment that has its name, but could not be made durable, is not the one that was written
    /// to last: where that ends says nothing about it.
    @Test func aBadRecordIsRebuiltInAStoreThatCanSaveNoMore() throws {
        let files = FaultyFiles()
        let backend = try TokyoBackend(path: path, files: files)
        let batch = backend.makeBatch()
        try batch.define(.song)
        for row in 2..<12 as Range<RowID> { try batch.put("song \(row)", at: row, in: 2) }
        try backend.commit(batch)
        files.replacePlan { _, operation, path in
            let isLog = path.contains("/log-") && operation == .sync
            let isInLog = path.hasSuffix("/Journal") && operation == .syncDirectory
            return isLog || isInLog ? .error(EIO) : nil
        }
        #expect(throws: BackendError.self) { try backend.put("more", at: 20, in: 2) }
        let names = try FileManager.default.contentsOfDirectory(atPath: path + "/Journal")
        #expect(names.count { $0.hasPrefix("log-") } == 2)
        try flip("song 7", in: path + "/Song")
        #expect(try backend.text(at: 7, in: 2) == "song 7")
        #expect(try backend.rows(in: 2).count == 10)
        files.replacePlan(nil)
    }

    /// Turns a bit over in the file at `path`, where `text` stands.
    private func flip(_ text: String, in path: String) throws {
        let bytes = try #require(FileManager.default.contents(atPath: path))
        let place = try #require(bytes.range(of: Data(text.utf8))).lowerBound
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(place))
        try handle.write(contentsOf: [bytes[place] ^ 1])
    }

    @Test func aFileIsNoStore() throws {
        _ = FileManager.default.createFile(atPath: path, contents: Data())
        #expect(throws: BackendError.notAStore(path: path)) { _ = try TokyoBackend(path: path) }
        #expect(throws: BackendError.notAStore(path: path + "/x")) {
            _ = try TokyoBackend(path: path + "/x")
        }
    }

    @Test func somebodyElsesFileIsNotOverwritten() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        _ = FileManager.default.createFile(atPath: path + "/Song", contents: Data("mine".utf8))
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try batch.define(.song)
        #expect(throws: BackendError.pathTaken(path: path + "/Song")) {
            try backend.commit(batch)
        }
        try backend.close()
        #expect(FileManager.default.contents(atPath: path + "/Song") == Data("mine".utf8))
    }
}

/// Messages that a log sink was given.
final class Messages: @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String] = []

    func add(_ text: String) {
        // Other tests kill processes, whose copies of views any opening removes.
        if text.hasSuffix("which a killed process had left.") { return }
        lock.withLock { texts.append(text) }
    }
    var all: [String] { lock.withLock { texts } }
    func clear() { lock.withLock { texts = [] } }
}
