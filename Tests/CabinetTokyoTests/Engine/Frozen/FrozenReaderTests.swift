import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Frozen readers through what an engine of files does beside commits.
struct FrozenReaderTests {
    let directory = ScratchDirectory()
    private var path: String { directory.file("store") }

    private func text(_ row: RowID) -> String { "song number \(row)." }

    /// A store of the rows 2 to 500, with a key for each.
    private func make(_ snapshots: SnapshotLimits = SnapshotLimits()) throws -> TokyoBackend {
        let backend = try TokyoBackend(
            path: path, durability: .process, snapshots: snapshots)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.define(.byTitle)
        for row in 2...500 as ClosedRange<RowID> {
            try batch.put(text(row), at: row, in: 2)
            try batch.put("", forKey: text(row), in: 3)
        }
        try backend.commit(batch)
        return backend
    }

    /// Replaces one byte of a row's value where its view has it.
    private func damage(_ row: RowID, in view: String = "Song") throws {
        let file = path + "/" + view
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let found = try #require(bytes.range(of: Data(text(row).utf8)))
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        try handle.seek(toOffset: UInt64(found.lowerBound + 3))
        try handle.write(contentsOf: Data("X".utf8))
        try handle.close()
    }

    private func expectFirst(_ reader: any BackendReader) throws {
        let rows = try reader.rows(in: 2)
        #expect(rows.count == 499 && rows.allSatisfy { $0.value == text($0.key) })
        let keys = try reader.keys(in: 3)
        #expect(keys == (2...500 as ClosedRange<RowID>).map(text).sorted())
        #expect(try reader.count(of: 2) == 499 && reader.count(of: 3) == 499)
    }

    @Test(arguments: [false, true]) func whatIsReplacedInADamagedViewIsKeptAsItWas(
        isLarge: Bool
    ) throws {
        let backend = try make()
        let reader = try backend.snapshot()
        try damage(77)
        let batch = backend.makeBatch()
        try batch.put("new", at: 77, in: 2)
        // A delete takes the way of larger commits.
        if isLarge { try batch.deleteRow(78, in: 2) }
        try backend.commit(batch)
        try expectFirst(reader)
        #expect(try backend.text(at: 77, in: 2) == "new")
        #expect(try backend.text(at: 78, in: 2) == (isLarge ? nil : text(78)))
        #expect(try reader.text(at: 77, in: 2) == text(77))
        try backend.close()
    }

    @Test func aDamagedViewIsRebuiltAndFrozenReadersShowWhatTheyDid() throws {
        let backend = try make()
        let reader = try backend.snapshot()
        _ = try backend.put("new", at: 5, in: 2)
        try damage(77)
        #expect(try reader.text(at: 77, in: 2) == text(77))
        try damage(99)
        try expectFirst(reader)
        #expect(try backend.text(at: 5, in: 2) == "new")
        try backend.close()
    }

    @Test func aViewThatAnotherProgramReplacedIsRebuiltBeforeItIsNoted() throws {
        let backend = try make()
        try backend.close()
        let again = try TokyoBackend(path: path, durability: .process)
        let reader = try again.snapshot()
        let other = try Data(contentsOf: URL(fileURLWithPath: path + "/Song"))
        try FileManager.default.removeItem(atPath: path + "/Song")
        try other.dropLast(64).write(to: URL(fileURLWithPath: path + "/Song"))
        _ = try again.put("new", at: 9, in: 2)
        try expectFirst(reader)
        try again.close()
    }

    @Test func compactionAndMergesLeaveFrozenReadersAlone() throws {
        let backend = try make()
        let reader = try backend.snapshot()
        for round in 0..<5 {
            let batch = backend.makeBatch()
            for row in 2...500 as ClosedRange<RowID> where row.index % 5 == round {
                try batch.put("round \(round)", at: row, in: 2)
                try batch.delete(key: text(row), in: 3)
                try batch.put("", forKey: "round \(round) \(row)", in: 3)
            }
            try backend.commit(batch)
            if round % 2 == 0 {
                try backend.compact()
            } else {
                backend.settle(3, evenIfSmall: true)
            }
            try expectFirst(reader)
        }
        #expect(try backend.keys(in: 3).allSatisfy { $0.hasPrefix("round") })
        try backend.close()
        #expect(throws: BackendError.closed) { try reader.count(of: 2) }
    }

    @Test func beyondTheLimitTheOldestReaderIsGivenUp() throws {
        let backend = try make(SnapshotLimits(memory: 100_000, total: 1_000_000))
        let reader = try backend.snapshot()
        let number = try reader.lastCommit()
        let long = String(repeating: "long", count: 2000)
        for row in 2...300 as ClosedRange<RowID> { _ = try backend.put(long, at: row, in: 2) }
        try expectFirst(reader)
        let second = try backend.snapshot(label: "second")
        for row in 2...300 as ClosedRange<RowID> { _ = try backend.put("short", at: row, in: 2) }
        #expect(throws: BackendError.snapshotTooOld(number)) { try reader.count(of: 2) }
        #expect(throws: BackendError.snapshotTooOld(number)) { try reader.records(in: 2) }
        #expect(throws: BackendError.self) { try second.lastCommit() }
        #expect(backend.openSnapshots == [])
        let batch = backend.makeBatch()
        batch.basis = number
        try batch.put("based", at: 2, in: 2)
        let last = try backend.lastCommit()
        #expect(throws: BackendError.changesGone(oldest: last)) { try backend.commit(batch) }
        let third = try backend.snapshot()
        #expect(try third.text(at: 300, in: 2) == "short")
        try backend.close()
        #expect(try SystemFiles().list(path + "/Journal").allSatisfy { !$0.contains("window") })
    }

    @Test func aReaderOfADirectoryOf2010ShowsItAfterItWasAdopted() throws {
        let place = ScratchDirectory(inMemory: false)
        try LegacyFixture.copy(to: place.file("Legacy"))
        let backend = try TokyoBackend(path: place.file("Legacy"), durability: .process)
        let reader = try backend.snapshot()
        let tables = try reader.tables()
        let record = try #require(tables.first { $0.kind == .record })
        let rows = try reader.rows(in: record.number)
        let first = try #require(rows.keys.min())
        let batch = backend.makeBatch()
        try batch.put("new", at: first, in: record.number)
        try batch.put("more", at: 60_000, in: record.number)
        try backend.commit(batch)
        #expect(try reader.tables() == tables && reader.lastCommit() == 0)
        #expect(try reader.rows(in: record.number) == rows)
        #expect(try reader.keys(in: .catalog) == [] && reader.count(of: .catalog) == 0)
        #expect(try backend.text(at: first, in: record.number) == "new")
        try backend.close()
    }
}
