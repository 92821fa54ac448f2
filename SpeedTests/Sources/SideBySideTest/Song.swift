import Cabinet
import Foundation

/// A song of 24 bytes of title, as in the other tests.
final class Song: StoredObject {
    @Field var title = ""
    @Field var number = 0
}

/// A directory that goes with the measurement.
func withContainer<Result>(
    _ durability: Durability, songs: Int, in directory: String,
    _ body: (StoreContainer) throws -> Result
) throws -> Result {
    let url = URL(filePath: directory).appending(path: "Store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    let container = try StoreContainer(directory: url, classes: [Song.self], durability: durability)
    let store = try container.makeStore()
    for number in 1...songs {
        let song = Song()
        song.title = "Test Song \(number)"
        store.insert(song)
    }
    try store.save()
    try store.close()
    let result = try body(container)
    try container.close()
    return result
}

/// How long `body` takes, in seconds.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
}

extension [Double] {
    var median: Double { sorted()[count / 2] }
}
