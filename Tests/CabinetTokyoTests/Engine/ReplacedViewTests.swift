import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Other programs replace, remove and change view files while the store is open: what was saved is
/// there, and the file is rebuilt and reported.
struct ReplacedViewTests {
    enum Change: CaseIterable {
        /// `mv Song x; cp x Song`: what is written to the old file then, the copy does not get.
        case copied
        /// A copy from before is put in its place.
        case restored
        /// A copy from before is written into the file itself.
        case overwritten
        case renamed
        case removed
        /// Something else has its name.
        case foreign
    }

    enum Moment: CaseIterable {
        /// The view was only read since the store was opened, and is saved to afterwards.
        case beforeSaving
        /// Between two saves.
        case betweenSaves
        /// After the last save, before the store is closed.
        case beforeClosing
    }

    static let views = ["Song", "NamedBuffers", "Journal/Catalog"]

    let store = ToolStore()
    private let messages = Messages()

    private func open() throws -> TokyoBackend {
        let messages = messages
        return try TokyoBackend(
            path: store.path, log: LogSink { if $0 >= .warning { messages.add($1) } })
    }

    private func save(_ row: RowID, _ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        try store.put(row, batch)
        try batch.put("song \(row)", forKey: "Favorite", in: .namedBuffers)
        try batch.put("kept \(row)", forKey: "layout", in: .catalog)
        try backend.commit(batch)
    }

    private func check(_ backend: TokyoBackend, last: RowID) throws {
        let rows = Array(2..<12) + Array(20..<30) + Array(30...last)
        #expect(
            try backend.rows(in: 2)
                == Dictionary(
                    uniqueKeysWithValues: rows.map { ($0, "song \($0)") }))
        #expect(try backend.keys(in: 3) == rows.map { "title \($0)" }.sorted())
        #expect(try backend.text(forKey: "Favorite", in: .namedBuffers) == "song \(last)")
        #expect(try backend.text(forKey: "layout", in: .catalog) == "kept \(last)")
    }

    private func change(_ name: String, _ change: Change) throws {
        let path = store.path + "/" + name
        let old = store.directory.file("old")
        let aside = store.directory.file("aside")
        let manager = FileManager.default
        switch change {
        case .copied:
            try manager.moveItem(atPath: path, toPath: aside)
            try manager.copyItem(atPath: aside, toPath: path)
        case .restored:
            try manager.moveItem(atPath: path, toPath: aside)
            try manager.copyItem(atPath: old, toPath: path)
        case .overwritten:
            // Nothing is cut on the way: reading a map behind the file's end kills the process.
            let bytes = try #require(manager.contents(atPath: old))
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            try handle.write(contentsOf: bytes)
            try handle.close()
        case .renamed: try manager.moveItem(atPath: path, toPath: aside)
        case .removed: try manager.removeItem(atPath: path)
        case .foreign:
            try manager.removeItem(atPath: path)
            try Data("something else".utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    @Test(arguments: views, Change.allCases)
    func whatWasSavedIsThere(_ view: String, _ change: Change) async throws {
        for moment in Moment.allCases {
            try await run(view, change, moment)
            try FileManager.default.removeItem(atPath: store.path)
            for name in ["old", "aside"] {
                try? FileManager.default.removeItem(atPath: store.directory.file(name))
            }
            messages.clear()
        }
    }

    private func run(_ view: String, _ change: Change, _ moment: Moment) async throws {
        try store.makeClosed()
        try FileManager.default.copyItem(
            atPath: store.path + "/" + view, toPath: store.directory.file("old"))
        var backend = try open()
        try save(30, backend)
        try backend.close()
        backend = try open()
        #expect(messages.all == [], "\(moment)")
        var last: RowID = 30
        if moment != .beforeSaving {
            try save(31, backend)
            last = 31
        }
        try check(backend, last: last)
        try self.change(view, change)
        let found = try await backend.check()
        #expect(
            change == .overwritten
                || found.findings.contains {
                    $0.kind == .damagedView && $0.path.hasSuffix("/" + view)
                }, "\(moment): \(found.findings)")
        if moment != .beforeClosing {
            last = last.next
            try save(last, backend)
            try check(backend, last: last)
        }
        try backend.close()
        #expect(messages.all.contains { $0.contains("/" + view) }, "\(moment): \(messages.all)")
        messages.clear()
        let again = try open()
        #expect(messages.all == [], "\(moment)")
        try check(again, last: last)
        let report = try await again.check()
        #expect(report.findings == [], "\(moment)")
        try again.close()
        let saved = store.directory.file("saved")
        let salvaged = try await TokyoBackend.salvage(from: store.path, into: saved)
        #expect(salvaged.isComplete, "\(moment): \(salvaged.lost)")
        let copy = try TokyoBackend(path: saved)
        try check(copy, last: last)
        try copy.close()
        try FileManager.default.removeItem(atPath: saved)
    }

    /// A store that is killed afterwards finds a copy that is behind the log.
    @Test(arguments: views)
    func aCopyIsBroughtUpToDateAfterAKill(_ view: String) throws {
        try store.makeClosed()
        let backend = try open()
        try save(30, backend)
        try change(view, .copied)
        try save(31, backend)
        let killed = store.directory.file("killed")
        try FileManager.default.copyItem(atPath: store.path, toPath: killed)
        try backend.close()
        let again = try TokyoBackend(path: killed)
        try check(again, last: 31)
    }

    /// If the view cannot be rebuilt, reads go on using the file that is open.
    @Test func aReplacedViewIsReadWhileItCannotBeMadeAnew() throws {
        try store.makeClosed()
        let files = FaultyFiles()
        let backend = try TokyoBackend(path: store.path, files: files)
        try save(30, backend)
        try backend.close()
        let other = try TokyoBackend(path: store.path, files: files)
        try change("Song", .removed)
        files.replacePlan { _, operation, path in
            operation == .openView && path.contains(".new") ? .error(EMFILE) : nil
        }
        #expect(throws: BackendError.self) { try save(31, other) }
        try check(other, last: 30)
        files.replacePlan(nil)
        try save(31, other)
        try check(other, last: 31)
        try other.close()
        let again = try open()
        try check(again, last: 31)
    }
}
