import CLibrary
import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Symbolic links in a store's directory, which lead out of it.
struct SymbolicLinkTests {
    private let directory = ScratchDirectory()
    private let files = SystemFiles()
    private var path: String { directory.file("Music") }
    private var outside: String { directory.file("precious") }

    /// What a link leads to.
    enum Target: CaseIterable {
        case nothing, text
        /// A copy of what the link replaces.
        case copy
    }

    /// Files that are made only while something goes on.
    private static let passing = [
        "Journal/log.new", "Journal/snapshot.new", "Journal/window.new", "Journal/check.new",
        "Journal/view-copy.new", "Journal/view-0.new", "Journal/view-2.new", "Catalog.copy.new",
        "Journal/view-3.new-1.new", "Journal/log-0000000000000002", "Tune", "Catalog.copy",
        "Journal/snapshot-0000000000000003", "NamedBuffers", "Journal/Clean", "Journal/Lock",
    ]

    private func make(closed: Bool) throws {
        var backend: TokyoBackend? = try TokyoBackend(path: path)
        let batch = try #require(backend?.makeBatch())
        try batch.define(.song)
        try batch.define(TableDefinition(number: 3, kind: .ordered, name: "Titles"))
        for row in 2..<9 as Range<RowID> { try batch.put("song \(row)", at: row, in: 2) }
        try Array("key".utf8).withUnsafeBytes { try batch.put($0, for: $0, in: 3) }
        try backend?.commit(batch)
        try backend?.close()
        backend = nil
        if !closed { try files.remove(path + "/Journal/Clean") }
    }

    private var names: [String] {
        get throws {
            let inner = try files.list(path + "/Journal").map { "Journal/" + $0 }
            return try files.list(path).filter { $0 != "Journal" } + inner
        }
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        let file = try files.open(path, for: .reading)
        return try files.readBytes(Int(try files.size(of: file)), from: file, at: 0)
    }

    /// `Journal/Lock` was followed, and what it led to was overwritten.
    @Test(arguments: Target.allCases, [true, false])
    func nothingThatALinkLeadsToIsChanged(_ target: Target, _ closed: Bool) async throws {
        try make(closed: closed)
        let all = Set(try names + Self.passing).sorted()
        for name in all {
            directory.clear()
            try make(closed: closed)
            let place = path + "/" + name
            let isThere = try files.status(of: place) != nil
            if target == .copy, !isThere { continue }
            let content = target == .copy ? try bytes(place) : Array("precious".utf8)
            if target != .nothing {
                try files.write(content, to: files.open(outside, for: .creating), at: 0)
            }
            try files.remove(place)
            #expect(symlink(outside, place) == 0)
            for access in [Access.readWrite, .readOnly] { await use(access) }
            if target == .nothing {
                #expect(try files.status(of: outside) == nil, "\(name)")
            } else {
                #expect(try bytes(outside) == content, "\(name)")
            }
        }
    }

    /// Does all there is to do, as far as it can be done.
    private func use(_ access: Access) async {
        do {
            let backend = try TokyoBackend(path: path, access: access)
            defer { try? backend.close() }
            if access == .readWrite {
                for name in ["Song", "Tune"] {
                    let batch = backend.makeBatch()
                    try batch.define(
                        TableDefinition(number: 2, kind: .record, name: name, classNumber: 1))
                    try batch.put("changed", at: 3, in: 2)
                    do { try backend.commit(batch) } catch { backend.discard(batch) }
                }
                try await backend.compact()
            }
            _ = try await backend.check()
        } catch {
            #expect(error is BackendError)
        }
    }

    /// Its name may be a link: the user has said so.
    @Test func theStoreItselfMayBeReachedByALink() throws {
        try make(closed: true)
        let link = directory.file("link")
        #expect(symlink(path, link) == 0)
        for access in [Access.readWrite, .readOnly] {
            let backend = try TokyoBackend(path: link, access: access)
            #expect(backend.location == link)
            #expect(try backend.text(at: 2, in: 2) == "song 2")
            #expect(throws: BackendError.busy(path: path, holder: "this process")) {
                _ = try TokyoBackend(path: path, access: access)
            }
            try backend.close()
        }
    }

    @Test func theErrorNamesTheLink() throws {
        try make(closed: true)
        let lock = path + "/Journal/Lock"
        try files.remove(lock)
        #expect(symlink(outside, lock) == 0)
        #expect(throws: BackendError.pathTaken(path: lock)) { _ = try TokyoBackend(path: path) }
        #expect(BackendError.pathTaken(path: lock).description.contains("symbolic link"))
        try files.remove(lock)
        try files.rename(path + "/Journal", to: directory.file("Journal"))
        #expect(symlink(directory.file("Journal"), path + "/Journal") == 0)
        #expect(throws: BackendError.pathTaken(path: path + "/Journal")) {
            _ = try TokyoBackend(path: path)
        }
    }
}
