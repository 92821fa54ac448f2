import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Opening a store for the first time.
struct FirstOpeningTests {
    let directory = ScratchDirectory()
    var path: String { directory.file("Library/Music") }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// The directories that were made first stayed.
    @Test(arguments: [EIO, ENOSPC, EMFILE])
    func anOpeningThatFailsLeavesNothing(_ code: Int32) throws {
        var index = 0
        while true {
            let limit = index
            let files = FaultyFiles { number, _, _ in number == limit ? .error(code) : nil }
            let opened = try? TokyoBackend(path: path, files: files)
            if let opened {
                #expect(files.count <= limit)
                try opened.close()
                break
            }
            #expect(!isThere(directory.file("Library")), "operation \(index)")
            index += 1
        }
        #expect(index > 8)
        #expect(isThere(path + "/Journal"))
    }

    @Test func anOpeningThatFailsKeepsWhatWasThere() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var index = 0
        while true {
            let limit = index
            let files = FaultyFiles { number, _, _ in number == limit ? .error(EIO) : nil }
            if let opened = try? TokyoBackend(path: path, files: files) {
                try opened.close()
                break
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
            index += 1
        }
        #expect(index > 4)
    }

    @Test func anAbandonedStoreGoesUnlessItWasUsed() throws {
        try TokyoBackend(path: path).abandon()
        #expect(!isThere(directory.file("Library")))
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try backend.commit(batch)
        try backend.abandon()
        #expect(try TokyoBackend(path: path).tables() == [.song])
    }

    /// Of a first save that found no room, `log.new` stayed, and with it the directory.
    @Test(arguments: [true, false])
    func aStoreWhoseFirstSaveFoundNoRoomGoesWhenItIsAbandoned(_ isLarge: Bool) throws {
        let needsRoom: Set<FaultyFiles.Operation> = [
            .write, .reserve, .makeDirectory, .sync, .openView, .rename,
        ]
        var index = 0
        while true {
            let limit = index
            let files = FaultyFiles()
            let backend = try TokyoBackend(path: path, files: files)
            files.replacePlan { number, operation, _ in
                number >= limit && needsRoom.contains(operation) ? .shortWrite(ENOSPC) : nil
            }
            let isSaved = (try? save(backend, isLarge)) != nil
            let isReached = files.count > limit
            do {
                try backend.abandon()
            } catch {
                #expect(isSaved, "operation \(index): \(error)")
            }
            #expect(isThere(directory.file("Library")) == isSaved, "operation \(index)")
            directory.clear()
            if !isReached { break }
            index += 1
        }
        #expect(index > 20)
    }

    private func save(_ backend: TokyoBackend, _ isLarge: Bool) throws {
        let batch = backend.makeBatch()
        do {
            try batch.define(.song)
            try batch.define(TableDefinition(number: 3, kind: .ordered, name: "Titles"))
            let text = String(repeating: "x", count: isLarge ? 100_000 : 10)
            for row in 2..<27 as Range<RowID> { try batch.put(text, at: row, in: 2) }
            try Array("key".utf8).withUnsafeBytes { try batch.put($0, for: $0, in: 3) }
        } catch {
            backend.discard(batch)
            throw error
        }
        try backend.commit(batch)
    }

    @Test func aStoreThatIsInUseIsNotRemovedByTheNext() throws {
        let backend = try TokyoBackend(path: path)
        #expect(throws: BackendError.self) { _ = try TokyoBackend(path: path) }
        #expect(isThere(path + "/Journal/Lock"))
        try backend.close()
        #expect(isThere(path + "/Journal/Lock"))
    }

    /// The holder of a lock may remove its file: who had opened it before must not go on with it.
    @Test func aLockWithoutANameIsNone() throws {
        let files = SystemFiles()
        let name = directory.file("Lock")
        let early = try files.open(name, for: .creating)
        try files.remove(name)
        #expect(try files.lock(early, exclusively: true) == false)
        let late = try files.open(name, for: .creating)
        #expect(try files.lock(early, exclusively: true) == false)
        #expect(try files.lock(late, exclusively: true))
    }

    @Test func whereNothingIsThereIsNoStore() throws {
        #expect(throws: BackendError.noStore(path: path)) {
            _ = try TokyoBackend(path: path, access: .readOnly)
        }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(throws: BackendError.noStore(path: path)) {
            _ = try TokyoBackend(path: path, access: .readOnly)
        }
        #expect(BackendError.noStore(path: "/x").description.contains("no store at /x"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }

    @Test func aLackThatIsNotOfBytesIsNotGivenInBytes() {
        let text = BackendError.diskFull(path: "/x", needed: 0).description
        #expect(text.contains("inodes") && !text.contains("0 more bytes"))
        #expect(BackendError.diskFull(path: "/x", needed: 7).description.contains("7 more bytes"))
    }
}
