import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

struct WeakenedFilesTests {
    let directory = ScratchDirectory(inMemory: false)

    private func write(_ text: String, to file: OpenFile, through files: any FileLayer) throws {
        try Array(text.utf8).withUnsafeBytes { bytes throws in
            try files.write(bytes, to: file, at: 0)
        }
    }

    @Test func aRecordingFollowsFilesThroughTheirNames() throws {
        let files = RecordingFiles()
        let (a, b) = (directory.file("a"), directory.file("b"))
        let file = try files.open(a, for: .creating)
        try write("x", to: file, through: files)
        try files.rename(a, to: b)
        files.note("saved")
        let again = try files.open(b, for: .writing)
        try files.sync(again)
        try files.remove(b)
        _ = try files.open(b, for: .creating)
        #expect(
            files.events == [
                .open(file: 0, path: a, created: true, emptied: false),
                .write(file: 0, offset: 0, bytes: [0x78]),
                .rename(path: a, newPath: b),
                .note("saved"),
                .open(file: 0, path: b, created: false, emptied: false),
                .sync(file: 0),
                .remove(path: b),
                .open(file: 1, path: b, created: true, emptied: false),
            ])
    }

    @Test func aRecordingFollowsFilesOfARenamedDirectory() throws {
        let files = RecordingFiles()
        try files.makeDirectory(directory.file("d.new"))
        _ = try files.open(directory.file("d.new/a"), for: .creating)
        try files.rename(directory.file("d.new"), to: directory.file("d"))
        _ = try files.open(directory.file("d/a"), for: .writing)
        #expect(
            files.events.last
                == .open(file: 0, path: directory.file("d/a"), created: false, emptied: false))
    }

    @Test func thePlannedOperationFailsAndNoOther() throws {
        let files = FaultyFiles { index, _, _ in index == 1 ? .error(ENOSPC) : nil }
        let path = directory.file("a")
        let file = try files.open(path, for: .creating)
        #expect(throws: BackendError.diskFull(path: path, needed: 0)) {
            try write("Echoes", to: file, through: files)
        }
        #expect(try files.size(of: file) == 0)
        try write("Echoes", to: file, through: files)
        #expect(try files.size(of: file) == 6)
        #expect(files.count == 5)
    }

    @Test func aShortWriteLeavesItsHalf() throws {
        let files = FaultyFiles { _, operation, _ in
            operation == .write ? .shortWrite(EIO) : nil
        }
        let file = try files.open(directory.file("a"), for: .creating)
        #expect(throws: BackendError.self) { try write("Echoes", to: file, through: files) }
        #expect(try files.size(of: file) == 3)
    }

    @Test func nothingHappensAfterAKill() throws {
        let files = FaultyFiles { _, operation, _ in operation == .sync ? .killed : nil }
        let path = directory.file("a")
        let file = try files.open(path, for: .creating)
        let dead = { (operation: String) in
            BackendError.system(operation: operation, path: path, code: FaultyFiles.deadCode)
        }
        #expect(throws: dead("sync")) { try files.sync(file) }
        #expect(throws: dead("write")) { try write("Echoes", to: file, through: files) }
        #expect(try SystemFiles().status(of: path)?.size == 0)
    }
}
