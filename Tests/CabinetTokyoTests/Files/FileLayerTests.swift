import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

struct FileLayerTests {
    let directory = ScratchDirectory(inMemory: false)
    let files = SystemFiles()

    private func put(_ text: String, in file: OpenFile, at offset: UInt64) throws {
        try Array(text.utf8).withUnsafeBytes { bytes throws in
            try files.write(bytes, to: file, at: offset)
        }
    }

    @Test func whatWasWrittenIsReadFromAnyOffset() throws {
        let file = try files.open(directory.file("a"), for: .creating)
        try put("Echoes", in: file, at: 4)
        try files.sync(file)
        #expect(try files.size(of: file) == 10)
        var bytes = [UInt8](repeating: 1, count: 16)
        let count = try bytes.withUnsafeMutableBytes { bytes throws in
            try files.read(file, at: 2, into: bytes)
        }
        #expect(count == 8)
        #expect(Array(bytes.prefix(8)) == [0, 0] + Array("Echoes".utf8))
        try files.truncate(file, to: 5)
        #expect(try files.size(of: file) == 5)
    }

    @Test func whatIsCreatedIsItsOwnersAlone() throws {
        _ = try files.open(directory.file("a"), for: .creating)
        try files.makeDirectory(directory.file("d"))
        let manager = FileManager.default
        func mode(_ name: String) throws -> Int? {
            try manager.attributesOfItem(atPath: directory.file(name))[.posixPermissions] as? Int
        }
        #expect(try mode("a") == 0o600)
        #expect(try mode("d") == 0o700)
        #expect(try files.makeDirectory(directory.file("d")) == false)
        #expect(try files.list(directory.path) == ["a", "d"])
    }

    @Test func reservedRoomIsThereAndReadsAsZeros() throws {
        let file = try files.open(directory.file("a"), for: .creating)
        try files.reserve(file, upTo: 100_000)
        let status = try #require(try files.status(of: directory.file("a")))
        #expect(status.size == 100_000)
        #expect(!status.isDirectory)
        try files.reserve(file, upTo: 10)
        #expect(try files.size(of: file) == 100_000)
    }

    @Test func namesComeAndGo() throws {
        _ = try files.open(directory.file("a"), for: .creating)
        try files.rename(directory.file("a"), to: directory.file("b"))
        try files.syncDirectory(directory.path)
        #expect(try files.status(of: directory.file("a")) == nil)
        try files.remove(directory.file("b"))
        try files.remove(directory.file("b"))
        #expect(try files.list(directory.path).isEmpty)
    }

    @Test func aLockShutsOutEveryoneElse() throws {
        let one = try files.open(directory.file("lock"), for: .creating)
        let other = try files.open(directory.file("lock"), for: .creating)
        #expect(try files.lock(one, exclusively: true))
        #expect(try files.lock(other, exclusively: true) == false)
        #expect(try files.lock(other, exclusively: false) == false)
    }

    @Test func thePlaceIsTheSameWhileTheMachineRuns() throws {
        let place = try files.mountIdentity(of: directory.path)
        #expect(try files.mountIdentity(of: directory.path) == place)
        #expect(place.boot.utf8.count == 36)
    }

    @Test func theSystemsNumbersBecomeTheContractsCases() {
        #expect(SystemFailure.error("x", "p", ENOSPC, needed: 7) == .diskFull(path: "p", needed: 7))
        #expect(SystemFailure.error("x", "p", EDQUOT) == .diskFull(path: "p", needed: 0))
        #expect(SystemFailure.error("x", "p", EROFS) == .accessDenied(path: "p"))
        #expect(
            SystemFailure.error("x", "p", EIO) == .system(operation: "x", path: "p", code: EIO))
    }

    @Test func aMissingFileSaysSo() {
        let path = directory.file("none")
        #expect(throws: BackendError.system(operation: "open", path: path, code: ENOENT)) {
            try files.open(path, for: .writing)
        }
    }
}
