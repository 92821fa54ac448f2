import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A store to which nothing was saved: because its first save failed, or was never made.
struct StoreWithoutSavesTests {
    let directory = ScratchDirectory()
    var path: String { directory.file("Music") }
    var copy: String { directory.file("Copy") }

    /// What was done to the store.
    enum Past: CaseIterable {
        /// Its first save failed after chunks were staged.
        case failed
        /// So it did, and the store was not closed.
        case killed
        /// A file of another program had the name of a class.
        case refused
        /// It was opened and closed.
        case opened
    }

    private func save(_ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        do {
            try batch.define(.song)
            let text = String(repeating: "x", count: 100_000)
            for row in 2..<27 as Range<RowID> { try batch.put(text, at: row, in: 2) }
        } catch {
            backend.discard(batch)
            throw error
        }
        try backend.commit(batch)
    }

    private func make(_ past: Past) throws {
        let files = FaultyFiles()
        let place = past == .killed ? copy : path
        let backend = try TokyoBackend(path: place, files: files)
        if past == .refused {
            _ = FileManager.default.createFile(
                atPath: path + "/Song", contents: Data("text".utf8))
        } else if past != .opened {
            // The last operations of the save: its chunks are in the log.
            files.replacePlan { _, operation, path in
                operation == .sync && path.contains("/log-0") ? .error(EIO) : nil
            }
        }
        if past != .opened { #expect(throws: BackendError.self) { try save(backend) } }
        files.replacePlan(nil)
        if past == .killed { try FileManager.default.copyItem(atPath: copy, toPath: path) }
        try backend.close()
        try? FileManager.default.removeItem(atPath: past == .refused ? path + "/Song" : copy)
    }

    private func content() throws -> [String: Data] {
        var content: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            content[name] = FileManager.default.contents(atPath: path + "/" + name) ?? Data()
        }
        return content
    }

    @Test(arguments: Past.allCases)
    func itIsEmptyHoweverItIsOpened(_ past: Past) async throws {
        try make(past)
        let before = try content()
        let reader = try TokyoBackend(path: path, access: .readOnly)
        #expect(try reader.tables().isEmpty)
        #expect(try reader.text(forKey: "a", in: .namedBuffers) == nil)
        #expect(try await reader.check().isSound)
        try reader.close()
        #expect(try content() == before)
        for _ in 0..<3 {
            let backend = try TokyoBackend(path: path)
            #expect(try backend.tables().isEmpty)
            #expect(try backend.count(of: .namedBuffers) == 0)
            try await backend.compact()
            let report = try await backend.check()
            #expect(report.isSound && report.saves == 0)
            #expect(try await backend.storageReport().lastSave == 0)
            try await backend.backup(to: copy)
            try backend.close()
            let saved = try TokyoBackend(path: copy)
            #expect(try saved.tables().isEmpty)
            try save(saved)
            try saved.close()
            #expect(try TokyoBackend(path: copy, access: .readOnly).count(of: 2) == 25)
            try FileManager.default.removeItem(atPath: copy)
        }
    }

    /// The catalog says what the store is, whichever way its first save went.
    @Test(arguments: Past.allCases)
    func itsNextSaveIsItsFirst(_ past: Past) async throws {
        try make(past)
        let backend = try TokyoBackend(path: path)
        try save(backend)
        #expect(try backend.text(forKey: "store", in: .catalog)?.contains("format") == true)
        try backend.close()
        let again = try TokyoBackend(path: path)
        #expect(try again.count(of: 2) == 25)
        #expect(try await again.check().isSound)
    }
}
