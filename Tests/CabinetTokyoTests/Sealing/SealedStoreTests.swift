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
            try scene.change(backend, 800, size: 1500)
            // What is replaced is kept for it: more than a window writes at once.
            let (held, past) = (try backend.snapshot(label: "test"), scene.content)
            for _ in 0..<8 { try scene.change(backend, 800) }
            try scene.expectAll(in: held, as: past)
            try scene.expectAll(in: backend)
            backend.upkeep.limits.withLock { $0 = Compactor.Limits(run: 8192, fanIn: 4) }
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
            try await salvage(scene)
            let salvaged = try scene.open("Salvaged")
            try scene.expectAll(in: salvaged)
            try salvaged.close()
            return scene
        }

        private func salvage(
            _ scene: SealedScene, through files: (any FileLayer)? = nil, _ name: String = "Salvaged"
        ) async throws {
            _ = try await TokyoBackend.salvage(
                from: scene.path, into: scene.directory.file(name), key: scene.key,
                files: files ?? scene.files)
        }

        /// As ``scene(_:)``, where each kind of writing is killed at some of its steps.
        private func killedScene(_ key: StoreKey?) async throws -> SealedScene {
            let scene = SealedScene(key, seed: RunSetting.seed)
            let backend = try scene.open()
            try scene.begin(backend)
            try scene.change(backend, 600, size: 1500)
            try backend.close()
            let times = max(RunSetting.repetitions(16), 2)
            try await scene.killing(times) { backend in
                let held = try backend.snapshot(label: "test")
                for _ in 0..<8 { try scene.change(backend, 600) }
                withExtendedLifetime(held) {}
                try backend.close()
            }
            try await scene.killing(times) { backend in
                try scene.change(backend, 100)
                backend.upkeep.limits.withLock { $0 = Compactor.Limits(run: 16_384, fanIn: 4) }
                try await backend.compact()
            }
            var copies = 0
            try await scene.killing(times) { backend in
                copies += 1
                try await backend.backup(to: scene.directory.file("Copy-\(copies)"))
            }
            for _ in 0..<times {
                let step = scene.marks.below(200)
                let faulty = FaultyFiles(wrapping: scene.files) { index, _, _ in
                    index == step ? .killed : nil
                }
                try? await salvage(scene, through: faulty, "Salvaged-\(step)")
            }
            return scene
        }

        private func expectNothing(
            of kinds: [String], _ scene: (StoreKey?) async throws -> SealedScene
        ) async throws {
            let open = try await scene(nil)
            let found = try open.findings()
            for kind in kinds { #expect(found[kind] ?? 0 > 0, "\(kind): \(found)") }
            let sealed = try await scene(Self.key)
            #expect(try sealed.findings() == [:])
            let flags = try blocks(of: sealed)
            #expect(!flags.isEmpty)
            #expect(flags.allSatisfy { $0 & BlockHeader.sealed != 0 })
            // What is deflated is not found by a search.
            #expect(try blocks(of: open).contains { $0 & BlockHeader.deflated != 0 })
        }

        @Test func nothingOfASealedStoreStandsInAnyFile() async throws {
            try await expectNothing(
                of: ["log", "Song", "NamedBuffers", "run", "Run", "window"], scene)
        }

        @Test func nothingOfASealedStoreThatWasKilledStandsInAnyFile() async throws {
            try await expectNothing(of: ["log", "Song", "run", "Run", "window"], killedScene)
        }

        /// The flags of all blocks of entries that were written.
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

        /// A store whose log could not be looked for got new keys, which nothing held on to.
        @Test func anOpeningThatFailsNeverGoesOnWithOtherKeys() throws {
            let scene = SealedScene(Self.key, seed: 4)
            let backend = try scene.open()
            try scene.begin(backend)
            try scene.change(backend, 20)
            try backend.close()
            // Opening takes some tens of steps.
            for step in 0..<60 {
                let faulty = FaultyFiles(wrapping: scene.files) { index, _, _ in
                    index == step ? .error(5) : nil
                }
                var before = scene.content
                do throws(BackendError) {
                    let backend = try TokyoBackend(
                        path: scene.path, durability: .process, key: Self.key, log: .none,
                        files: faulty)
                    defer { try? backend.close() }
                    do {
                        try scene.change(backend, 2)
                        before = scene.content
                    } catch {}
                } catch {
                    #expect(FaultRun.isExpected(error), "step \(step): \(error)")
                }
                let backend = try scene.open()
                try scene.expectAll(in: backend, as: before)
                try backend.close()
                scene.forget(before)
            }
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
