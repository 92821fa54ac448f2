import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Other programs replace, remove and change the files of runs: what was saved is there, and what
/// is wrong is made anew and reported.
struct ReplacedRunTests {
    let store = ToolStore()
    private let messages = Messages()

    private func open() throws -> TokyoBackend {
        let messages = messages
        return try TokyoBackend(
            path: store.path, log: LogSink { if $0 >= .warning { messages.add($1) } })
    }

    private func expectAll(_ backend: TokyoBackend, _ rows: [RowID]) throws {
        #expect(try backend.keys(in: 3) == rows.map { "title \($0)" }.sorted())
        #expect(try backend.count(of: 3) == rows.count)
    }

    private func save(_ row: RowID, _ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        try store.put(row, batch)
        try backend.commit(batch)
    }

    private let first = Array(RowID(2)..<12) + Array(RowID(20)..<30)

    @Test(arguments: ["removed", "renamed", "copied", "foreign"])
    func aRunThatIsGoneWhileItIsInUseIsMadeAnew(_ change: String) async throws {
        try store.makeClosed()
        let backend = try open()
        try expectAll(backend, first)
        let name = try #require(runNames(in: store.path).first)
        let path = store.path + "/" + name
        let aside = store.directory.file("aside")
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        switch change {
        case "removed": try FileManager.default.removeItem(atPath: aside)
        case "copied": try FileManager.default.copyItem(atPath: aside, toPath: path)
        case "foreign": try Data("something else".utf8).write(to: URL(fileURLWithPath: path))
        default: break
        }
        try expectAll(backend, first)
        #expect(try await backend.check().findings.contains { $0.kind == .damagedView })
        try save(30, backend)
        try backend.close()
        #expect(messages.all.contains { $0.contains("Song.1.3") }, "\(messages.all)")
        messages.clear()
        let again = try open()
        #expect(messages.all == [])
        try expectAll(again, first + [30])
        #expect(try await again.check().isSound)
        try again.close()
    }

    @Test func aRunThatIsGoneBetweenTwoUsesIsMadeAnew() throws {
        try store.makeClosed()
        for name in runNames(in: store.path) { try store.remove(name) }
        let reader = try TokyoBackend(path: store.path, access: .readOnly)
        try expectAll(reader, first)
        try reader.close()
        #expect(runNames(in: store.path) == [])
        let backend = try open()
        try expectAll(backend, first)
        try backend.close()
        #expect(runNames(in: store.path).count == 1)
    }

    /// Of the same name, table and commits, whole, and of another store.
    @Test func aRunOfAnotherStoreIsNoticed() throws {
        try store.makeClosed()
        let name = try #require(runNames(in: store.path).first)
        let other = ToolStore()
        let stranger = try TokyoBackend(path: other.path)
        for commit in 1...11 {
            let batch = stranger.makeBatch()
            if commit == 1 {
                try batch.define(.song)
                try batch.define(.byTitle)
            }
            try batch.put("", forKey: "other \(commit)", in: 3)
            try stranger.commit(batch)
        }
        try stranger.close()
        #expect(runNames(in: other.path) == [name])
        let foreign = try #require(FileManager.default.contents(atPath: other.path + "/" + name))
        try foreign.write(to: URL(fileURLWithPath: store.path + "/" + name))

        let reader = try TokyoBackend(path: store.path, access: .readOnly)
        try expectAll(reader, first)
        try reader.close()
        #expect(FileManager.default.contents(atPath: store.path + "/" + name) == foreign)
        let backend = try open()
        #expect(messages.all.contains { $0.contains("Song.1") }, "\(messages.all)")
        try expectAll(backend, first)
        try save(30, backend)
        try backend.close()
        messages.clear()
        let again = try open()
        #expect(messages.all == [])
        try expectAll(again, first + [30])
        try again.close()
    }

    /// Each byte of a run: the right keys, and a report where the run is not believed.
    @Test func noFlippedByteOfARunLosesAKey() throws {
        try store.makeClosed()
        let name = try #require(runNames(in: store.path).first)
        let whole = try #require(FileManager.default.contents(atPath: store.path + "/" + name))
        for offset in stride(from: 0, to: whole.count, by: RunSetting.share * 3) {
            var bytes = whole
            bytes[offset] ^= 0x55
            try bytes.write(to: URL(fileURLWithPath: store.path + "/" + name))
            let backend = try open()
            try expectAll(backend, first)
            try backend.close()
            #expect(
                FileManager.default.contents(atPath: store.path + "/" + name) != bytes,
                "byte \(offset) was left as it was")
        }
        #expect(!messages.all.isEmpty)
    }

    /// The keys of a large save are sorted beside the log, and are a run before it gets its name.
    @Test(arguments: [false, true])
    func aLargeSaveBecomesARunOfItsOwn(_ isSettled: Bool) throws {
        try store.makeClosed()
        let backend = try open()
        let batch = backend.makeBatch()
        for number in 0..<60_000 {
            try batch.put("", forKey: "many \(number * 7919 % 60_000)", in: 3)
        }
        #expect(batch.stagedChunks > 0)
        try backend.commit(batch)
        #expect(try backend.count(of: 3) == 60_020)
        if isSettled {
            backend.settle(3)
            #expect(runNames(in: store.path).count == 2)
        }
        try backend.close()
        #expect(runNames(in: store.path).count == 2)
        let again = try open()
        #expect(try again.count(of: 3) == 60_020)
        #expect(try again.keys(in: 3, range: KeyRange(prefix: Array("many".utf8))).count == 60_000)
        try again.close()
        #expect(messages.all == [])
    }

    /// A merge that was interrupted leaves its inputs beside its output.
    @Test func runsThatAMergeHasReplacedAreRemovedAtTheNextOpening() throws {
        try store.makeClosed()
        let old = try #require(runNames(in: store.path).first)
        let backend = try open()
        for row in 30..<42 as Range<RowID> {
            try save(row, backend)
            backend.settle(3, evenIfSmall: true)
            if row == 30 {
                try FileManager.default.copyItem(
                    atPath: store.path + "/" + old, toPath: store.directory.file("old"))
            }
        }
        #expect(!runNames(in: store.path).contains(old))
        try backend.close()
        try FileManager.default.copyItem(
            atPath: store.directory.file("old"), toPath: store.path + "/" + old)
        let again = try open()
        try expectAll(again, first + Array(30..<42))
        try again.close()
        #expect(!runNames(in: store.path).contains(old))
    }
}
