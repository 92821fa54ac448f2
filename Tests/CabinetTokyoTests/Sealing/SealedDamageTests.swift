#if Encryption
    import CabinetBackend
    import Foundation
    import Testing
    import TrustSupport

    @testable import CabinetTokyo

    /// Whatever is done to the files of a sealed store: it gives what was saved, or an error that says so.
    struct SealedDamageTests {
        private static let key = StoreKey.raw(Array(1...32))
        private let scene: SealedScene
        /// What the files were before the last changes, and what they are.
        private let former: [String: Data]
        private let files: [String: Data]

        init() throws {
            scene = SealedScene(Self.key, seed: RunSetting.seed)
            var backend = try scene.open()
            try scene.begin(backend)
            for _ in 0..<3 { try scene.change(backend, 12) }
            try backend.close()
            former = try Self.read(scene)
            backend = try scene.open()
            for _ in 0..<3 { try scene.change(backend, 12) }
            try backend.close()
            files = try Self.read(scene)
        }

        private static func read(_ scene: SealedScene) throws -> [String: Data] {
            var found: [String: Data] = [:]
            for path in try scene.paths() {
                found[path] = try Data(contentsOf: URL(fileURLWithPath: path))
            }
            return found
        }

        /// Puts the files back as they were, but for those in `changed`.
        private func expectRightOrError(_ changed: [String: Data?], _ comment: String) throws {
            for path in try scene.paths() where files[path] == nil {
                try FileManager.default.removeItem(atPath: path)
            }
            for (path, data) in files {
                try data.write(to: URL(fileURLWithPath: path))
            }
            for (path, data) in changed {
                if let data {
                    try data.write(to: URL(fileURLWithPath: path))
                } else {
                    try FileManager.default.removeItem(atPath: path)
                }
            }
            let backend: TokyoBackend
            do throws(BackendError) {
                backend = try scene.openTyped()
            } catch {
                return
            }
            defer { try? backend.close() }
            do {
                try scene.expectAll(in: backend)
            } catch {
                #expect(error is BackendError, "\(comment)")
            }
        }

        @Test func aFlippedBitChangesNothingThatIsRead() throws {
            var random = SeededRandom(seed: RunSetting.seed, part: 1)
            for path in files.keys.sorted() {
                guard let data = files[path], !data.isEmpty else { continue }
                for _ in 0..<RunSetting.repetitions(200) {
                    let place = random.below(data.count)
                    var changed = data
                    changed[place] ^= 1 << UInt8(random.below(8))
                    try expectRightOrError([path: changed], "\(path) at \(place)")
                }
            }
        }

        @Test func aFileThatIsCutReplayedSwappedOrGoneChangesNothingThatIsRead() throws {
            var random = SeededRandom(seed: RunSetting.seed, part: 2)
            let paths = files.keys.sorted()
            for path in paths {
                guard let data = files[path] else { continue }
                for _ in 0..<RunSetting.repetitions(40) {
                    let size = random.below(data.count + 1)
                    try expectRightOrError([path: data.prefix(size)], "\(path) cut to \(size)")
                }
                try expectRightOrError([path: nil], "\(path) removed")
                if let old = former[path] {
                    try expectRightOrError([path: old], "\(path) replayed")
                }
                let others = paths.filter { $0 != path }
                let other = others[random.below(others.count)]
                try expectRightOrError([path: files[other], other: data], "\(path), \(other)")
            }
        }

        /// A piece of a file in the place of another one of its size, with sums that fit.
        @Test func recordsThatAreSwappedAreFoundOut() throws {
            let path = scene.path + "/Song"
            guard let data = files[path] else { return }
            var records: [HashImage.Record] = []
            let map = try #require(try FileMap.reading(path, SystemFiles()))
            let image = try #require(HashImage(base: map.base, size: map.size))
            var offset = image.firstRecord
            while offset < image.end, let block = image.block(at: offset) {
                switch block {
                case .free(let next): offset = next
                case .record(let record):
                    records.append(record)
                    offset = record.next
                }
            }
            // Before any swap: the records point into a map of the file, which swaps write.
            let form = ValueForm(
                TableDefinition(number: 2, kind: .record, name: "Song"),
                SealedFiles(SystemFiles(), try sealer()))
            #expect(!records.isEmpty)
            #expect(records.allSatisfy { form.isSound($0) })
            for (one, other) in zip(records, records.dropFirst()) {
                #expect(form.withValue(of: one.value, other.key) { _ in } == nil)
            }
            let values = records.map { (Int(image.offset(of: $0.value)), Data($0.value)) }
            var swaps = 0
            for (one, other) in zip(values, values.dropFirst()) where one.1.count == other.1.count {
                var changed = data
                changed.replaceSubrange(one.0..<one.0 + one.1.count, with: other.1)
                changed.replaceSubrange(other.0..<other.0 + other.1.count, with: one.1)
                try expectRightOrError([path: changed], "records at \(one.0) and \(other.0)")
                swaps += 1
            }
        }

        /// All records of a table as they once were, each sealed by the store and where it was: reads give them, but
        /// they are not what the log says.
        @Test func aTableThatIsReplayedIsFoundByCheck() async throws {
            let scene = SealedScene(Self.key, seed: RunSetting.seed)
            var backend = try scene.open()
            try scene.begin(backend)
            try scene.change(backend, 30)
            try scene.putRows(backend)
            try backend.close()
            let path = scene.path + "/Song"
            let old = try Data(contentsOf: URL(fileURLWithPath: path))
            backend = try scene.open()
            // As long as those before: they take their places.
            try scene.putRows(backend)
            #expect(try await backend.check().isSound)
            let map = try #require(try FileMap.reading(path, SystemFiles()))
            let image = try #require(HashImage(base: map.base, size: map.size))
            let file = try SystemFiles().open(path, for: .writing)
            let start = Int(image.firstRecord)
            try Array(old[start...]).withUnsafeBytes {
                try SystemFiles().write($0, to: file, at: UInt64(start))
            }
            #expect(try SealedContent(backend).rows != scene.content.rows)
            #expect(try await backend.check().isSound == false)
        }

        private func sealer() throws -> SodiumSealer {
            let path = StorePaths(root: scene.path).key
            let file = try #require(try KeyFile.read(path, SystemFiles()))
            return SodiumSealer(try file.keys(Self.key, path: path))
        }
    }

    extension SealedScene {
        fileprivate func openTyped() throws(BackendError) -> TokyoBackend {
            try TokyoBackend(
                path: path, durability: .process, key: key, log: .none, files: SystemFiles())
        }
    }
#endif
