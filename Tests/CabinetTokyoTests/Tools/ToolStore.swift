import CabinetBackend
import Foundation
import TrustSupport

@testable import CabinetTokyo

/// A small store with a class, an index and a named buffer, whose content follows from its rows.
struct ToolStore {
    let directory = ScratchDirectory(inMemory: false)
    var path: String { directory.file("Music") }
    var log: String { path + "/Journal/log-0000000000000001" }

    /// Rows 2 to 11 in one save, rows 20 to 29 in a save each.
    func fill(_ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.define(.byTitle)
        for row in 2..<12 as Range<RowID> { try put(row, batch) }
        try batch.put("song 3", forKey: "Favorite", in: .namedBuffers)
        try batch.put("kept", forKey: "layout", in: .catalog)
        try backend.commit(batch)
        for row in 20..<30 as Range<RowID> {
            let batch = backend.makeBatch()
            try put(row, batch)
            try backend.commit(batch)
        }
    }

    func put(_ row: RowID, _ batch: WriteBatch) throws {
        try batch.put("song \(row)", at: row, in: 2)
        try batch.put("\(row)", forKey: "title \(row)", in: 3)
    }

    func makeClosed() throws {
        let backend = try TokyoBackend(path: path)
        try fill(backend)
        try backend.close()
    }

    /// Flips a bit at `offset` of a file.
    func flip(_ file: String, _ offset: Int) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        guard let byte = try handle.read(upToCount: 1)?.first else { return }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: [byte ^ 4])
    }

    /// Where `text` stands first in a file.
    func place(of text: String, in file: String) throws -> Int {
        guard let bytes = FileManager.default.contents(atPath: file),
            let range = bytes.range(of: Data(text.utf8))
        else { throw CocoaError(.fileReadUnknown) }
        return range.lowerBound
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
    }

    func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
