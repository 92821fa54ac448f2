import Cabinet
import CabinetTestSupport
import Foundation
import Testing

@testable import CabinetTestModel

/// Walks of one store while another over the same backend, on the same thread, is saving.
struct WalkBesideSavesTests {
    /// Writes, after enough for the engine to keep what it has, the size of another store's class.
    final class Census: StoredObject {
        var asked: Store?
        var outcome: Result<Int, any Error>?

        override func writeContent(to buffer: DataBuffer) {
            outcome = asked.map { store in Result { try store.objects(of: Song.self).count } }
            buffer.writeInt(0)
        }

        override func readContent(from buffer: DataBuffer) throws { _ = try buffer.readInt() }
    }

    /// About four runs of records, one of which is damaged while the store is open.
    private func fill(_ temporary: TemporaryStore, damaged: Int?) throws -> Store {
        for number in 0..<4000 {
            let title = "song \(number) " + String(repeating: "long ", count: 40)
            temporary.store.insert(Song(title, seconds: UInt32(number)))
        }
        try temporary.store.save()
        let store = try temporary.reopen()
        if let damaged {
            let file = temporary.directory.appendingPathComponent("Song")
            let place = try #require(
                Data(contentsOf: file).range(of: Data("song \(damaged) ".utf8)))
            let handle = try FileHandle(forUpdating: file)
            try handle.seek(toOffset: UInt64(place.lowerBound))
            try handle.write(contentsOf: Data("S".utf8))
            try handle.close()
        }
        return store
    }

    /// The read-ahead thread waited for the save's end, to repair the view, and the save waited for
    /// the thread: were it so again, this test would not end. It has no time limit, as the limit
    /// counts the time for which all other tests keep it from running.
    @Test(arguments: [nil, 1, 2000, 3999])
    func aSaveOfAnotherStoreIsNotWaitedFor(_ damaged: Int?) throws {
        let temporary = try TemporaryStore([Song.self])
        let store = try fill(temporary, damaged: damaged)
        let other = try Store(backend: store.backend, classes: [Blob.self, Census.self])
        let blob = Blob()
        blob.bytes = [UInt8](repeating: 1, count: 3 << 20)
        let census = Census()
        census.asked = store
        other.insert(blob)
        other.insert(census)
        try other.save()
        switch census.outcome {
        case .success(let count): #expect(damaged == nil && count == 4000)
        // The save that keeps the engine from repairing the view gets that error.
        case .failure(let error):
            #expect(damaged != nil && error as? BackendError == .batchInProgress)
        case nil: Issue.record("the census was not written")
        }
        #expect(try store.objects(of: Song.self).count == 4000)
    }
}
