import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A commit of many chunks comes out of the feed piece by piece.
struct LargeCommitFeedTests: ChangesScene {
    let directory = ScratchDirectory(inMemory: true)

    private static let rows: Range<RowID> = 2..<102

    /// 10 MB, and small commits around it.
    private func startLarge(_ files: any FileLayer = SystemFiles()) throws -> TokyoBackend {
        let backend = try start(files)
        let batch = backend.makeBatch()
        for row in Self.rows {
            try batch.put(String(repeating: "x", count: 100_000), at: row, in: 2)
        }
        try Array("import".utf8).withUnsafeBytes { try batch.note(7, $0) }
        try backend.commit(batch)
        try save(200...201, backend)
        return backend
    }

    @Test func isReadAgainEachTimeAndNeverHeldWhole() throws {
        let backend = try startLarge()
        let cursor = try backend.changes(after: 1)
        let large = try #require(try cursor.next())
        #expect(large.number == 2 && large.operations == nil && large.size > 10_000_000)
        #expect(try cursor.next()?.operations != nil)
        #expect(try cursor.next()?.number == 4)
        // The segment is gone, but its file is held.
        try backend.compact()
        for _ in 0..<2 {
            #expect(try large.rows(of: 2) == Array(Self.rows))
            #expect(try large.notes == [.init(tag: 7, bytes: Array("import".utf8))])
            var bytes = 0
            var longest = 0
            try large.forEachOperation { operation in
                guard case .putRow(2, _, let stored) = operation else { return }
                bytes += stored.count
                longest = max(longest, stored.count)
            }
            #expect(bytes == Self.rows.count * 100_004 && longest == 100_004)
        }
        try backend.close()
        #expect(try large.rows(of: 2).count == Self.rows.count)
    }

    @Test func throwsWhatReadingThrowsAndIsReadAfterwards() throws {
        let files = FaultyFiles()
        let backend = try startLarge(files)
        let large = try #require(try backend.changes(after: 1).next())
        let reads = Guarded(0)
        files.replacePlan { _, operation, path in
            guard operation == .read, path.contains("/log-") else { return nil }
            return reads.withLock { reads in
                reads += 1
                return reads == 5 ? .error(EIO) : nil
            }
        }
        #expect(throws: BackendError.self) { try large.rows(of: 2) }
        #expect(reads.withLock { $0 } == 5)
        #expect(try large.rows(of: 2) == Array(Self.rows))
        struct Stop: Error {}
        files.replacePlan(nil)
        var count = 0
        #expect(throws: BackendError.closed) {
            try large.forEachOperation { _ throws(BackendError) in
                count += 1
                if count == 3 { throw .closed }
            }
        }
        #expect(count == 3)
        try backend.close()
    }

    /// What reads the feed takes new commits from memory: not from the directory, and not behind a batch
    /// that is half written.
    @Test(arguments: [true, false])
    func smallCommitsComeFromMemoryWhileTheFeedIsRead(_ isSubscribed: Bool) throws {
        let files = FaultyFiles()
        let backend = try start(files)
        try save(2...3, backend)
        let subscription = isSubscribed ? backend.onCommit { _ in } : nil
        let reader = isSubscribed ? nil : try backend.changes(after: 1)
        try save(4...5, backend)
        let batch = backend.makeBatch()
        while batch.stagedChunks == 0 {
            try batch.put(String(repeating: "x", count: 100_000), at: 300, in: 2)
        }
        let lists = Guarded(0)
        files.replacePlan { _, operation, _ in
            if operation == .list || operation == .read { lists.withLock { $0 += 1 } }
            return nil
        }
        let cursor = try backend.changes(after: 3)
        #expect(try cursor.next()?.number == 4)
        #expect(try cursor.next()?.number == 5)
        #expect(try cursor.next() == nil)
        #expect(lists.withLock { $0 } == 0)
        #expect(throws: BackendError.batchInProgress) { try backend.changes(after: 1) }
        backend.discard(batch)
        files.replacePlan(nil)
        try save(6...6, backend)
        #expect(try cursor.next()?.number == 6)
        #expect(try backend.changes(after: 1).next()?.number == 2)
        withExtendedLifetime((subscription, reader)) {}
        try backend.close()
    }
}
