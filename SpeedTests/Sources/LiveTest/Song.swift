import Cabinet
import Foundation

/// What is listed, by its number.
final class Song: StoredObject {
    @Field var title = ""
    @Field var number = 0
}

/// What is listed while songs are saved.
final class Singer: StoredObject {
    @Field var name = ""
}

/// A container in a directory that goes with the measurement, with songs numbered from 0 on.
@MainActor func withContainer<Result>(
    songs: Int, in directory: String, _ body: (StoreContainer) async throws -> Result
) async throws -> Result {
    let url = URL(filePath: directory).appending(path: "Store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    let container = try StoreContainer(
        directory: url, classes: [Song.self, Singer.self], durability: .process)
    let store = try container.makeStore()
    insert(songs, into: store)
    try store.save()
    try store.close()
    let result = try await body(container)
    try container.close()
    return result
}

func insert(_ count: Int, into store: Store) {
    for number in 0..<count {
        let song = Song()
        song.title = "Test Song \(number)"
        song.number = number
        store.insert(song)
    }
}

/// What the calling thread has had of the processor, in seconds.
func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Numbers at random, the same in each run.
struct Choices {
    private var state: UInt64 = 2010

    /// A number below `limit`.
    mutating func next(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}

extension [Double] {
    var median: Double { sorted()[count / 2] }
}
