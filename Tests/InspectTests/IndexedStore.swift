import Cabinet
import Foundation

/// A class with indexes that the catalog explains, and with some that it does not.
final class IndexedTune: StoredObject {
    @Field var title = ""
    @Field var artist: String?
    @Field var year = 0
    @Field var rating: Double = 0
    @Field var released: Date?
    @Field var tags: [String] = []

    override class var storageName: String { "Tune" }

    override class var indexes: [Index] {
        [
            .ordered(\IndexedTune.artist, \IndexedTune.year),
            .ordered(\IndexedTune.title, collation: .caseInsensitive),
            .ordered(\IndexedTune.rating),
            .unique(\IndexedTune.released),
            .ordered(\IndexedTune.year, named: "late", where: { $0.year > 2000 }),
            .elements(of: \IndexedTune.tags),
            .ordered(
                \IndexedTune.title,
                collation: Collation(name: "length", version: 1) { [UInt8(clamping: $0.count)] }),
            .computed(named: "decade") { (tune: IndexedTune) in tune.year / 10 },
        ]
    }

    override class var textIndexes: [TextIndex] {
        [
            .text(\IndexedTune.title), .text(\IndexedTune.artist, tokenizer: .substring),
            .computed(named: "both") { (tune: IndexedTune) in tune.title + (tune.artist ?? "") },
        ]
    }
}

extension InspectStore {
    static let words = ["Blue", "train", "Été", "naïve", "Straße", "red", "Choice", "time"]

    /// Saves tunes in several commits, so that some are in segments of text indexes and others are not.
    func makeTunes(_ count: Int = 400) throws {
        let store = try Store(
            directory: URL(fileURLWithPath: path), classes: [IndexedTune.self])
        for number in 0..<count {
            let tune = IndexedTune()
            let words = (0...number % 3).map { Self.words[(number * 7 + $0 * 3) % 8] }
            tune.title = words.joined(separator: " ") + (number % 10 == 0 ? " \(number)" : "")
            tune.artist = number % 11 == 0 ? nil : "Artist \(number % 13)"
            tune.year = 1950 + number % 60
            tune.rating = Double(number % 9) / 2 - 1
            if number % 4 == 0 {
                tune.released = Date(timeIntervalSinceReferenceDate: Double(number))
            }
            tune.tags = ["t\(number % 3)"]
            store.insert(tune)
            if number == count - 30 { try store.save() }
        }
        try store.save()
        try store.close()
    }

    func withTunes<Result>(_ body: (Store) throws -> Result) throws -> Result {
        let store = try Store(
            directory: URL(fileURLWithPath: path), classes: [IndexedTune.self])
        defer { try? store.close() }
        return try body(store)
    }
}
