#if Encryption
    import CabinetBackend
    import CabinetTokyo
    import Foundation
    import Testing
    import TrustSupport

    @testable import Cabinet

    private final class Pledge: StoredObject {
        @Field var text = ""
        @Field var code = ""

        override class var keepsHistory: Bool { true }
        override class var indexes: [Index] { [.ordered(\Pledge.code)] }
        override class var textIndexes: [TextIndex] { [.text(\Pledge.text)] }
        convenience init(_ text: String) {
            self.init()
            (self.text, code) = (text, text)
        }
    }

    /// Everything that a store of objects writes, searched for what was put.
    struct SealedRunTests {
        private static let key = StoreKey.raw(Array(1...32))

        /// What only this run has.
        private struct Marks {
            let first, second, name, content, author, note, step: String

            init(seed: UInt64) {
                var random = SeededRandom(seed: seed)
                (first, second, name) = (random.mark(), random.mark(), random.mark())
                (content, author) = (random.mark(), random.mark())
                (note, step) = (random.mark(), random.mark())
            }

            var all: [String] { [first, second, name, content, author, note, step] }
        }

        private func write(_ path: String, _ key: StoreKey?, _ marks: Marks) async throws
            -> WrittenFiles
        {
            let files = WrittenFiles()
            let backend = try TokyoBackend(
                path: path, durability: .process, key: key, log: .none, files: files)
            let container = StoreContainer(backend: backend, classes: [Pledge.self], log: .none)
            let store = try container.makeStore()
            store.author = marks.author
            store.undoHistory.survivesRelaunch = true
            let victim = Pledge(marks.first)
            for object in (0..<400).map({ Pledge("other \($0)") }) + [victim] {
                store.insert(object)
            }
            let buffer = DataBuffer()
            buffer.writeString(marks.content)
            store.namedBuffers[marks.name] = buffer
            try store.note(marks.note)
            try store.save()
            let held = try backend.snapshot(label: "test")
            try store.undoHistory.group(marks.step) {
                (victim.text, victim.code) = (marks.second, marks.second)
            }
            try store.save()
            try store.indexes.build()
            #expect(try store.search(Pledge.self, marks.second).count == 1)
            try HistoryMove(backend).moveAll()
            try await backend.compact()
            try store.delete(victim)
            try store.save()
            #expect(try store.undoHistory.undo())
            try store.save()
            let follower = try TokyoBackend(
                path: path, key: key, log: .none, files: files, follows: true)
            let reader = StoreContainer(backend: follower, classes: [Pledge.self], log: .none)
            let read = try reader.makeStore()
            #expect(try read.query(Pledge.self).filter { $0.code == marks.second }.count() == 1)
            try await backend.backup(to: path + "-Copy")
            try read.close()
            try reader.close()
            withExtendedLifetime(held) {}
            try store.close()
            try container.close()
            _ = try await TokyoBackend.salvage(
                from: path, into: path + "-Salvaged", key: key, files: files)
            return files
        }

        @Test func nothingOfASealedStoreIsFoundInWhatAStoreOfObjectsWrites() async throws {
            let marks = Marks(seed: RunSetting.seed)
            var kinds: Set<String> = []
            for key in [nil, Self.key] {
                let directory = ScratchDirectory()
                let files = try await write(directory.file("Store"), key, marks)
                let bytes = try StoreBytes(of: directory.path)
                for mark in marks.all {
                    let tail = Data(mark.utf8.suffix(12))
                    let written = files.all.filter { Data($0.bytes).range(of: tail) != nil }
                    let holders = Set(bytes.holders(of: mark) + written.map(\.path))
                    if key == nil { #expect(!holders.isEmpty) } else { #expect(holders == []) }
                    for path in holders {
                        let name = path.split(separator: "/").last ?? ""
                        kinds.insert(String(name.prefix { $0 != "." && $0 != "-" }))
                    }
                }
            }
            let expected: Set = [
                "log", "snapshot", "Pledge", "Index", "Text", "History", "Store", "NamedBuffers",
            ]
            #expect(kinds.isSuperset(of: expected), "\(kinds)")
        }
    }
#endif
