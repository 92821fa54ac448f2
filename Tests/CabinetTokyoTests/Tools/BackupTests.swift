import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

struct BackupTests {
    let store = ToolStore()
    var copy: String { store.directory.file("Copy") }

    @Test(arguments: [false, true])
    func aBackupIsAnOrdinaryStore(_ compacted: Bool) async throws {
        let backendMessages = Messages()
        let backend = try TokyoBackend(path: store.path, log: LogSink { backendMessages.add($1) })
        try store.fill(backend)
        if compacted { try await backend.compact() }
        try await backend.backup(to: copy)
        #expect(backendMessages.all == [])
        _ = try backend.put("later", at: 40, in: 2)
        for access in [Access.readOnly, .readWrite] {
            let messages = Messages()
            let again = try TokyoBackend(
                path: copy, access: access, log: LogSink { messages.add($1) })
            #expect(messages.all == [])
            #expect(try again.rows(in: 2).count == 20)
            #expect(try again.keys(in: 3).count == 20)
            #expect(try again.text(forKey: "Favorite", in: .namedBuffers) == "song 3")
            #expect(try await again.check().isSound)
            try again.close()
        }
        let again = try TokyoBackend(path: copy)
        #expect(again.identity == backend.identity)
        #expect(try again.reserveRows(1, in: 2).lowerBound == 30)
        #expect(try again.put("other", at: 30, in: 2) == 12)
        #expect(try backend.text(at: 30, in: 2) == nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.directory.path).count == 2)
    }

    @Test func aBackupBesideSavesHoldsWholeSavesOnly() async throws {
        let backend = try TokyoBackend(path: store.path, durability: .process)
        try store.fill(backend)
        let place = copy
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<300 {
                    let batch = backend.makeBatch()
                    try batch.put("\(round)", at: 100, in: 2)
                    try batch.put("\(round)", forKey: "both", in: 3)
                    try backend.commit(batch)
                }
            }
            group.addTask {
                for number in 0..<3 {
                    try await backend.backup(to: place + "\(number)")
                    let again = try TokyoBackend(path: place + "\(number)")
                    let (row, key) = (
                        try again.text(at: 100, in: 2), try again.text(forKey: "both", in: 3)
                    )
                    #expect(row == key)
                    #expect(try again.rows(in: 2).count >= 20)
                    try again.close()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func whatIsThereIsNotOverwritten() async throws {
        let backend = try TokyoBackend(path: store.path)
        try await backend.backup(to: copy)
        await #expect(
            throws: BackendError.system(operation: "mkdir", path: copy, code: EEXIST)
        ) { try await backend.backup(to: copy) }
        let empty = try TokyoBackend(path: copy)
        #expect(try empty.tables() == [])
    }

    /// When everything is copied, the copy is opened to make its views; cancelling then leaves no
    /// backup either.
    @Test func cancellingWhileTheCopyIsOpenedLeavesNothing() async throws {
        let files = FaultyFiles()
        let backend = try TokyoBackend(path: store.path, files: files)
        try store.fill(backend)
        let progress = Progress(totalUnitCount: 0)
        let start = copy + "."
        files.replacePlan { _, operation, path in
            if operation == .open, path.hasPrefix(start), path.hasSuffix("/Journal/Lock") {
                progress.cancel()
            }
            return nil
        }
        await #expect(throws: CancellationError.self) {
            try await backend.backup(to: copy, progress: progress)
        }
        #expect(progress.isCancelled)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.directory.path) == ["Music"])
        files.replacePlan(nil)
        try await backend.backup(to: copy)
        #expect(try TokyoBackend(path: copy, access: .readOnly).rows(in: 2).count == 20)
    }
}
