import Cabinet
import CabinetTokyo
import Foundation

/// What it takes to look back.
@MainActor struct Looking {
    let directory: String
    let runs: Int

    // MARK: As of a commit

    private nonisolated static let objects = 100_000
    private static let commits = 1_000
    private static let changesEach = 100

    /// A fetch of all objects as of a thousand commits ago, by the same fetch now.
    func measurePast() async throws {
        for isMoved in [false, true] {
            var times: [(past: Double, now: Double)] = []
            try await withContainer(of: KeptSong.self, in: directory) { container, backend in
                // Who has the claim, moves: here none does at first.
                let claim = try backend.claimWork("history")
                let first = try fill(container)
                claim?.end()
                if isMoved { backend.waitForHistory() }
                let again = isMoved ? nil : try backend.claimWork("history")
                for _ in 0..<runs {
                    let expected = Self.objects * (Self.objects - 1) / 2
                    var start = Time()
                    let past = try await container.read(asOf: first) { try Self.sum(in: $0) }
                    let pastTime = (Time() - start).process
                    start = Time()
                    let now = try await container.read { try Self.sum(in: $0) }
                    times.append((pastTime, (Time() - start).process))
                    guard past == expected, now == expected + Self.commits * Self.changesEach
                    else { fatalError("\(past) and \(now)") }
                }
                again?.end()
            }
            report(
                "As of \(Self.commits) commits ago, from \(isMoved ? "tables" : "the log"), by now",
                String(
                    format: "%.2f x (%@)", times.map { $0.past / $0.now }.median,
                    milliseconds(times.map(\.past).median)))
        }
    }

    private nonisolated static func sum(in store: Store) throws -> Int {
        let songs = try store.objects(of: KeptSong.self)
        guard songs.count == objects else { fatalError("\(songs.count) songs") }
        return songs.reduce(0) { $0 + $1.number }
    }

    private func fill(_ container: StoreContainer) throws -> CommitNumber {
        let store = try container.makeStore()
        insert(Self.objects, of: KeptSong.self, into: store)
        try store.save()
        let first = store.basis
        let songs = try store.objects(of: KeptSong.self)
        var choices = Choices()
        for _ in 0..<Self.commits {
            for _ in 0..<Self.changesEach {
                songs[choices.next(below: songs.count)].number += 1
            }
            try store.save()
        }
        try store.close()
        return first
    }

    // MARK: One object

    /// The history of one object among a million changes: right after the last of them, and later.
    func measureObject() async throws {
        for (count, saves) in [(100_000, 10), (100, 10_000)] {
            try await withContainer(of: KeptSong.self, in: directory) { container, backend in
                let store = try container.makeStore()
                insert(100_000, of: KeptSong.self, into: store)
                try store.save()
                let songs = try store.objects(of: KeptSong.self)
                var changes = [Int](repeating: 1, count: songs.count)
                var choices = Choices()
                for _ in 1..<saves {
                    var chosen: Set<Int> = []
                    for index in 0..<count {
                        let index =
                            count == songs.count ? index : choices.next(below: songs.count)
                        songs[index].number += 1
                        chosen.insert(index)
                    }
                    for index in chosen { changes[index] += 1 }
                    try store.save()
                }
                let name = "History of an object, after \(saves) saves of \(count)"
                func ask(_ count: Int) throws -> [Double] {
                    try (0..<count).map { _ in
                        let index = choices.next(below: songs.count)
                        let start = Time()
                        let events = try container.history(of: songs[index])
                        let time = (Time() - start).clock
                        guard events.count == changes[index] else { fatalError("a change is lost") }
                        return time
                    }
                }
                let early = try ask(20)
                report(name + ", at once: first", milliseconds(early[0]))
                report(name + ", at once: median", milliseconds(early.median))
                let start = Time()
                backend.waitForHistory()
                report(name + ", moved in", milliseconds((Time() - start).clock))
                report(name + ", moved: median", milliseconds(try ask(1_000).median))
                try store.close()
            }
        }
    }
}
