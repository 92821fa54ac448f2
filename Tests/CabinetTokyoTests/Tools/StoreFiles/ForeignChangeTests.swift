import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// What another program does to a store file is seen before it is overwritten.
struct ForeignChangeTests {
    let scene = DocumentScene()

    enum Deed: CaseIterable {
        case otherStore, olderState, otherBytes, inPlace, removed
    }

    private func other() throws -> [UInt8] {
        let elsewhere = DocumentScene()
        try elsewhere.makeFile()
        return elsewhere.bytes
    }

    @Test(arguments: Deed.allCases)
    func aChangedFileIsNotOverwritten(_ deed: Deed) throws {
        try scene.makeFile()
        let older = scene.bytes
        let working = try scene.open().working
        try scene.edit(working, "one")
        try working.save([])
        try scene.edit(working, "two")
        let replacement: [UInt8]
        var expected = StoreFileStanding.changed
        switch deed {
        case .otherStore: replacement = try other()
        case .olderState: replacement = older
        case .otherBytes: replacement = Array("Dear diary".utf8)
        case .inPlace:
            var bytes = scene.bytes
            bytes[bytes.count / 2] ^= 1
            replacement = bytes
        case .removed:
            replacement = []
            expected = .missing
        }
        if deed == .removed {
            try FileManager.default.removeItem(atPath: scene.path)
        } else {
            try scene.write(replacement)
        }
        let refusal = WorkingStore.Refusal.standing(expected, path: scene.path)
        #expect(throws: refusal) { try working.save([]) }
        #expect(scene.bytes == replacement)
        // Elsewhere it can be saved, and the file is still as the other program has left it.
        try working.duplicate(to: scene.directory.file("B.cabinet"), [])
        #expect(scene.bytes == replacement)
        // After a crash, too.
        try working.finish(discarding: false)
        let again = try scene.open()
        #expect(again.unsaved?.standing == expected)
        #expect(throws: refusal) { try again.working.save([]) }
        try again.working.save([], overwriting: true)
        #expect(try scene.savedEdit() == "two")
        try again.working.finish(discarding: false)
    }

    @Test func theSameBytesAreNoChange() throws {
        try scene.makeFile()
        let working = try scene.open().working
        try scene.edit(working, "one")
        let bytes = scene.bytes
        try FileManager.default.removeItem(atPath: scene.path)
        try scene.write(bytes)
        try working.save([])
        #expect(try scene.savedEdit() == "one")
        try working.finish(discarding: false)
    }

    @Test func aFileThatAppearsIsNotOverwritten() throws {
        let working = try scene.open().working
        try scene.fill(working)
        let bytes = try other()
        try scene.write(bytes)
        #expect(throws: WorkingStore.Refusal.standing(.changed, path: scene.path)) {
            try working.save([])
        }
        #expect(scene.bytes == bytes)
        try working.finish(discarding: true)
    }

    @Test func withoutEditsAChangedFileIsReadAnew() throws {
        try scene.makeFile()
        let first = try scene.open().working
        // As a killed program leaves it.
        try first.backend.close()
        let directory = try #require(
            try WorkingDirectories(scene.working, files: SystemFiles()).entries().first)
        #expect(directory.record?.path == scene.path)
        withExtendedLifetime(first) {}
        let elsewhere = DocumentScene()
        try elsewhere.makeFile()
        let other = try elsewhere.open().working
        try elsewhere.edit(other, "of another program")
        try other.save([])
        try other.finish(discarding: false)
        try scene.write(elsewhere.bytes)
        _ = consume first
        let again = try scene.open()
        #expect(again.unsaved == nil)
        #expect(try scene.edit(again.working) == "of another program")
        try again.working.finish(discarding: false)
    }
}
