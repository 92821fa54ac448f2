import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// The names that views take, and what may stand in their way.
struct ClaimingTests {
    let directory = ScratchDirectory()
    var path: String { directory.file("Music") }

    private func define(_ table: TableDefinition, in backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        try batch.define(table)
        try batch.put("mine", at: 2, in: table.number)
        try backend.commit(batch)
    }

    /// A directory was found out only after the commit, when its view could not take the name.
    @Test(arguments: [true, false])
    func whatIsNotOursIsNamedAndStays(_ isFolder: Bool) throws {
        let backend = try TokyoBackend(path: path)
        let place = path + "/Song"
        if isFolder {
            try FileManager.default.createDirectory(
                atPath: place + "/inner", withIntermediateDirectories: true)
        } else {
            _ = FileManager.default.createFile(atPath: place, contents: Data("text".utf8))
        }
        let error = BackendError.pathTaken(path: place)
        #expect(throws: error) { try define(.song, in: backend) }
        #expect(error.description.contains(place))
        #expect(try backend.tables().isEmpty)
        if isFolder {
            #expect(FileManager.default.fileExists(atPath: place + "/inner"))
        } else {
            #expect(FileManager.default.contents(atPath: place) == Data("text".utf8))
        }
        try backend.close()
        let again = try TokyoBackend(path: path)
        #expect(try again.tables().isEmpty)
        try FileManager.default.removeItem(atPath: place)
        try define(.song, in: again)
        #expect(try again.text(at: 2, in: 2) == "mine")
    }

    /// A class that took a new name overwrote what had it.
    @Test func aNewNameOverwritesNothingEither() throws {
        let backend = try TokyoBackend(path: path)
        try define(.song, in: backend)
        let place = path + "/Tune"
        _ = FileManager.default.createFile(atPath: place, contents: Data("text".utf8))
        var renamed = TableDefinition.song
        renamed.name = "Tune"
        #expect(throws: BackendError.pathTaken(path: place)) {
            try define(renamed, in: backend)
        }
        #expect(FileManager.default.contents(atPath: place) == Data("text".utf8))
        #expect(try backend.tables() == [.song])
        try FileManager.default.removeItem(atPath: place)
        try define(renamed, in: backend)
        #expect(try backend.tables() == [renamed])
        #expect(try backend.text(at: 2, in: 2) == "mine")
    }

    /// A file that could not be opened was taken for the store's own, and overwritten.
    @Test func whatCannotBeReadIsNotOverwritten() throws {
        let files = FaultyFiles()
        let backend = try TokyoBackend(path: path, files: files)
        let place = path + "/Song"
        _ = FileManager.default.createFile(atPath: place, contents: Data("text".utf8))
        files.replacePlan { _, operation, path in
            operation == .open && path == place ? .error(EMFILE) : nil
        }
        #expect(
            throws: BackendError.system(operation: "open", path: place, code: EMFILE)
        ) { try define(.song, in: backend) }
        files.replacePlan(nil)
        #expect(FileManager.default.contents(atPath: place) == Data("text".utf8))
    }

    /// Each save said so on a disk that is nearly full.
    @Test func thatThereIsNoRoomForBucketsIsSaidOnce() throws {
        let messages = Messages()
        let files = FaultyFiles()
        let backend = try TokyoBackend(
            path: path, durability: .process, log: LogSink { messages.add($1) }, files: files)
        try define(.song, in: backend)
        func save(_ rows: Range<RowID>) throws {
            let batch = backend.makeBatch()
            for row in rows { try batch.put("x", at: row, in: 2) }
            try backend.commit(batch)
        }
        func count() -> Int { messages.all.count { $0.contains("fewer buckets") } }
        files.replacePlan { _, operation, path in
            operation == .open && path.hasSuffix("/view-2.new") ? .error(ENOSPC) : nil
        }
        try save(3..<6003)
        #expect(count() == 1)
        for row in 6003..<6010 as Range<RowID> { try save(row..<(row.next)) }
        #expect(count() == 1)
        files.replacePlan(nil)
        try save(6010..<6011)
        #expect(try backend.count(of: 2) == 6009)
        // It got room, and lacks it again.
        files.replacePlan { _, operation, path in
            operation == .open && path.hasSuffix("/view-2.new") ? .error(ENOSPC) : nil
        }
        try save(6011..<40_000)
        #expect(count() == 2)
        files.replacePlan(nil)
        try backend.close()
    }
}
