import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A store whose log was removed: it opened as an empty one, or as the ancestor's, and the next
/// save made that worse.
struct MissingLogTests {
    let store = ToolStore()

    private func content() throws -> [String: Data] {
        var content: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: store.path) {
            content[name] = FileManager.default.contents(atPath: store.path + "/" + name) ?? Data()
        }
        return content
    }

    private func expectDamage() throws {
        let before = try content()
        for access in [Access.readWrite, .readOnly] {
            #expect(throws: BackendError.logMissing(path: store.path)) {
                _ = try TokyoBackend(path: store.path, access: access)
            }
        }
        #expect(try content() == before)
        let text = BackendError.logMissing(path: store.path).description
        #expect(text.contains("Journal") && text.contains("salvage"))
    }

    @Test func theStoreIsDamagedAndStaysAsItIs() throws {
        try store.makeClosed()
        try store.remove("Journal")
        try expectDamage()
        try store.remove("NamedBuffers")
        try expectDamage()
        for name in runNames(in: store.path) { try store.remove(name) }
        try expectDamage()
    }

    @Test func soItIsWhereOnlyTheFolderIsLeft() throws {
        try store.makeClosed()
        let commitLog = store.path + "/Journal"
        for name in try FileManager.default.contentsOfDirectory(atPath: commitLog)
        where name != "Lock" {
            try store.remove("Journal/" + name)
        }
        let lock = try #require(FileManager.default.contents(atPath: commitLog + "/Lock"))
        #expect(!lock.isEmpty)
        try expectDamage()
    }

    @Test func soItIsWhereTheStoreWasNotClosed() throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        let copy = store.directory.file("Copy")
        try FileManager.default.copyItem(atPath: store.path, toPath: copy)
        try backend.close()
        try FileManager.default.removeItem(atPath: store.path)
        try FileManager.default.moveItem(atPath: copy, toPath: store.path)
        try store.remove("Journal")
        try expectDamage()
    }

    /// What cannot be read is not taken for what is not there.
    @Test(arguments: [EMFILE, EIO, ENOMEM])
    func aFileThatCannotBeOpenedFailsTheOpening(_ code: Int32) throws {
        try store.makeClosed()
        try store.remove("Journal")
        for name in ["NamedBuffers"] + runNames(in: store.path) { try store.remove(name) }
        let before = try content()
        let path = store.path + "/Song"
        let files = FaultyFiles { _, operation, place in
            operation == .open && place == path ? .error(code) : nil
        }
        #expect(throws: BackendError.system(operation: "open", path: path, code: code)) {
            _ = try TokyoBackend(path: store.path, files: files)
        }
        #expect(try content() == before)
    }

    /// Other programs' files, and what can be opened by none, are no views.
    @Test func otherFilesAreInNobodysWay() throws {
        try FileManager.default.createDirectory(
            atPath: store.path + "/Folder", withIntermediateDirectories: true)
        _ = FileManager.default.createFile(
            atPath: store.path + "/text", contents: Data("text".utf8))
        #expect(mkfifo(store.path + "/pipe", 0o600) == 0)
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        try backend.close()
        #expect(try TokyoBackend(path: store.path).rows(in: 2).count == 20)
    }
}
