import Cabinet
import Foundation

// Live queries: what one change costs in a list of 1,000 and of 100,000 objects, what 10,000 lists of
// another class and 10,000 counts by a field that stays add to a save, and what a list adds to a save of
// 100,000 new objects. All in time of the thread that saves. Medians of `--runs N` (5), in
// `--directory D`.

/// The value behind `name` on the command line.
func argument(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else {
        return nil
    }
    return arguments[place + 1]
}

let runs = argument("--runs").flatMap(Int.init) ?? 5
let directory = argument("--directory") ?? NSTemporaryDirectory()

func report(_ name: String, _ figure: String) {
    print(name.padding(toLength: 56, withPad: " ", startingAt: 0) + figure)
}

func microseconds(_ time: Double) -> String { String(format: "%.2f us", time * 1e6) }

// MARK: One change

/// The median time in which `store` takes up one song's change, by its own save or by a refresh after
/// another's, and gives the change of `live`, if there is one.
@MainActor func timeOfChange(
    in store: Store, savedBy other: Store?, _ live: LiveObjects<Song>?, ofTitles: Bool = false
) async throws -> Double {
    let songs = try (other ?? store).objects(of: Song.self)
    var changes = live?.changes.makeAsyncIterator()
    _ = try await changes?.next(isolation: #isolation)
    var choices = Choices()
    var times: [Double] = []
    for _ in 0..<2_000 {
        let song = songs[choices.next(below: songs.count)]
        let number = (song.number + 1 + choices.next(below: songs.count - 1)) % songs.count
        if ofTitles { song.title = "Test Song \(number)" } else { song.number = number }
        if let other { try other.save() }
        let start = threadTime()
        if other == nil { try store.save() } else { try store.refresh() }
        let change = try await changes?.next(isolation: #isolation)
        times.append(threadTime() - start)
        if live != nil, change?.updates.count != 1 { fatalError("a change is lost") }
    }
    return times.median
}

@MainActor func measureChanges() async throws {
    for count in [1_000, 100_000] {
        var (own, others): ([Double], [Double]) = ([], [])
        for _ in 0..<runs {
            try await withContainer(songs: count, in: directory) { container in
                let (store, other) = (try container.makeStore(), try container.makeStore())
                let plain = try await timeOfChange(in: store, savedBy: nil, nil)
                try other.refresh()
                let plainOther = try await timeOfChange(in: store, savedBy: other, nil)
                let live = try store.query(Song.self).sorted(by: \.number).live()
                others.append(
                    try await timeOfChange(in: store, savedBy: other, live) - plainOther)
                own.append(try await timeOfChange(in: store, savedBy: nil, live) - plain)
            }
        }
        report("One change in a list of \(count)", microseconds(own.median))
        report("One change of another store in a list of \(count)", microseconds(others.median))
    }
}

// MARK: Lists of another class

@MainActor func measureIdle() async throws {
    var added: [Double] = []
    for _ in 0..<runs {
        try await withContainer(songs: 1_000, in: directory) { container in
            let store = try container.makeStore()
            let plain = try await timeOfChange(in: store, savedBy: nil, nil)
            let lists = try (0..<10_000).map { _ in
                try store.query(Singer.self).sorted(by: \.name).live()
            }
            added.append(try await timeOfChange(in: store, savedBy: nil, nil) - plain)
            withExtendedLifetime(lists) {}
        }
    }
    report(
        "10,000 lists of another class, added to a save",
        String(format: "%.0f ns", added.median * 1e9))
}

// MARK: Values of a field that stays

@MainActor func measureUntouched() async throws {
    var added: [Double] = []
    for _ in 0..<runs {
        try await withContainer(songs: 1_000, in: directory) { container in
            let store = try container.makeStore()
            let live = try store.query(Song.self).limit(0).live()
            let plain = try await timeOfChange(in: store, savedBy: nil, nil, ofTitles: true)
            let counts = try (0..<10_000).map { number in
                try store.query(Song.self).filter(#Predicate { $0.number == number }).liveCount()
            }
            added.append(
                try await timeOfChange(in: store, savedBy: nil, nil, ofTitles: true) - plain)
            withExtendedLifetime((live, counts)) {}
        }
    }
    report(
        "10,000 counts by values of another field, added to a save",
        String(format: "%.0f ns", added.median * 1e9))
}

// MARK: Many new objects

@MainActor func measureInsert() async throws {
    let count = 100_000
    func time(isLive: Bool, isRead: Bool = false) async throws -> Double {
        try await withContainer(songs: 1_000, in: directory) { container in
            let store = try container.makeStore()
            let live = isLive ? try store.query(Song.self).sorted(by: \.number).live() : nil
            var changes = isRead ? live?.changes.makeAsyncIterator() : nil
            _ = try await changes?.next(isolation: #isolation)
            insert(count, into: store)
            let start = threadTime()
            try store.save()
            let change = try await changes?.next(isolation: #isolation)
            let time = threadTime() - start
            if isRead, change?.insertions.count != count { fatalError("a change is lost") }
            if let live, live.objects.count != count + 1_000 { fatalError("objects are lost") }
            return time
        }
    }
    var (alone, read): ([Double], [Double]) = ([], [])
    for _ in 0..<runs {
        let plain = try await time(isLive: false)
        alone.append(try await time(isLive: true) / plain)
        read.append(try await time(isLive: true, isRead: true) / plain)
    }
    let name = "100,000 new objects under a list, by a plain save"
    report(name, String(format: "%.2f x", alone.median))
    report("The same, and the change set", String(format: "%.2f x", read.median))
}

for name in argument("--only").map({ [$0] }) ?? ["changes", "idle", "untouched", "insert"] {
    switch name {
    case "changes": try await measureChanges()
    case "idle": try await measureIdle()
    case "untouched": try await measureUntouched()
    case "insert": try await measureInsert()
    default: fatalError("--only changes, idle, untouched or insert")
    }
}
