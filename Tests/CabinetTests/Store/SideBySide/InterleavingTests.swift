import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Three stores over one backend that change one graph, save, merge and catch up in an order that a
/// seed gives, against a model: the graph as plain values, and what each store has changed of it.
struct InterleavingTests {
    /// A store with what its pending changes are based on.
    private final class Writer {
        let store: Store
        let name: String
        var base = GraphView()

        init(_ store: Store, _ name: String) throws {
            (self.store, self.name) = (store, name)
        }
    }

    private struct Model {
        let backend: any Backend
        let seed: UInt64
        var random: SeededRandom
        var writers: [Writer] = []
        /// What is saved, but for the orders of lists.
        var saved = GraphView()
        var held: [(store: Store, view: GraphView)] = []
        var counter = 0
        var conflicts = 0
        var merges = 0

        init(_ backend: any Backend, seed: UInt64) throws {
            (self.backend, self.seed) = (backend, seed)
            random = SeededRandom(seed: seed)
            for name in ["one", "two", "three"] {
                let store = try Store(backend: backend, classes: volumeClasses)
                writers.append(try Writer(store, name))
            }
        }

        private var doing = ""
        private var place: Comment { "seed \(seed), step \(counter), \(doing)" }

        mutating func step() throws {
            counter += 1
            let writer = writers[Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<14: try edit(writer.store, writer.name)
            case 14..<17: try save(writer)
            case 17: try advance(writer)
            case 18: hold()
            default: try letGo()
            }
        }

        // MARK: Edits

        private mutating func pick<Object: StoredObject>(
            _ type: Object.Type, in store: Store
        ) throws -> Object? {
            try store.objects(of: type).randomElement(using: &random)
        }

        private mutating func edit(_ store: Store, _ name: String) throws {
            let text = "\(name) \(counter)"
            switch Int.random(in: 0..<16, using: &random) {
            case 0, 1: try pick(Volume.self, in: store)?.title = text
            case 2: try pick(Volume.self, in: store)?.seconds = counter
            case 3: try pick(Bookcase.self, in: store)?.title = text
            case 4: try pick(Bookcase.self, in: store)?.year = counter
            case 5: try pick(Volume.self, in: store)?.bookcase = try pick(Bookcase.self, in: store)
            case 6, 7:
                let volume = Volume()
                volume.title = text
                guard let bookcase = try pick(Bookcase.self, in: store) else {
                    return store.insert(volume)
                }
                let count = bookcase.volumes.count
                bookcase.volumes.insert(volume, at: Int.random(in: 0...count, using: &random))
            case 8: try move(in: store)
            case 9:
                guard let bookcase = try pick(Bookcase.self, in: store), !bookcase.volumes.isEmpty
                else {
                    return
                }
                bookcase.volumes.removeLast()
            case 10:
                let bookcase = Bookcase()
                bookcase.title = text
                store.insert(bookcase)
            case 11, 12: try toggleTopic(in: store, text)
            case 13: try setJacket(in: store, text)
            case 14:
                if Bool.random(using: &random), let volume = try pick(Volume.self, in: store) {
                    try store.delete(volume)
                }
            default:
                if Int.random(in: 0..<4, using: &random) == 0,
                    let bookcase = try pick(Bookcase.self, in: store)
                {
                    try store.delete(bookcase)
                }
            }
        }

        private mutating func move(in store: Store) throws {
            guard let bookcase = try pick(Bookcase.self, in: store), bookcase.volumes.count > 1
            else {
                return
            }
            var list = Array(bookcase.volumes)
            let volume = list.remove(at: Int.random(in: 0..<list.count, using: &random))
            list.insert(volume, at: Int.random(in: 0...list.count, using: &random))
            bookcase.volumes = list
        }

        private mutating func toggleTopic(in store: Store, _ text: String) throws {
            guard let bookcase = try pick(Bookcase.self, in: store) else { return }
            guard let topic = try pick(Topic.self, in: store), Bool.random(using: &random) else {
                let topic = Topic()
                topic.name = text
                bookcase.topics.append(topic)
                return
            }
            if let place = bookcase.topics.firstIndex(where: { $0 === topic }) {
                bookcase.topics.remove(at: place)
            } else {
                bookcase.topics.append(topic)
            }
        }

        private mutating func setJacket(in store: Store, _ text: String) throws {
            guard let volume = try pick(Volume.self, in: store) else { return }
            if let jacket = try pick(Jacket.self, in: store), Bool.random(using: &random) {
                volume.jacket = jacket
            } else {
                let jacket = Jacket()
                jacket.name = text
                volume.jacket = jacket
            }
        }

        // MARK: Stores

        private mutating func save(_ writer: Writer) throws {
            let store = writer.store
            doing = "before the save of \(writer.name)"
            let mine = try GraphView(of: store, place)
            let last = try backend.lastCommit()
            let isBehind = store.basis != last
            do {
                try store.save(onConflict: .merge)
            } catch StoreError.conflict {
                conflicts += 1
                doing = "after the conflict of \(writer.name)"
                // What one has deleted and another one changed cannot be merged; nothing happened.
                #expect(try backend.lastCommit() == last, place)
                #expect(try GraphView(of: store, place).difference(from: mine) == [], place)
                store.rollback()
                doing = "after the rollback of \(writer.name)"
                try store.advance()
                writer.base = saved
                return try expectSaved(writer)
            }
            doing = "after the save of \(writer.name), behind: \(isBehind)"
            if isBehind, mine.withoutOrders != writer.base.withoutOrders { merges += 1 }
            if try backend.lastCommit() != last {
                saved = mine.merged(into: saved, from: writer.base)
                writer.base = saved
                try expectSaved(writer)
            }
        }

        private mutating func expectSaved(_ writer: Writer) throws {
            let view = try GraphView(of: writer.store, place)
            #expect(view.withoutOrders.difference(from: saved.withoutOrders) == [], place)
            // The model goes on from the orders that the merge has found.
            saved = view
            writer.base = view
        }

        private mutating func advance(_ writer: Writer) throws {
            guard !writer.store.hasChanges else { return }
            doing = "after \(writer.name) has advanced"
            try writer.store.advance()
            writer.base = saved
            try expectSaved(writer)
        }

        private mutating func hold() {
            guard held.count < 4, let reader = try? backend.snapshot(),
                let store = try? Store(
                    backend: backend, reader: reader, classes: volumeClasses, migrations: [],
                    versioning: .perInstance, log: .none)
            else { return }
            held.append((store, saved))
        }

        /// Closes what is held, and no store keeps the backend open.
        mutating func end() {
            for (store, _) in held { try? store.close() }
            held = []
        }

        private mutating func letGo() throws {
            guard !held.isEmpty else { return }
            let (store, view) = held.remove(at: Int.random(in: 0..<held.count, using: &random))
            #expect(try GraphView(of: store, place).difference(from: view) == [], place)
            try store.close()
        }
    }

    /// How many seeds there are: `INTERLEAVE_ROUNDS` for a longer run (`make interleave`).
    private static let rounds =
        ProcessInfo.processInfo.environment["INTERLEAVE_ROUNDS"].flatMap(UInt64.init) ?? 10

    @Test(arguments: 1...rounds)
    func noUpdateIsLostWhateverTheOrderOfSaves(_ seed: UInt64) async throws {
        try await run(MemoryBackend(), seed)
    }

    @Test(arguments: 1...max(rounds / 3, 1))
    func noUpdateIsLostInFiles(_ seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        let backend = try TokyoBackend(path: directory.path + "/Store", durability: .process)
        try await run(backend, 1000 + seed)
        #expect(try await backend.check().isSound)
        try backend.close()
    }

    private func run(_ backend: any Backend, _ seed: UInt64) async throws {
        var model = try Model(backend, seed: seed)
        for _ in 0..<400 { try model.step() }
        #expect(model.merges > 0)
        let report = try await StoreSchema.check(backend)
        #expect(report.findings == [])
        model.end()
    }
}
