import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// The tools on a directory that BNRPersistence wrote and that was not saved to since.
struct LegacyToolTests {
    let directory = ScratchDirectory(inMemory: false)
    var path: String { directory.file("Legacy") }
    var copy: String { directory.file("Copy") }

    init() throws {
        try LegacyFixture.copy(to: path)
    }

    private func bytes(_ path: String) throws -> [String: Data] {
        var all: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            all[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        return all
    }

    /// Every row of every class, and every named buffer.
    private func content(_ backend: TokyoBackend) throws -> [String: [String: [UInt8]]] {
        var all: [String: [String: [UInt8]]] = [:]
        for table in try backend.tables() {
            let cursor = try backend.records(in: table.number)
            let run = RecordRun()
            while try cursor.next(run) {
                while let (row, value) = run.next() {
                    all[table.name, default: [:]]["\(row)"] = Array(value)
                }
            }
        }
        for key in try backend.keys(in: .namedBuffers) {
            let text = try backend.text(forKey: key, in: .namedBuffers) ?? ""
            all["NamedBuffers", default: [:]][key] = Array(text.utf8)
        }
        return all
    }

    private func content(at path: String) throws -> [String: [String: [UInt8]]] {
        let backend = try TokyoBackend(path: path, access: .readOnly)
        let content = try content(backend)
        try backend.close()
        return content
    }

    @Test func aBackupIsTheAncestorsDirectoryAgain() async throws {
        let before = try bytes(path)
        let backend = try TokyoBackend(path: path)
        let expected = try content(backend)
        try await backend.backup(to: copy)
        try backend.close()
        #expect(try bytes(copy) == before && bytes(path) == before)
        #expect(try content(at: copy) == expected)
        #expect(expected["Song"]?.count == 60)
    }

    @Test func aBackupOfAnAdoptedDirectoryIsAStoreOfOurs() async throws {
        let backend = try TokyoBackend(path: path)
        _ = try backend.put("new", at: 63, in: 4)
        let expected = try content(backend)
        try await backend.backup(to: copy)
        try backend.close()
        #expect(try content(at: copy) == expected)
        #expect(FileManager.default.fileExists(atPath: copy + "/Journal"))
        let again = try TokyoBackend(path: copy)
        #expect(try await again.check().isSound)
        #expect(try again.reserveRows(1, in: 4).lowerBound == 64)
    }

    @Test func aCancelledBackupLeavesNothing() async throws {
        let files = FaultyFiles()
        let backend = try TokyoBackend(path: path, files: files)
        let progress = Progress(totalUnitCount: 0)
        files.replacePlan { _, operation, path in
            if operation == .write, path.hasSuffix("/Playlist") { progress.cancel() }
            return nil
        }
        await #expect(throws: CancellationError.self) {
            try await backend.backup(to: copy, progress: progress)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["Legacy"])
        // The turn was given back: a save goes through.
        files.replacePlan(nil)
        #expect(try backend.put("new", at: 63, in: 4) == 2)
    }

    @Test func salvageBringsEverythingOver() async throws {
        let before = try bytes(path)
        let expected = try content(at: path)
        let report = try await TokyoBackend.salvage(from: path, into: copy)
        #expect(report.lost == [])
        #expect(try bytes(path) == before)
        #expect(try content(at: copy) == expected)
        let again = try TokyoBackend(path: copy)
        #expect(try again.tables().map(\.name) == ["Person", "Playlist", "Song"])
        #expect(try again.tables().map(\.classNumber) == [2, 1, 0])
        #expect(try await again.check().isSound)
        #expect(try again.reserveRows(1, in: 4).lowerBound == 63)
    }

    /// The class of a file that had lost its end was left out without a word.
    @Test func aFileThatWasCutIsDamagedAndSalvageSaysSo() async throws {
        let file = path + "/Song"
        let whole = try #require(FileManager.default.contents(atPath: file))
        let end = try #require(try HashFile(reading: file, files: SystemFiles())).image.end
        try whole.prefix(Int(end) - 100).write(to: URL(fileURLWithPath: file))
        for access in [Access.readWrite, .readOnly] {
            #expect(throws: BackendError.corrupt(path: file, offset: end - 100)) {
                _ = try TokyoBackend(path: path, access: access)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: path + "/Journal"))
        let report = try await TokyoBackend.salvage(from: path, into: copy)
        #expect(report.lost.map(\.path) == [file])
        #expect(report.lost.map(\.kind) == [.unreadableView])
        #expect(try content(at: copy)["Person"]?.isEmpty == false)
    }

    /// Files that were adopted keep the ancestor's keys, and their records have no sums.
    @Test(arguments: [true, false])
    func salvageOfAnAdoptedDirectoryWithoutItsLog(_ hasCopy: Bool) async throws {
        let backend = try TokyoBackend(path: path)
        _ = try backend.put("new", at: 63, in: 4)
        let expected = try content(backend)
        try backend.close()
        try FileManager.default.removeItem(atPath: path + "/Journal")
        if !hasCopy { try FileManager.default.removeItem(atPath: path + "/Catalog.copy") }
        let before = try bytes(path)
        for access in [Access.readWrite, .readOnly] {
            #expect(throws: BackendError.logMissing(path: path)) {
                _ = try TokyoBackend(path: path, access: access)
            }
        }
        let report = try await TokyoBackend.salvage(from: path, into: copy)
        #expect(try bytes(path) == before)
        #expect(report.lost.contains { $0.kind == .missingLog })
        #expect(!report.lost.contains { $0.kind == .damagedRecord || $0.kind == .damagedView })
        #expect(try content(at: copy) == expected)
        let again = try TokyoBackend(path: copy)
        #expect(try again.tables().map(\.name) == ["Person", "Playlist", "Song"])
        #expect(try again.tables().map(\.classNumber) == [2, 1, 0])
        #expect(try await again.check().isSound)
        #expect(try again.reserveRows(1, in: 4).lowerBound == 64)
    }

    /// A first save that fails after chunks of it were in the log: the directory is adopted by
    /// then.
    @Test func aFirstSaveThatFailsLosesNothingOfTheAncestors() throws {
        let expected = try content(at: path)
        let large = String(repeating: "x", count: 100_000)
        func save(_ backend: TokyoBackend) throws {
            let batch = backend.makeBatch()
            do {
                for row in 63..<93 as Range<RowID> { try batch.put(large, at: row, in: 4) }
            } catch {
                backend.discard(batch)
                throw error
            }
            try backend.commit(batch)
        }
        var index = RunSetting.firstTurn
        var isSaved = false
        while !isSaved {
            let limit = index
            let place = directory.file("Copy\(index)")
            try FileManager.default.copyItem(atPath: path, toPath: place)
            let files = FaultyFiles()
            let backend = try TokyoBackend(path: place, durability: .process, files: files)
            files.replacePlan { number, _, _ in number == limit ? .error(5) : nil }
            let failed = (try? save(backend)) == nil
            isSaved = files.count <= limit
            files.replacePlan(nil)
            try backend.close()
            if failed { #expect(try content(at: place) == expected, "operation \(index)") }
            let again = try TokyoBackend(path: place, durability: .process)
            if failed { try save(again) }
            #expect(try again.count(of: 4) == 90)
            try again.close()
            try FileManager.default.removeItem(atPath: place)
            index += RunSetting.share
        }
        #expect(index > 30)
    }

    @Test func salvageOfACutFileBringsTheRestAndSaysSo() async throws {
        let expected = try content(at: path)
        let file = path + "/Song"
        let whole = try #require(FileManager.default.contents(atPath: file))
        let title = try #require(whole.range(of: Data("What Echoes 3".utf8)))
        var damaged = whole
        // The head of the record, and what leads to it.
        for place in (title.lowerBound - 24)..<title.lowerBound { damaged[place] = 0xFF }
        try damaged.write(to: URL(fileURLWithPath: file))
        let report = try await TokyoBackend.salvage(from: path, into: copy)
        #expect(report.lost.contains { $0.kind == .damagedRecord && $0.path == file })
        let found = try content(at: copy)
        let songs = try #require(found["Song"])
        #expect(songs.count < 60 && songs.count > 0)
        for (row, bytes) in songs { #expect(expected["Song"]?[row] == bytes) }
        #expect(found["Playlist"] == expected["Playlist"])
        #expect(found["NamedBuffers"] == expected["NamedBuffers"])
    }
}
