import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// As `IndexedSong`, of a program that knows no indexes.
final class OlderSong: StoredObject {
    @Field var title = ""
    @Field var artist = ""
    @Field var year = 0
    @Field var isrc: String?
    @Field var rating = 0
    @Field var tags: [String] = []
    @One var album: OlderAlbum?

    override class var storageName: String { "IndexedSong" }
}

final class OlderAlbum: StoredObject {
    @Field var name = ""
    @Many(inverse: \OlderSong.album) var songs: [OlderSong]

    override class var storageName: String { "IndexedAlbum" }
}

/// A backend that stores with and without indexes are opened over, one after another or at once.
final class IndexScene {
    enum Engine: String, CaseIterable, Sendable {
        case memory, files
    }

    static let newer: [StoredObject.Type] = [IndexedSong.self, IndexedAlbum.self]
    static let older: [StoredObject.Type] = [OlderSong.self, OlderAlbum.self]

    let engine: Engine
    private(set) var backend: any Backend
    private var container: StoreContainer
    private let directory: TemporaryDirectory

    init(_ engine: Engine, chunkLimit: Int? = nil) throws {
        self.engine = engine
        directory = try TemporaryDirectory()
        backend = try Self.open(engine, directory)
        container = StoreContainer(backend: backend, classes: [])
        if let chunkLimit { limitChunks(chunkLimit) }
    }

    deinit { try? container.close() }

    private static func open(
        _ engine: Engine, _ directory: TemporaryDirectory
    ) throws -> any Backend {
        switch engine {
        case .memory: MemoryBackend()
        case .files:
            try TokyoBackend(
                path: directory.url.appending(path: "Store").path, durability: .process)
        }
    }

    private func limitChunks(_ limit: Int) {
        CommitHub.of(backend).upkeep.limitChunks(to: limit)
    }

    /// Closes the backend, which stops what is being built, and opens it again. In memory, what is there
    /// stays.
    func reopen(chunkLimit: Int? = nil) throws {
        if engine == .memory {
            CommitHub.of(backend).upkeep.end()
        } else {
            try container.close()
            backend = try Self.open(engine, directory)
            container = StoreContainer(backend: backend, classes: [])
        }
        if let chunkLimit { limitChunks(chunkLimit) }
    }

    func open(_ classes: [StoredObject.Type] = newer) throws -> Store {
        try Store(backend: backend, classes: classes)
    }

    /// Saves songs by a program without indexes.
    func fill(_ count: Int, duplicates: Int = 0) throws {
        let store = try open(Self.older)
        let albums = (0..<5).map { _ in OlderAlbum() }
        for album in albums { store.insert(album) }
        for number in 0..<count {
            let song = OlderSong()
            song.title = "Song \(number % 97)"
            song.artist = "Artist \(number % 7)"
            song.year = 1950 + number % 60
            song.rating = number % 4
            song.tags = (0..<number % 4).map { "t\($0)" }
            if number % 3 == 0 { song.isrc = "I\(number)" }
            if number < duplicates { song.isrc = "same" }
            if number % 5 == 0 { song.album = albums[number % 5] }
            store.insert(song)
        }
        try store.save()
        try store.close()
    }
}

extension Store {
    /// Expects that all indexes of `IndexedSong` are complete, and as its records say.
    func expectCompleteIndexes(
        _ count: Int = 7, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let keeper = try #require(indexKeeper)
        let indexes = try #require(try keeper.indexes(of: registered(IndexedSong.self)))
        for index in indexes.all {
            #expect(
                index.isComplete, "\(index.name): \(String(describing: index.entry))",
                sourceLocation: sourceLocation)
        }
        let contents = try indexContents(of: IndexedSong.self)
        #expect(contents.count == count, sourceLocation: sourceLocation)
        for (name, content) in contents {
            #expect(content.found == content.expected, "\(name)", sourceLocation: sourceLocation)
        }
    }
}
