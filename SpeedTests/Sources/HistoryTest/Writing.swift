import Cabinet
import Foundation

/// What history adds to saves.
@MainActor struct Writing {
    let directory: String
    let runs: Int
    let count: Int

    /// What each piece of work took.
    private struct Result {
        var insert: Time
        var update: Time
        var small: Time
    }

    private static let smallSaves = 20_000

    func run() async throws {
        var plain: [[Result]] = [[], []]
        var kept: [[Result]] = [[], []]
        for _ in 0..<runs {
            plain[0].append(try await measure(Song.self))
            kept[0].append(try await measure(KeptSong.self))
            plain[1].append(try await measure(IndexedSong.self))
            kept[1].append(try await measure(KeptIndexedSong.self))
        }
        for (index, name) in ["without an index", "with an index"].enumerated() {
            print("History on, by the same with history off, \(name): saving thread, clock")
            line("  insert of \(count)", kept[index], plain[index], \.insert)
            line("  update of \(count)", kept[index], plain[index], \.update)
            line("  small save", kept[index], plain[index], \.small)
        }
    }

    private func line(
        _ name: String, _ kept: [Result], _ plain: [Result], _ part: KeyPath<Result, Time>
    ) {
        func ratio(_ time: KeyPath<Time, Double>) -> Double {
            zip(kept, plain).map {
                $0[keyPath: part][keyPath: time] / $1[keyPath: part][keyPath: time]
            }.median
        }
        report(
            name,
            String(
                format: "%.2f x, %.2f x (%@)", ratio(\.thread), ratio(\.clock),
                milliseconds(kept.map { $0[keyPath: part].thread }.median)))
    }

    private func measure<Song: AnySong>(_ type: Song.Type) async throws -> Result {
        try await withContainer(of: type, in: directory) { container, backend in
            var store = try container.makeStore()
            var start = Time()
            insert(count, of: type, into: store)
            try store.save()
            let insertTime = Time() - start
            try store.close()
            if type.keepsHistory { backend.waitForHistory() }

            store = try container.makeStore()
            start = Time()
            let songs = try store.objects(of: type)
            for song in songs { song.number += 1 }
            try store.save()
            let updateTime = Time() - start
            if type.keepsHistory { backend.waitForHistory() }

            var choices = Choices()
            start = Time()
            for _ in 0..<Self.smallSaves {
                songs[choices.next(below: songs.count)].number += 1
                try store.save()
            }
            let smallTime = Time() - start
            let sum = songs.reduce(0) { $0 + $1.number }
            guard sum == count * (count - 1) / 2 + count + Self.smallSaves else {
                fatalError("an update is lost")
            }
            try store.close()
            return Result(insert: insertTime, update: updateTime, small: smallTime)
        }
    }

    /// A save with one more step of undo that is kept for later runs, beside few and beside many.
    func measureKeptSteps() async throws {
        for steps in [10, 1_000] {
            try await withContainer(of: Song.self, in: directory) { container, _ in
                let store = try container.makeStore()
                insert(100, of: Song.self, into: store)
                try store.save()
                store.author = "maria"
                store.undoHistory.survivesRelaunch = true
                let songs = try store.objects(of: Song.self)
                for _ in 0..<steps {
                    try store.undoHistory.group("all") { for song in songs { song.number += 1 } }
                    try store.save()
                }
                let start = Time()
                for song in songs {
                    song.number += 1
                    try store.save()
                }
                report(
                    "A save with one more step, \(steps) of 100 objects are kept",
                    milliseconds((Time() - start).thread / Double(songs.count)))
                try store.close()
            }
        }
    }
}
