import CLibrary
import CabinetBackend
import Foundation
import TrustSupport

@testable import CabinetTokyo

/// A place for store files and their working directories, and short ways to use them.
struct DocumentScene {
    let directory = ScratchDirectory()
    /// Whether its documents are packages.
    var hasPackages = false
    var path: String { path(of: "Music.cabinet") }
    var working: String { directory.file("Working") }

    func open(
        _ path: String? = nil, creates: Bool = true, discards: Bool = false,
        files: any FileLayer = SystemFiles()
    ) throws -> WorkingStore.Opened {
        var options = WorkingStore.Options()
        options.creates = creates
        options.discards = discards
        options.durability = .process
        let place = path ?? self.path
        let deadline = Date() + 20
        while true {
            do {
                return try WorkingStore.open(
                    place, in: WorkingDirectories(working, files: files), options, log: .none)
            } catch BackendError.busy(let path, _) where path != place && Date() < deadline {
                // A store that was dropped without closing: its upkeep may hold it a moment longer.
                usleep(2_000)
            }
        }
    }

    func path(of name: String) -> String {
        directory.file(name) + (hasPackages ? "/" + StoreFilePlace.contentName : "")
    }

    /// A file with the rows 2 to 11, closed.
    func makeFile(_ path: String? = nil) throws {
        let opened = try open(path)
        try fill(opened.working)
        try opened.working.save(Array("metadata".utf8))
        try opened.working.finish(discarding: false)
    }

    func fill(_ working: WorkingStore) throws {
        let batch = working.backend.makeBatch()
        try batch.define(.song)
        try batch.define(.byTitle)
        for row in 2..<12 as Range<RowID> {
            try batch.put("song \(row)", at: row, in: 2)
            try batch.put("\(row)", forKey: "title \(row)", in: 3)
        }
        try batch.put("song 3", forKey: "Favorite", in: .namedBuffers)
        try working.backend.commit(batch)
    }

    /// The row that an edit has put: `nil` if the store has none.
    func edit(_ working: WorkingStore) throws -> String? {
        try working.backend.text(at: 40, in: 2)
    }

    func edit(_ working: WorkingStore, _ text: String) throws {
        _ = try working.backend.put(text, at: 40, in: 2)
    }

    /// What the file has in that row, read without its working directory.
    func savedEdit(_ path: String? = nil) throws -> String? {
        let opened = try Self.unpacked(path ?? self.path, in: directory.file("Look"))
        defer { try? opened.finish(discarding: true) }
        guard try opened.backend.rows(in: 2).count >= 10 else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return try edit(opened)
    }

    private static func unpacked(_ path: String, in working: String) throws -> WorkingStore {
        var options = WorkingStore.Options()
        (options.creates, options.discards) = (false, true)
        let opened = try WorkingStore.open(
            path, in: WorkingDirectories(working, files: SystemFiles()), options, log: .none)
        guard opened.report == nil else { throw CocoaError(.fileReadCorruptFile) }
        return opened.working
    }

    var bytes: [UInt8] { Array(FileManager.default.contents(atPath: path) ?? Data()) }

    func write(_ bytes: [UInt8], to path: String? = nil) throws {
        try Data(bytes).write(to: URL(filePath: path ?? self.path))
    }

    func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// The names beside the file.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    /// How many working directories there are.
    var workingCount: Int {
        get throws { try WorkingDirectories(working, files: SystemFiles()).entries().count }
    }
}
