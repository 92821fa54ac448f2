import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Log pages that a large save has written need not stay in memory, unless the engine is going to
/// read them.
struct LogInMemoryTests {
    let directory = ScratchDirectory()
    private let text = String(repeating: "text", count: 25_000)

    /// Puts so many rows of 100,000 bytes.
    private func put(_ rows: Range<RowID>, in batch: WriteBatch) throws {
        for row in rows { try batch.put(text, at: row, in: 3) }
    }

    /// Saves 60 MB in a new table, and gives the calls to the file system for letting go.
    /// - Parameter old: what the first chunk changes of an older table.
    private func save(
        changing old: RowID?, _ path: String, until isReached: (Forerunner) -> Bool
    ) throws -> Int {
        let counted = Guarded(0)
        let files = FaultyFiles()
        let backend = try TokyoBackend(path: path, files: files)
        let first = backend.makeBatch()
        try first.define(.song)
        try first.put("first", at: 2, in: 2)
        try backend.commit(first)
        files.replacePlan { _, operation, _ in
            if operation == .letGo { counted.withLock { $0 += 1 } }
            return nil
        }
        let batch = backend.makeBatch()
        batch.expect(600, in: 3)
        try batch.define(TableDefinition(number: 3, kind: .record, name: "Other"))
        if let old { try batch.put("changed", at: old, in: 2) }
        try put(2..<402, in: batch)
        let runner = try #require(backend.forerunner)
        let limit = Date() + 60
        while !isReached(runner), Date() < limit { Thread.sleep(forTimeInterval: 0.001) }
        try put(402..<602, in: batch)
        try backend.commit(batch)
        backend.upkeep.queue.sync {}
        try backend.close()
        let again = try TokyoBackend(path: path)
        #expect(try again.count(of: 3) == 600)
        #expect(try again.text(at: 2, in: 2) == (old == nil ? "first" : "changed"))
        for row in 2..<602 as Range<RowID> { #expect(try again.text(at: row, in: 3) == text) }
        try again.close()
        return counted.withLock { $0 }
    }

    @Test func whatTheViewsHaveIsLetGo() throws {
        let count = try save(changing: nil, directory.file("store")) { $0.end > 38_000_000 }
        #expect(count > 0)
    }

    /// The first chunk is applied after the commit, and so are all that come after it.
    @Test func whatIsReadAgainIsKept() throws {
        let count = try save(changing: 2, directory.file("store")) { _ in true }
        #expect(count == 0)
    }

    /// The call is only a hint: dropped pages are read from the device.
    @Test func whatWasLetGoIsStillThere() throws {
        let files = SystemFiles()
        let onDisk = ScratchDirectory(inMemory: false)
        let path = onDisk.file("file")
        let file = try files.open(path, for: .creating)
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try bytes.withUnsafeBytes { try files.write($0, to: file, at: 0) }
        files.letGo(of: path, upTo: 50_000)
        try files.sync(file)
        files.letGo(of: path, upTo: .max)
        files.letGo(of: path, upTo: 70_000)
        files.letGo(of: path + ".missing", upTo: 1)
        var found = [UInt8](repeating: 0, count: bytes.count)
        let count = try found.withUnsafeMutableBytes { try files.read(file, at: 0, into: $0) }
        #expect(count == bytes.count && found == bytes)
    }
}
