import CLibrary
import CTokyoCabinet
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A view file can be read whatever fails while it is closed or opened again.
struct ViewFailureTests {
    let directory = ScratchDirectory()

    private func value(_ image: HashImage, _ key: String) -> String? {
        Array(key.utf8).withUnsafeBytes { key in
            guard case .value(let value) = image.find(key) else { return nil }
            return String(decoding: value, as: UTF8.self)
        }
    }

    private func makeHash(_ files: any FileLayer) throws -> HashFile {
        let file = try HashFile(
            making: directory.file("hash"), HashSizing(count: 10, bytes: 0), room: 1 << 16,
            files: files)
        try put("key", in: file)
        return file
    }

    private func put(_ text: String, in file: HashFile) throws {
        let writer = try #require(file.writer)
        let isDone = tchdbput(
            writer, text, Int32(text.utf8.count), text, Int32(text.utf8.count))
        #expect(isDone)
        file.noteGrowth()
    }

    /// The map was given up before there was another one, and what was read next was not there.
    @Test(arguments: [FaultyFiles.Operation.map, .truncate], [EIO, ENOMEM])
    func aHashFileThatCannotBeClosedIsReadAsBefore(
        _ operation: FaultyFiles.Operation, _ code: Int32
    ) throws {
        let files = FaultyFiles()
        let file = try makeHash(files)
        files.replacePlan { _, now, _ in now == operation ? .error(code) : nil }
        #expect(throws: BackendError.self) { try file.endWriting() }
        #expect(value(file.image, "key") == "key")
        files.replacePlan(nil)
        try file.reserve(upTo: file.image.end + 4096)
        try put("other", in: file)
        try file.endWriting()
        #expect(!file.isWriting)
        #expect(value(file.image, "other") == "other")
        #expect(file.image.firstDamage(.bare) == nil)
    }

    /// Where the reserved disk space may be freed, the library gets the answer that none is left.
    @Test func roomThatMayBeGoneIsNotWrittenTo() throws {
        let files = FaultyFiles()
        let file = try makeHash(files)
        files.replacePlan { _, now, _ in now == .truncate ? .doneButReported(EIO) : nil }
        #expect(throws: BackendError.self) { try file.endWriting() }
        files.replacePlan(nil)
        for number in 0..<2000 {
            if number % 100 == 0 { try file.reserve(upTo: file.image.end + 100 * 64) }
            try put("\(number)", in: file)
        }
        try file.endWriting()
        #expect(file.image.recordCount == 2001)
    }

    @Test(arguments: [FaultyFiles.Operation.open, .openView, .status, .remove])
    func aHashFileThatCannotBeOpenedForWritingIsReadAsBefore(
        _ operation: FaultyFiles.Operation
    ) throws {
        let files = FaultyFiles()
        let file = try makeHash(files)
        try file.endWriting()
        files.replacePlan { _, now, _ in now == operation ? .error(EMFILE) : nil }
        #expect(throws: BackendError.self) { try file.beginWriting() }
        #expect(!file.isWriting)
        #expect(value(file.image, "key") == "key")
        files.replacePlan(nil)
        try file.beginWriting()
        #expect(value(file.image, "key") == "key")
    }

    /// It is mapped by its descriptor: names do not matter to what is open.
    @Test(arguments: [false, true])
    func aHashFileIsClosedUnderAnyName(isRemoved: Bool) throws {
        let files = SystemFiles()
        let file = try makeHash(files)
        if isRemoved {
            try files.remove(file.path)
        } else {
            try files.rename(file.path, to: directory.file("elsewhere"))
        }
        try file.endWriting()
        #expect(value(file.image, "key") == "key")
        #expect(throws: BackendError.self) { try file.sync() }
        #expect(throws: BackendError.self) { try file.beginWriting() }
        #expect(value(file.image, "key") == "key")
    }

    @Test func anotherFileUnderTheNameIsNotWrittenTo() throws {
        let files = SystemFiles()
        let file = try makeHash(files)
        try file.endWriting()
        for path in [file.path] {
            try files.rename(path, to: path + ".old")
            let copy = try files.open(path, for: .creating)
            try files.write(Array("another".utf8), to: copy, at: 0)
        }
        #expect(throws: BackendError.self) { try file.beginWriting() }
        #expect(throws: BackendError.self) { try file.sync() }
        #expect(value(file.image, "key") == "key")
        for path in [file.path] {
            #expect(FileManager.default.contents(atPath: path) == Data("another".utf8))
        }
    }
}
