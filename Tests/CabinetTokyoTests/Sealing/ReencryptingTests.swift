#if Encryption
    import CabinetBackend
    import Foundation
    import Testing
    import TrustSupport

    @testable import CabinetTokyo

    struct ReencryptingTests {
        private static let key = StoreKey.raw(Array(1...32))

        /// The data keys in the file of keys.
        private func numbers(_ scene: SealedScene) throws -> [UInt32] {
            let path = StorePaths(root: scene.path).key
            let file = try #require(try KeyFile.read(path, SystemFiles()))
            return try file.keys(Self.key, path: path).data.map(\.number)
        }

        /// Which files have a piece that the sealer has sealed by the key that it then had.
        private func paths(_ scene: SealedScene, sealedBy head: Data) throws -> [String] {
            try scene.paths().filter {
                FileManager.default.contents(atPath: $0)?.range(of: head) != nil
            }
        }

        /// From now on the log keeps all commits.
        private func keepAll(_ backend: TokyoBackend) throws -> CommitNumber {
            try backend.keepChanges(after: try backend.position(), for: "history", limit: .max)
            return try backend.lastCommit()
        }

        private func expectAllKept(after first: CommitNumber, _ backend: TokyoBackend) throws {
            let cursor = try backend.changes(after: first)
            var last = first
            while let changes = try cursor.next() {
                last = changes.number
                try changes.forEachOperation { _ in }
            }
            #expect(try last == backend.lastCommit())
        }

        @Test func aStoreIsSealedAnewBesideSaves() async throws {
            let scene = SealedScene(Self.key, seed: RunSetting.seed)
            let backend = try scene.open()
            try scene.begin(backend)
            let first = try keepAll(backend)
            for _ in 0..<4 { try scene.change(backend, 200, size: 300) }
            let (held, past) = (try backend.snapshot(label: "test"), scene.content)
            let sealer = try #require(backend.files.sealer as? SodiumSealer)
            let head = Data(sealer.sealed([], boundTo: []).prefix(16))
            #expect(try paths(scene, sealedBy: head).count > 2)
            let follower = try TokyoBackend(
                path: scene.path, key: Self.key, log: .none, files: scene.files, follows: true)
            let task = Task { try await backend.reencrypt() }
            for _ in 0..<40 { try scene.change(backend, 20) }
            try await task.value
            try scene.change(backend, 20)
            #expect(try paths(scene, sealedBy: head) == [])
            #expect(try numbers(scene) == [2])
            try scene.expectAll(in: backend)
            try scene.expectAll(in: held, as: past)
            _ = try follower.refresh()
            try scene.expectAll(in: follower)
            try follower.close()
            #expect(try await backend.check().isSound)
            // Nothing was saved since.
            try await backend.reencrypt()
            try await backend.reencrypt()
            try backend.close()
            #expect(try numbers(scene) == [4])
            let again = try scene.open()
            try expectAllKept(after: first, again)
            try scene.expectAll(in: again)
            #expect(try await again.check().isSound)
            try again.close()
        }

        @Test func aReencryptionThatIsKilledIsTakenUpAgain() async throws {
            let scene = SealedScene(Self.key, seed: RunSetting.seed)
            var backend = try scene.open()
            try scene.begin(backend)
            let first = try keepAll(backend)
            try scene.change(backend, 200)
            try backend.close()
            try await scene.killing(RunSetting.repetitions(160)) { backend in
                try await backend.reencrypt()
                try scene.change(backend, 20)
            }
            backend = try scene.open()
            try await backend.reencrypt()
            try backend.close()
            #expect(try numbers(scene).count == 1)
            backend = try scene.open()
            try scene.expectAll(in: backend)
            try expectAllKept(after: first, backend)
            #expect(try await backend.check().isSound)
            try backend.close()
        }

        /// However often, and what was read before stays to be read.
        @Test func aStoreIsSealedAnewAnyNumberOfTimes() async throws {
            let scene = SealedScene(Self.key, seed: RunSetting.seed)
            let backend = try scene.open()
            try scene.begin(backend)
            try scene.change(backend, 20)
            let (held, past) = (try backend.snapshot(label: "test"), scene.content)
            for _ in 0..<70 {
                try await backend.reencrypt()
                try scene.change(backend, 2)
            }
            try scene.expectAll(in: held, as: past)
            try scene.expectAll(in: backend)
            try backend.close()
            #expect(try numbers(scene) == [71])
            try scene.expectAll(in: try scene.open())
        }

        /// Once, it said that the store is damaged.
        @Test func aFollowerSaysThatTheStoreHasAnotherKey() async throws {
            let scene = SealedScene(Self.key, seed: RunSetting.seed)
            let backend = try scene.open()
            try scene.begin(backend)
            let follower = try TokyoBackend(
                path: scene.path, key: Self.key, log: .none, files: scene.files, follows: true)
            try backend.rotateKey(to: .raw(Array(2...33)))
            try scene.change(backend, 20)
            // By the data key of before.
            _ = try follower.refresh()
            try scene.expectAll(in: follower)
            let seen = scene.content
            try await backend.reencrypt()
            try scene.change(backend, 20)
            for _ in 0..<2 {
                #expect(throws: BackendError.wrongKey(path: StorePaths(root: scene.path).key)) {
                    try follower.refresh()
                }
            }
            try scene.expectAll(in: follower, as: seen)
            try follower.close()
            try backend.close()
        }

        @Test func aStoreThatIsNotSealedIsNotReencrypted() async throws {
            let scene = SealedScene(nil, seed: 1)
            let backend = try scene.open()
            await #expect(throws: BackendError.notEncrypted(path: scene.path)) {
                try await backend.reencrypt()
            }
            try backend.close()
        }
    }
#endif
