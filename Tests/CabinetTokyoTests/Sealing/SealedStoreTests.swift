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
            for kind in ["log", "Song", "NamedBuffers", "run"] {
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

        /// Wherever a rotation fails or is killed, one of both keys opens the store, and the other one does not.
        @Test(arguments: [
            FaultyFiles.Fault.error(5), .shortWrite(28), .doneButReported(5), .killed,
        ])
        func aRotationThatFailsLeavesOneKey(_ fault: FaultyFiles.Fault) throws {
            let new = StoreKey.raw(Array(3...34))
            var opened: [Int] = []
            while true {
                let scene = SealedScene(Self.key, seed: 3)
                let faulty = FaultyFiles()
                let backend = try TokyoBackend(
                    path: scene.path, durability: .process, key: Self.key, log: .none,
                    files: faulty)
                try scene.begin(backend)
                let step = opened.count
                faulty.replacePlan { index, _, _ in index == step ? fault : nil }
                try? backend.rotateKey(to: new)
                let isOver = faulty.count <= step
                if fault != .killed { faulty.replacePlan(nil) }
                try? backend.close()
                let keys = [Self.key, new].enumerated().filter { _, key in
                    (try? TokyoBackend(path: scene.path, key: key, log: .none).close()) != nil
                }
                #expect(keys.count == 1, "step \(step)")
                if isOver { break }
                opened.append(keys.first?.offset ?? -1)
            }
            // The new key is in force from some step on.
            #expect(opened.contains(0) && opened.contains(1))
            #expect(opened == opened.sorted())
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
