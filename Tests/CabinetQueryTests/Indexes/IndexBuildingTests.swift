import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Indexes of records that were saved without them.
@Suite("Indexes: building")
struct IndexBuildingTests {
    @Test("indexes of earlier records are built", arguments: IndexScene.Engine.allCases)
    func building(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        try scene.fill(1_000)
        let store = try scene.open()
        let progress = Progress(totalUnitCount: 1)
        try store.indexes.build(progress: progress)
        #expect(store.indexes.progress == nil)
        try store.expectCompleteIndexes()
        try store.indexes.build()
        store.insert(IndexedSong("Later"))
        try store.save()
        try store.expectCompleteIndexes()
    }

    @Test("a chunk of keys is small beside saves, and grows while nothing else commits")
    func chunkSizes() {
        let chunk = KeyChunk(limit: KeyChunk.leastLimit * 5)
        func countWhenFull() -> Int {
            chunk.removeAll()
            while !chunk.isFull { withUnsafeBytes(of: 7) { chunk.append(.put, $0, of: 2) } }
            return chunk.count
        }
        #expect(countWhenFull() == KeyChunk.leastLimit)
        for factor in [2, 4, 5, 5] {
            chunk.adapt(toOthers: false)
            #expect(countWhenFull() == KeyChunk.leastLimit * factor)
        }
        chunk.adapt(toOthers: true)
        #expect(countWhenFull() == KeyChunk.leastLimit)
    }

    @Test(
        "the caller's isolation domain need not be blocked", arguments: IndexScene.Engine.allCases)
    func buildingAsync(engine: IndexScene.Engine) async throws {
        let scene = try IndexScene(engine)
        try scene.fill(500)
        let store = try scene.open()
        try await store.indexes.buildInBackground()
        try store.expectCompleteIndexes()
    }

    @Test(
        "a building that was stopped goes on when the store is opened again",
        arguments: IndexScene.Engine.allCases)
    func goingOn(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine, chunkLimit: 40)
        try scene.fill(800)
        for round in 0..<12 {
            let store = try scene.open()
            if round % 3 == 1 {
                let song = IndexedSong("Round \(round)")
                song.tags = ["r"]
                store.insert(song)
                try store.save()
            }
            Thread.sleep(forTimeInterval: 0.002)
            store.indexes.progress?.cancel()
            try store.close()
            try scene.reopen(chunkLimit: 40)
        }
        let store = try scene.open()
        try store.indexes.build()
        try store.expectCompleteIndexes()
    }

    @Test("closing the last store stops the building", arguments: [true, false])
    func closing(isExplicit: Bool) throws {
        let directory = try TemporaryStore(IndexScene.older)
        for number in 0..<3_000 {
            let song = OlderSong()
            song.title = "\(number)"
            directory.store.insert(song)
        }
        try directory.store.save()
        try directory.close()
        for _ in 0..<5 {
            var store: Store? = try Store(directory: directory.directory, classes: IndexScene.newer)
            #expect(try store?.count(of: IndexedSong.self) == 3_000)
            if isExplicit { try store?.close() }
            store = nil
        }
        let store = try directory.reopen(IndexScene.newer)
        try store.indexes.build()
        try store.expectCompleteIndexes()
    }

    @Test(
        "saves of several stores go on while indexes are built",
        arguments: IndexScene.Engine.allCases, 1...2)
    func savesMeanwhile(engine: IndexScene.Engine, seed: Int) throws {
        let scene = try IndexScene(engine, chunkLimit: 60)
        try scene.fill(800)
        let backend = scene.backend
        let first = try scene.open()
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            do {
                var random = SeededRandom(seed: UInt64(seed * 10 + thread))
                let store = try Store(backend: backend, classes: IndexScene.newer)
                for step in 0..<15 { try change(store, &random, "\(thread) \(step)") }
                try store.close()
            } catch { Issue.record(error) }
        }
        try first.indexes.build()
        try first.expectCompleteIndexes()
        try first.close()
    }

    @Test(
        "what a program without the indexes has saved is caught up with",
        arguments: IndexScene.Engine.allCases, [30, 150])
    func catchingUp(engine: IndexScene.Engine, edits: Int) throws {
        let scene = try IndexScene(engine, chunkLimit: 100)
        let first = try scene.open()
        try first.close()
        for round in 0..<2 {
            let newer = try scene.open()
            for number in 0..<250 {
                newer.insert(IndexedSong("S\(number)", artist: "A\(number % 3)", year: number % 9))
            }
            try newer.save()
            try newer.indexes.build()
            try newer.close()
            let older = try scene.open(IndexScene.older)
            var random = SeededRandom(seed: UInt64(round))
            for number in 0..<edits {
                let songs = try older.objects(of: OlderSong.self)
                let song = songs[random.below(songs.count)]
                switch random.below(4) {
                case 0: song.title = "older \(number)"
                case 1: song.isrc = "O\(round) \(number)"
                case 2: song.tags = ["o", "\(number)"]
                default: if songs.count > 20 { try older.delete(song) }
                }
            }
            try older.save()
            try older.close()
            try scene.reopen(chunkLimit: 100)
        }
        let store = try scene.open()
        #expect(try store.hasWork() || store.indexes.progress == nil)
        try store.indexes.build()
        try store.expectCompleteIndexes()
    }

    @Test(
        "saves with and without the indexes at the same time leave them right in the end",
        arguments: IndexScene.Engine.allCases, 1...2)
    func bothAtOnce(engine: IndexScene.Engine, seed: Int) throws {
        let scene = try IndexScene(engine, chunkLimit: 50)
        try scene.fill(300)
        let backend = scene.backend
        let first = try scene.open()
        try first.indexes.build()
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            do {
                var random = SeededRandom(seed: UInt64(seed * 100 + thread))
                switch thread {
                case 0:
                    let store = try Store(backend: backend, classes: IndexScene.newer)
                    for step in 0..<12 { try change(store, &random, "\(thread) \(step)") }
                    try store.close()
                case 1:
                    let store = try Store(backend: backend, classes: IndexScene.older)
                    for step in 0..<8 {
                        let songs = try store.objects(of: OlderSong.self)
                        for _ in 0..<4 { songs[random.below(songs.count)].title = "older \(step)" }
                        try? store.save(onConflict: .mine)
                    }
                    try store.close()
                default:
                    let store = try Store(backend: backend, classes: IndexScene.newer)
                    for _ in 0..<4 { try store.indexes.build() }
                    try store.close()
                }
            } catch { Issue.record(error) }
        }
        try first.indexes.build()
        try first.expectCompleteIndexes()
        try first.close()
    }

    @Test("records with equal keys refuse a unique index", arguments: IndexScene.Engine.allCases)
    func refused(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine, chunkLimit: 30)
        try scene.fill(400, duplicates: 2)
        let store = try scene.open()
        do {
            try store.indexes.build()
            Issue.record("It was built.")
        } catch StoreError.notUnique(let name, let index, let row, let other) {
            #expect(name == "IndexedSong" && index == "isrc" && row != other)
        }
        let indexes = try #require(
            try store.indexKeeper?.indexes(of: store.registered(IndexedSong.self)))
        for index in indexes.all { #expect(index.isComplete == (index.name != "isrc")) }
        for song in try store.objects(of: IndexedSong.self) where song.isrc == "same" {
            song.isrc = "\(song.rowID)"
        }
        try store.save()
        try store.indexes.build()
        try store.expectCompleteIndexes()
    }
}

/// Changes some songs at random, and saves.
private func change(_ store: Store, _ random: inout SeededRandom, _ note: String) throws {
    try store.refresh()
    let songs = try store.objects(of: IndexedSong.self)
    for number in 0..<5 {
        let song = songs[random.below(songs.count)]
        if song.isDeleted { continue }
        switch random.below(6) {
        case 0: song.title = "changed \(note)"
        case 1: song.tags.append(note)
        case 2: song.isrc = random.below(3) == 0 ? nil : "\(note) \(number)"
        case 3: song.rating += 1
        case 4: store.insert(IndexedSong("new \(note)"))
        default: try store.delete(song)
        }
    }
    try store.save(onConflict: .mine)
}
