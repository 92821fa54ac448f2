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
        #expect(file.image.firstDamage(checksums: false) == nil)
    }

    /// The library is told that there is no room any more where the room may have been given back.
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

    private func makeTree(_ files: any FileLayer) throws -> OrderedFile {
        let file = try OrderedFile(making: directory.file("tree"), count: 10, files: files)
        try file.reserve(for: OrderedFile.Changes(operations: 1, bytes: 10))
        #expect(Array("key".utf8).withUnsafeBytes { file.put($0, $0) })
        try file.flush(ViewMark(store: 1, applied: 2, synced: 3, table: .byTitle))
        return file
    }

    private func holdsKey(_ file: OrderedFile) throws -> Bool {
        try Array("key".utf8).withUnsafeBytes { try file.find($0) != nil }
    }

    /// A tree without a handle had no keys, and did not say why.
    @Test func aTreeThatCannotBeOpenedAgainSaysSo() throws {
        let files = FaultyFiles()
        let file = try makeTree(files)
        try file.endWriting()
        #expect(try holdsKey(file))
        files.replacePlan { _, now, _ in now == .openView ? .error(EMFILE) : nil }
        #expect(throws: BackendError.self) { try file.beginWriting() }
        #expect(!file.isOpen)
        #expect(throws: OrderedFile.Damage.self) { try holdsKey(file) }
        #expect(throws: OrderedFile.Damage.self) {
            try file.walk(from: nil, descending: false) { _, _ in true }
        }
        let table = Table(
            CatalogEntry(.byTitle), lastCommit: 2, highestRow: 0, view: .ordered(file))
        #expect(!table.isReadable)
        #expect(throws: BackendError.self) { try table.count() }
    }

    /// The failure of a moment costs nothing.
    @Test func aTreeThatCannotBeWrittenIsReadAsBefore() throws {
        let files = FaultyFiles()
        let file = try makeTree(files)
        try file.endWriting()
        let isOver = Guarded(false)
        files.replacePlan { _, now, _ in
            guard now == .openView else { return nil }
            return isOver.withLock { isOver in
                defer { isOver = true }
                return isOver ? nil : .error(EMFILE)
            }
        }
        #expect(throws: BackendError.self) { try file.beginWriting() }
        #expect(file.isOpen && !file.isWriting)
        #expect(try holdsKey(file))
    }

    @Test func anotherFileUnderTheNameIsNotWrittenTo() throws {
        let files = SystemFiles()
        let file = try makeHash(files)
        try file.endWriting()
        let tree = try makeTree(files)
        try tree.endWriting()
        for path in [file.path, tree.path] {
            try files.rename(path, to: path + ".old")
            let copy = try files.open(path, for: .creating)
            try files.write(Array("another".utf8), to: copy, at: 0)
        }
        #expect(throws: BackendError.self) { try file.beginWriting() }
        #expect(throws: BackendError.self) { try tree.beginWriting() }
        #expect(throws: BackendError.self) { try file.sync() }
        #expect(throws: BackendError.self) { try tree.seal() }
        #expect(value(file.image, "key") == "key")
        #expect(try holdsKey(tree))
        for path in [file.path, tree.path] {
            #expect(FileManager.default.contents(atPath: path) == Data("another".utf8))
        }
    }
}
