#if Encryption
    import CabinetBackend
    import Foundation
    import Testing
    import TrustSupport

    @testable import CabinetTokyo

    struct SealedStoreTests {
        static let key = StoreKey.raw(Array(1...32))

        /// Has a store written by all that writes one, and looks at what it holds.
        private func scene(_ key: StoreKey?) async throws -> SealedScene {
            let scene = SealedScene(key, seed: RunSetting.seed)
            var backend = try scene.open()
            try scene.begin(backend)
            try scene.change(backend, 800)
            let held = try backend.snapshot(label: "test")
            for _ in 0..<6 { try scene.change(backend, 300) }
            try scene.expectAll(in: backend)
            withExtendedLifetime(held) {}
            try await backend.compact()
            for _ in 0..<4 { try scene.change(backend, 100) }
            try scene.putLarge(backend, size: 200_000)
            // More than a chunk.
            try scene.change(backend, 4000, size: 1500)
            try scene.expectAll(in: backend)
            #expect(try await backend.check().isSound)
            try backend.close()
            backend = try scene.open()
            try scene.expectAll(in: backend)
            try await backend.backup(to: scene.directory.file("Copy"))
            let follower = try TokyoBackend(
                path: scene.path, key: key, log: .none, files: scene.files, follows: true)
            try scene.change(backend, 50)
            _ = try follower.refresh()
            try scene.expectAll(in: follower)
            try follower.close()
            try backend.close()
            _ = try await TokyoBackend.salvage(
                from: scene.path, into: scene.directory.file("Salvaged"), key: key,
                files: scene.files)
            let salvaged = try scene.open("Salvaged")
            try scene.expectAll(in: salvaged)
            try salvaged.close()
            return scene
        }

        @Test func nothingOfASealedStoreStandsInAnyFile() async throws {
            let open = try await scene(nil)
            let found = try open.findings()
            for kind in ["log", "Song", "NamedBuffers", "run", "window"] {
                #expect(found[kind] ?? 0 > 0, "\(kind): \(found)")
            }
            #expect(try blocks(of: open).contains { $0 & BlockHeader.deflated != 0 })
            let sealed = try await scene(Self.key)
            #expect(try sealed.findings() == [:])
            let flags = try blocks(of: sealed)
            #expect(!flags.isEmpty)
            #expect(flags.allSatisfy { $0 & BlockHeader.sealed != 0 })
        }

        /// The flags of all blocks of entries that were written: what is deflated is not found by a search.
        private func blocks(of scene: SealedScene) throws -> [UInt8] {
            scene.files.all.compactMap { piece in
                piece.bytes.starts(with: BlockHeader.magic) ? piece.bytes[6] : nil
            }
        }

        @Test func aSealedStoreOpensWithItsKeyAlone() throws {
            let scene = SealedScene(Self.key, seed: 1)
            var backend = try scene.open()
            // The key counts before anything is saved, too.
            try backend.close()
            for isSaved in [false, true] {
                if isSaved {
                    backend = try scene.open()
                    try scene.begin(backend)
                    try scene.change(backend, 10)
                    try backend.close()
                }
                #expect(throws: BackendError.keyNeeded(path: scene.path)) {
                    try TokyoBackend(path: scene.path)
                }
                let path = StorePaths(root: scene.path).key
                for key in [
                    StoreKey.raw(Array(2...33)), .raw([]), .raw(Array(1...33)),
                    .passphrase("key", cost: .interactive), .provider { .raw(Array(2...33)) },
                ] {
                    #expect(throws: BackendError.wrongKey(path: path)) {
                        try TokyoBackend(path: scene.path, key: key)
                    }
                }
                #expect(throws: BackendError.keyNeeded(path: path)) {
                    try TokyoBackend(path: scene.path, key: .provider { nil })
                }
            }
            backend = try TokyoBackend(path: scene.path, key: .provider { Self.key })
            #expect(backend.isEncrypted)
            try scene.expectAll(in: backend)
            try backend.close()
            try FileManager.default.removeItem(atPath: StorePaths(root: scene.path).key)
            #expect(
                throws: BackendError.corrupt(path: StorePaths(root: scene.path).key, offset: 0)
            ) {
                try TokyoBackend(path: scene.path, key: Self.key)
            }
        }

        @Test func aKeyForAStoreThatIsNotSealedIsRefused() throws {
            let scene = SealedScene(nil, seed: 1)
            let backend = try scene.open()
            try scene.begin(backend)
            #expect(throws: BackendError.notEncrypted(path: scene.path)) {
                try backend.rotateKey(to: Self.key)
            }
            try backend.close()
            for access in [Access.readWrite, .readOnly] {
                #expect(throws: BackendError.notEncrypted(path: scene.path)) {
                    try TokyoBackend(path: scene.path, access: access, key: Self.key)
                }
            }
            #expect(try SystemFiles().status(of: StorePaths(root: scene.path).key) == nil)
        }

        @Test func aRotatedStoreOpensWithTheNewKeyOnly() throws {
            let scene = SealedScene(Self.key, seed: 2)
            let backend = try scene.open()
            try scene.begin(backend)
            try scene.change(backend, 20)
            let key = StorePaths(root: scene.path).key
            let new = StoreKey.passphrase("new", cost: PassphraseCost(passes: 1, memory: 8 << 10))
            try backend.rotateKey(to: new)
            try scene.change(backend, 20)
            try backend.close()
            #expect(throws: BackendError.wrongKey(path: key)) {
                try TokyoBackend(path: scene.path, key: Self.key)
            }
            let again = try TokyoBackend(path: scene.path, key: new)
            try scene.expectAll(in: again)
            try again.close()
        }

        /// Whatever call of a rotation fails, one of both keys opens the store, and the other one does not.
        @Test func aRotationThatFailsLeavesOneKey() throws {
            var isDone = false
            var step = 1
            while !isDone {
                let scene = SealedScene(Self.key, seed: 3)
                let faulty = FailingFiles()
                let backend = try TokyoBackend(
                    path: scene.path, durability: .process, key: Self.key, log: .none,
                    files: faulty)
                try scene.begin(backend)
                let new = StoreKey.raw(Array(3...34))
                faulty.left = step
                do {
                    try backend.rotateKey(to: new)
                    isDone = faulty.left > 0
                } catch {
                    #expect(faulty.left == 0)
                }
                faulty.left = 0
                try backend.close()
                let opened = [Self.key, new].count { key in
                    (try? TokyoBackend(path: scene.path, key: key, log: .none).close()) != nil
                }
                #expect(opened == 1, "step \(step)")
                step += 1
            }
            #expect(step > 5)
        }
    }

    /// Fails the call after so many, and works again from then on.
    private final class FailingFiles: PassingFiles, @unchecked Sendable {
        /// How many calls are left up to the one that fails; 0: none fails.
        var left = 0

        private func step(_ path: String) throws(BackendError) {
            guard left > 0 else { return }
            left -= 1
            if left == 0 { throw .system(operation: "test", path: path, code: 5) }
        }

        override func open(_ path: String, for use: FileUse) throws(BackendError) -> OpenFile {
            try step(path)
            return try super.open(path, for: use)
        }

        override func write(
            _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
        ) throws(BackendError) {
            try step(file.path)
            try super.write(bytes, to: file, at: offset)
        }

        override func sync(_ file: OpenFile) throws(BackendError) {
            try step(file.path)
            try super.sync(file)
        }

        override func rename(_ path: String, to newPath: String) throws(BackendError) {
            try step(path)
            try super.rename(path, to: newPath)
        }

        override func syncDirectory(_ path: String) throws(BackendError) {
            try step(path)
            try super.syncDirectory(path)
        }
    }
#else
    import CabinetBackend
    import Testing
    import TrustSupport

    @testable import CabinetTokyo

    struct SealedStoreTests {
        @Test func aKeyNeedsTheTrait() throws {
            let directory = ScratchDirectory()
            let path = directory.file("Store")
            #expect(throws: BackendError.encryptionUnavailable(path: path)) {
                try TokyoBackend(path: path, key: .raw(Array(1...32)))
            }
        }
    }
#endif
