import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

struct TokyoBackendTests {
    let directory = ScratchDirectory(inMemory: false)
    var path: String { directory.file("Music") }

    private func open(
        _ durability: Durability = .full, _ access: Access = .readWrite
    ) throws -> TokyoBackend {
        try TokyoBackend(path: path, durability: durability, access: access)
    }

    private func fill(_ backend: TokyoBackend, songs: UInt32 = 100) throws {
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.define(.byTitle)
        for row in 2..<RowID(2 + songs) {
            try batch.put("song \(row)", at: row, in: 2)
            try batch.put("\(row)", forKey: "title \(row)", in: 3)
        }
        try batch.put("top", forKey: "Favorite", in: .namedBuffers)
        try backend.commit(batch)
    }

    private func check(_ backend: TokyoBackend, songs: UInt32 = 100) throws {
        #expect(try backend.tables() == [.song, .byTitle])
        #expect(try backend.count(of: 2) == Int(songs))
        let rows = try backend.rows(in: 2)
        #expect(
            rows
                == Dictionary(
                    uniqueKeysWithValues: (2..<RowID(2 + songs)).map { ($0, "song \($0)") }))
        #expect(try backend.text(at: 7, in: 2) == "song 7")
        #expect(try backend.text(at: RowID(2 + songs), in: 2) == nil)
        #expect(try backend.text(forKey: "title 9", in: 3) == "9")
        #expect(try backend.text(forKey: "Favorite", in: .namedBuffers) == "top")
        let titles = (2..<RowID(2 + songs)).map { "title \($0)" }.sorted()
        #expect(try backend.keys(in: 3) == titles)
        #expect(try backend.keys(in: 3, descending: true) == titles.reversed())
        guard backend.access == .readWrite else { return }
        #expect(try backend.reserveRows(1, in: 2).lowerBound == RowID(2 + songs))
        #expect(try backend.reserveTable() == 4)
    }

    @Test(arguments: [Durability.full, .process])
    func whatWasSavedIsThereBeforeAndAfterClosing(_ durability: Durability) throws {
        let backend = try open(durability)
        try fill(backend)
        try check(backend)
        try backend.close()
        let again = try open(durability)
        try check(again)
        try again.close()
        let reader = try open(.full, .readOnly)
        try check(reader)
        #expect(throws: BackendError.readOnly(path: path)) {
            let batch = reader.makeBatch()
            try batch.put("x", at: 2, in: 2)
            try reader.commit(batch)
        }
    }

    @Test func aStoreInUseIsBusy() throws {
        let backend = try open()
        #expect(throws: BackendError.self) { _ = try open() }
        try backend.close()
        _ = try open()
    }

    @Test func updatesAndDeletionsReachEveryTable() throws {
        let backend = try open()
        try fill(backend)
        let batch = backend.makeBatch()
        try batch.put(String(repeating: "long ", count: 300), at: 7, in: 2)
        try batch.deleteRow(8, in: 2)
        try batch.delete(key: "title 8", in: 3)
        try batch.delete(key: "Favorite", in: .namedBuffers)
        try backend.commit(batch)
        for _ in 0..<2 {
            let backend = backend
            #expect(try backend.text(at: 7, in: 2)?.count == 1500)
            #expect(try backend.text(at: 8, in: 2) == nil)
            #expect(try backend.count(of: 2) == 99)
            #expect(try backend.text(forKey: "title 8", in: 3) == nil)
            #expect(try backend.keys(in: .namedBuffers).isEmpty)
        }
        try backend.close()
        let again = try open()
        #expect(try again.text(at: 7, in: 2)?.count == 1500)
        #expect(try again.count(of: 2) == 99)
        #expect(try again.rows(in: 2).count == 99)
        #expect(try again.count(of: 3) == 99)
    }

    @Test func aStoreThatWasNotClosedIsRecovered() throws {
        var backend: TokyoBackend? = try open()
        if let backend { try fill(backend) }
        let copy = directory.file("Copy")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try backend?.close()
        backend = nil
        let other = try TokyoBackend(path: copy)
        try check(other)
        try other.close()
        try check(try TokyoBackend(path: copy))
    }

    @Test func viewsThatAreGoneAreMadeAnew() throws {
        let backend = try open()
        try fill(backend)
        try backend.close()
        for name in ["Song", "NamedBuffers", "Journal/Catalog"] + runNames(in: path) {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        let reader = try open(.full, .readOnly)
        try check(reader)
        try reader.close()
        let again = try open()
        try check(again)
        try again.close()
        try check(try open())
    }

    @Test func chunksOfALargeBatchGoToTheLogEarly() throws {
        let backend = try open()
        let text = String(repeating: "x", count: 10_000)
        let batch = backend.makeBatch()
        try batch.define(.song)
        for row in 2..<5002 as Range<RowID> { try batch.put(text + "\(row)", at: row, in: 2) }
        #expect(batch.stagedChunks > 1)
        let other = backend.makeBatch()
        try other.put("x", forKey: "x", in: .namedBuffers)
        #expect(throws: BackendError.batchInProgress) { try backend.commit(other) }
        try backend.commit(batch)
        #expect(try backend.count(of: 2) == 5000)
        #expect(try backend.text(at: 4000, in: 2) == text + "4000")
        let copy = directory.file("Copy")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let recovered = try TokyoBackend(path: copy)
        #expect(try recovered.count(of: 2) == 5000)
        #expect(try recovered.text(at: 5001, in: 2) == text + "5001")
    }

    @Test func aDiscardedBatchLeavesNothing() throws {
        let backend = try open()
        try fill(backend)
        let batch = backend.makeBatch()
        let text = String(repeating: "x", count: 10_000)
        for row in 200..<4200 as Range<RowID> { try batch.put(text, at: row, in: 2) }
        #expect(batch.stagedChunks > 1)
        backend.discard(batch)
        try check(backend)
        try backend.close()
        try check(try open())
    }
}
