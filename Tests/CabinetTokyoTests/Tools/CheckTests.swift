import CTokyoCabinet
import CabinetBackend
import Foundation
import Testing

@testable import CabinetTokyo

struct CheckTests {
    let store = ToolStore()

    /// Puts bytes into a view behind the engine's back.
    private func meddle(
        _ backend: TokyoBackend, _ body: (UnsafeMutablePointer<TCHDB>) -> Void
    ) throws {
        let file = try #require(try backend.table(2)?.hash())
        body(try #require(file.writer))
        file.noteGrowth()
    }

    private func stored(_ key: String, _ value: String) -> [UInt8] {
        let sum = Array((key + value).utf8).withUnsafeBytes { $0.checksum() }
        return Array(value.utf8) + withUnsafeBytes(of: sum.littleEndian, Array.init)
    }

    @Test(arguments: [false, true])
    func aSoundStoreHasNoFindings(_ compacted: Bool) async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        if compacted { try await backend.compact() }
        let progress = Progress(totalUnitCount: 0)
        let report = try await backend.check(progress: progress)
        #expect(report.findings == [])
        #expect(report.saves == (compacted ? 0 : 11))
        #expect(report.lastSave == 11)
        #expect(report.records >= 41)
        #expect(progress.completedUnitCount == progress.totalUnitCount)
        #expect(!store.isThere(store.path + "/Journal/check.new"))
    }

    @Test func aStoreThatIsOnlyReadIsCheckedAndNotChanged() async throws {
        try store.makeClosed()
        let before = try FileManager.default.subpathsOfDirectory(atPath: store.path)
        let backend = try TokyoBackend(path: store.path, access: .readOnly)
        #expect(try await backend.check().isSound)
        try backend.close()
        #expect(try FileManager.default.subpathsOfDirectory(atPath: store.path) == before)
    }

    @Test func aBadRecordIsFoundAndMadeAnew() async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        let view = store.path + "/Song"
        try store.flip(view, try store.place(of: "song 7", in: view))
        let report = try await backend.check()
        #expect(report.findings.map(\.kind) == [.damagedRecord])
        #expect(report.findings.first?.row == 7)
        #expect(report.findings.first?.path == view)
        try backend.rebuildViews(of: [2])
        #expect(try await backend.check().isSound)
    }

    @Test func aViewThatSaysSomethingElseIsFound() async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        let (other, extra) = (stored("8", "other"), stored("99", "extra"))
        try meddle(backend) { file in
            _ = tchdbout(file, "5", 1)
            _ = tchdbput(file, "8", 1, other, Int32(other.count))
            _ = tchdbput(file, "99", 2, extra, Int32(extra.count))
            _ = tchdbput(file, "98", 2, extra, Int32(extra.count))
        }
        let findings = try await backend.check().findings
        #expect(findings.contains { $0.kind == .missingRecord && $0.row == 5 })
        #expect(findings.contains { $0.kind == .differentRecord && $0.row == 8 })
        #expect(findings.contains { $0.kind == .damagedRecord && $0.row == 98 })
        #expect(findings.contains { $0.kind == .wrongCount && $0.table == 2 })
        #expect(findings.count == 4)
    }

    @Test func aBadFrameIsFound() async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        try store.flip(store.log, try store.place(of: "song 24", in: store.log))
        let report = try await backend.check()
        #expect(report.findings.map(\.kind) == [.damagedFrame])
        #expect(report.findings.first?.path == store.log)
    }

    @Test func aBadBlockOfTheSnapshotIsFound() async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        try await backend.compact()
        try store.flip(store.path + "/Journal/snapshot-000000000000000b", 100)
        #expect(try await backend.check().findings.map(\.kind) == [.damagedSnapshot])
    }

    @Test func aCounterBehindItsRowsIsFound() async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        backend.counters.withLock { $0.nextRows[2] = 29 }
        let findings = try await backend.check().findings
        #expect(findings.map(\.kind) == [.counterBehind])
        #expect(findings.first?.row == 29)
    }

    @Test func savesMadeMeanwhileAreNoFindings() async throws {
        let backend = try TokyoBackend(path: store.path, durability: .process)
        try store.fill(backend)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<300 as Range<UInt32> {
                    let batch = backend.makeBatch()
                    try batch.put("again \(round)", at: RowID(2 + round % 40), in: 2)
                    try batch.deleteRow(RowID(2 + (round + 7) % 40), in: 2)
                    try backend.commit(batch)
                }
            }
            group.addTask {
                for _ in 0..<5 {
                    let findings = try await backend.check().findings
                    #expect(findings == [])
                }
            }
            group.addTask { for _ in 0..<2 { try await backend.compact() } }
            try await group.waitForAll()
        }
        #expect(try await backend.check().isSound)
    }

    @Test func aCancelledToolLeavesTheStoreAsItWas() async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()
        await #expect(throws: CancellationError.self) {
            _ = try await backend.check(progress: progress)
        }
        await #expect(throws: CancellationError.self) {
            try await backend.compact(progress: progress)
        }
        let copy = store.directory.file("Copy")
        await #expect(throws: CancellationError.self) {
            try await backend.backup(to: copy, progress: progress)
        }
        #expect(!store.isThere(copy))
        #expect(try backend.count(of: 2) == 20)
        #expect(try await backend.check().isSound)
    }

    @Test func theStorageReportTellsLiveFromDead() async throws {
        let backend = try TokyoBackend(path: store.path)
        try store.fill(backend)
        let full = try await backend.storageReport()
        let batch = backend.makeBatch()
        for row in 2..<12 as Range<RowID> { try batch.deleteRow(row, in: 2) }
        try backend.commit(batch)
        let report = try await backend.storageReport()
        let (before, after) = (full.tables[2], report.tables[2])
        #expect(
            report.tables.map(\.definition.name) == ["Catalog", "NamedBuffers", "Song", "Song.1"])
        #expect(before.count == 20 && after.count == 10)
        #expect(after.liveBytes < before.liveBytes)
        #expect(after.deadBytes > before.deadBytes)
        #expect(report.lastSave == 12 && report.segments == 1 && report.snapshotBytes == 0)
        #expect(report.logBytes > 0)
        try await backend.compact()
        #expect(try await backend.storageReport().snapshotSave == 12)
    }
}
