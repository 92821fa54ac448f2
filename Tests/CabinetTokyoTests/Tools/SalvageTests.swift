import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

struct SalvageTests {
    let store = ToolStore()
    var saved: String { store.directory.file("Saved") }

    private func salvage() async throws -> SalvageReport {
        try await TokyoBackend.salvage(from: store.path, into: saved)
    }

    /// Opens what was saved, and finds nothing in it that was not in the store.
    private func open() async throws -> TokyoBackend {
        let backend = try TokyoBackend(path: saved)
        for (row, text) in try backend.rows(in: 2) { #expect(text == "song \(row)") }
        #expect(try await backend.check().isSound)
        #expect(try backend.tables() == [.song, .byTitle])
        #expect(try backend.text(forKey: "layout", in: .catalog) == "kept")
        return backend
    }

    @Test func ofASoundStoreNothingIsLost() async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        let batch = backend.makeBatch()
        try batch.deleteRow(29, in: 2)
        try backend.commit(batch)
        await #expect(throws: BackendError.self) { _ = try await salvage() }
        #expect(!store.isThere(saved))
        try backend.close()
        let report = try await salvage()
        #expect(report.lost == [])
        #expect(report.saves == 12)
        let again = try await open()
        #expect(try again.rows(in: 2).count == 19)
        #expect(again.identity != backend.identity)
        #expect(try again.keys(in: 3).count == 20)
        #expect(try again.text(forKey: "Favorite", in: .namedBuffers) == "song 3")
        #expect(try again.reserveRows(1, in: 2).lowerBound == 30)
    }

    @Test(arguments: [true, false])
    func framesBehindAHoleAreRead(_ hasView: Bool) async throws {
        try store.makeClosed()
        let place = try store.place(of: "song 24", in: store.log)
        try store.flip(store.log, place)
        if !hasView { try store.remove("Song") }
        let report = try await salvage()
        #expect(report.lost.contains { $0.kind == .damagedFrame && $0.path == store.log })
        #expect(report.lost.contains { $0.kind == .lostSaves && $0.saves == 6...6 })
        #expect(report.saves == 10)
        let again = try await open()
        #expect(try again.text(at: 24, in: 2) == (hasView ? "song 24" : nil))
        #expect(try again.rows(in: 2).count == (hasView ? 20 : 19))
        #expect(try again.text(at: 29, in: 2) == "song 29")
        #expect(report.tables.first { $0.definition.number == 2 }?.fromView == (hasView ? 1 : 0))
    }

    @Test func aLastSaveThatIsDamagedIsLost() async throws {
        try store.makeClosed()
        try store.flip(store.log, try store.place(of: "song 29", in: store.log))
        let report = try await salvage()
        #expect(report.lost.map(\.kind) == [.damagedFrame, .lostSaves])
        #expect(try await open().text(at: 29, in: 2) == "song 29")
    }

    @Test func viewsAreReadWhereTheLogIsGone() async throws {
        try store.makeClosed()
        let view = store.path + "/Song"
        try store.flip(view, try store.place(of: "song 22", in: view))
        try store.remove("Journal/log-0000000000000001")
        let report = try await salvage()
        #expect(report.lost.contains { $0.kind == .damagedRecord && $0.path == view })
        #expect(report.lost.contains { $0.kind == .lostSaves && $0.saves == 1...11 })
        let again = try await open()
        #expect(try again.rows(in: 2).count == 19)
        #expect(try again.text(at: 22, in: 2) == nil)
        #expect(try again.keys(in: 3).count == 20)
        #expect(try again.reserveRows(1, in: 2).lowerBound == 30)
    }

    @Test func onlyTheViewsOfTheClassesAreLeft() async throws {
        try store.makeClosed()
        try store.remove("Journal")
        try store.remove("Catalog.copy")
        let report = try await salvage()
        #expect(report.lost.count { $0.kind == .lostDefinition } == 2)
        #expect(report.lost.contains { $0.kind == .missingLog })
        let again = try TokyoBackend(path: saved)
        #expect(try again.rows(in: 2).count == 20)
        #expect(try again.tables() == [.song, .byTitle])
        #expect(try again.reserveRows(1, in: 2).lowerBound == 30)
    }

    /// The flags of a table stand wherever its definition does, so it is left out whatever is left.
    @Test(arguments: [[], ["Journal"], ["Journal", "Catalog.copy"]])
    func derivedTablesAreLeftOut(_ missing: [String]) async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        let derived = TableDefinition(
            number: 4, kind: .ordered, name: "Made", flags: [.derived, TableFlags(rawValue: 0x20)])
        let batch = backend.makeBatch()
        try batch.define(derived)
        try batch.put("made", forKey: "of records", in: 4)
        try backend.commit(batch)
        try await backend.compact()
        #expect(try backend.tables() == [.song, .byTitle, derived])
        try await backend.backup(to: store.directory.file("Copy"))
        let copy = try TokyoBackend(path: store.directory.file("Copy"))
        #expect(try copy.tables() == [.song, .byTitle, derived])
        try copy.close()
        try backend.close()
        let again = try TokyoBackend(path: store.path)
        #expect(try again.tables() == [.song, .byTitle, derived])
        try again.close()
        for name in missing { try store.remove(name) }
        _ = try await salvage()
        let saved = try TokyoBackend(path: saved)
        #expect(try saved.tables() == [.song, .byTitle])
        #expect(try saved.keys(in: 3).count == 20)
        try saved.close()
    }

    /// Classes, layouts and all else that the catalog says stand in its copy, too.
    @Test func beneathAMissingLogNothingIsLostOfAStoreThatWasClosed() async throws {
        try store.makeClosed()
        try store.remove("Journal")
        let report = try await salvage()
        #expect(report.lost.map(\.kind) == [.missingLog, .lostSaves])
        let again = try await open()
        #expect(try again.rows(in: 2).count == 20)
        #expect(try again.keys(in: 3).count == 20)
        #expect(try again.text(forKey: "Favorite", in: .namedBuffers) == "song 3")
        #expect(try again.reserveRows(1, in: 2).lowerBound == 30)
    }

    /// With one such file among them, the views were read as the ancestor's: each value had four
    /// bytes too many.
    @Test func aFileOfAnotherProgramAmongTheViewsChangesNothing() async throws {
        try store.makeClosed()
        let other = try HashFile(
            making: store.path + "/Other", HashSizing(count: 10, bytes: 0), room: 0,
            files: SystemFiles())
        try other.endWriting()
        try store.remove("Journal")
        let report = try await salvage()
        #expect(report.lost.map(\.kind) == [.missingLog, .lostSaves])
        #expect(try await open().rows(in: 2).count == 20)
    }

    @Test func aViewOfAnotherStoreIsNotTakenForThisOnes() async throws {
        try store.makeClosed()
        let other = try TokyoBackend(path: store.directory.file("Other"))
        let batch = other.makeBatch()
        try batch.define(.song)
        try batch.put("foreign", at: 40, in: 2)
        try other.commit(batch)
        try other.close()
        try store.remove("Song")
        try FileManager.default.copyItem(
            atPath: store.directory.file("Other/Song"), toPath: store.path + "/Song")
        // With the log there is nothing that only the view has.
        #expect(try await salvage().lost == [])
        #expect(try await open().rows(in: 2).count == 20)
        try FileManager.default.removeItem(atPath: saved)
        try store.remove("Journal")
        let report = try await salvage()
        let path = store.path + "/Song"
        #expect(report.lost.contains { $0.kind == .damagedView && $0.path == path })
        #expect(try await open().rows(in: 2).isEmpty)
    }

    @Test(arguments: ["Song", "NamedBuffers", "Journal/Catalog"])
    func aViewThatIsAFolderOrGoneIsMadeFromTheLog(_ name: String) async throws {
        try store.makeClosed()
        try store.remove(name)
        try FileManager.default.createDirectory(
            atPath: store.path + "/" + name, withIntermediateDirectories: false)
        #expect(try await salvage().lost == [])
        #expect(try await open().rows(in: 2).count == 20)
    }

    /// A store whose first save failed has a log, and nothing in it.
    @Test func ofAStoreWithoutSavesAnEmptyOneIsMade() async throws {
        let files = FaultyFiles()
        let backend = try TokyoBackend(path: store.path, files: files)
        files.replacePlan { _, operation, path in
            operation == .write && path.contains("/log-") ? .error(EIO) : nil
        }
        #expect(throws: BackendError.self) { try store.fill(backend) }
        files.replacePlan(nil)
        try backend.close()
        let report = try await salvage()
        #expect(report.lost == [] && report.saves == 0)
        let again = try TokyoBackend(path: saved)
        #expect(try again.tables().isEmpty)
        #expect(try await again.check().isSound)
    }

    @Test(arguments: [0, 36, 60, 100, -20])
    func blocksOfADamagedSnapshotAreRead(_ offset: Int) async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        try await backend.compact()
        _ = try backend.put("song 30", at: 30, in: 2)
        try backend.close()
        let snapshot = store.path + "/Journal/snapshot-000000000000000b"
        let size = FileManager.default.contents(atPath: snapshot)?.count ?? 0
        try store.flip(snapshot, offset < 0 ? size + offset : offset)
        let report = try await salvage()
        #expect(report.lost.contains { $0.kind == .damagedSnapshot && $0.path == snapshot })
        let again = try await open()
        #expect(try again.rows(in: 2).count == 21)
        #expect(try again.text(forKey: "Favorite", in: .namedBuffers) == "song 3")
    }

    @Test func noFlippedByteOfTheLogTakesMoreThanItsSave() async throws {
        try store.makeClosed()
        for name in ["Song"] + runNames(in: store.path) { try store.remove(name) }
        let size = FileManager.default.contents(atPath: store.log)?.count ?? 0
        for offset in stride(from: 0, to: size, by: 97) {
            try store.flip(store.log, offset)
            let report = try await salvage()
            #expect(report.saves >= 10)
            let again = try TokyoBackend(path: saved)
            let rows = try again.rows(in: 2)
            #expect(rows.count >= (report.saves == 11 ? 20 : 10), "at \(offset)")
            for (row, text) in rows { #expect(text == "song \(row)") }
            try again.close()
            try FileManager.default.removeItem(atPath: saved)
            try store.flip(store.log, offset)
        }
    }

    @Test func aDirectoryWithoutAStoreIsNone() async throws {
        try FileManager.default.createDirectory(
            atPath: store.path, withIntermediateDirectories: true)
        await #expect(throws: BackendError.noStore(path: store.path)) { _ = try await salvage() }
        #expect(!store.isThere(saved))
    }
}
