import Cabinet
import Foundation

/// A song with an index, as libraries have them.
final class FiledSong: StoredObject {
    @Field var title = ""
    @Field var artist = ""
    @Field var year = 0
    @Field var seconds = 0.0

    override class var indexes: [Index] { [.ordered(\FiledSong.title)] }
}

/// Times opening and saving a store file, and reading its metadata: medians of `runs`, milliseconds.
struct StoreFileTest {
    let count: Int
    let runs: Int
    let place: URL

    func run() throws {
        let url = place.appending(path: "Songs.cabinet")
        try make(url)
        var times: [String: [Double]] = [:]
        for run in 0..<runs {
            var file: StoreFile?
            times["open", default: []].append(
                try time { file = try open(url) })
            guard let file else { return }
            let found = try file.store.count(of: FiledSong.self)
            precondition(found == count, "\(found) songs of \(count)")
            let song = try file.store.query(FiledSong.self).first()
            song?.year = 2000 + run
            times["save", default: []].append(try time { try file.save() })
            precondition(!file.isEdited)
            try file.close()
            var title = ""
            times["metadata", default: []].append(
                try time { title = try StoreFile.metadata(of: url).title })
            precondition(title == "Songs")
        }
        let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
        print("\(count) songs, a file of \(size) bytes; median of \(runs) runs, ms")
        for (name, values) in times.sorted(by: { $0.key < $1.key }) {
            print(name, String(format: "%.2f", values.sorted()[values.count / 2]))
        }
    }

    private func open(_ url: URL) throws -> StoreFile {
        try StoreFile(
            url, classes: [FiledSong.self], workingDirectory: place.appending(path: "Working"),
            log: .none)
    }

    private func make(_ url: URL) throws {
        let file = try open(url)
        for number in 0..<count {
            let song = FiledSong()
            song.title = "Song \(number &* 7919 % count)"
            song.artist = "Artist \(number % 997)"
            song.year = 1950 + number % 75
            song.seconds = Double(number % 400)
            file.store.insert(song)
        }
        file.metadata.title = "Songs"
        file.metadata.thumbnail = Data(repeating: 7, count: 20_000)
        try file.store.indexes.build()
        try file.save()
        try file.close()
    }

    private func time(_ body: () throws -> Void) throws -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .milliseconds(1)
    }
}

let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let place = FileManager.default.temporaryDirectory.appending(path: "StoreFileTest-\(UUID())")
try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: place) }
try StoreFileTest(count: words.first ?? 100_000, runs: words.dropFirst().first ?? 5, place: place)
    .run()
