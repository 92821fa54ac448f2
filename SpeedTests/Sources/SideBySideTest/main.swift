import CRivals
import Cabinet
import CabinetTokyo
import Foundation

// Stores side by side: what open snapshots cost a small save, how many saves several stores make at
// `.full`, and what a merge costs. Medians of `--runs N` (5), in `--directory D`.

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
    print(name.padding(toLength: 44, withPad: " ", startingAt: 0) + figure)
}

/// A small save at `.process`, alone and beside eight open snapshots.
func measureSnapshots() throws {
    let saves = 5_000
    var times: [(plain: Double, beside: Double)] = []
    for _ in 0..<runs {
        let pair = try withContainer(.process, songs: 10_000, in: directory) { container in
            let store = try container.makeStore()
            let songs = try store.objects(of: Song.self)
            func save() throws -> Double {
                try seconds {
                    for number in 0..<saves {
                        songs[number % songs.count].number += 1
                        try store.save()
                    }
                }
            }
            _ = try save()
            let plain = try save()
            let snapshots = try (0..<8).map { _ in try container.backend.snapshot() }
            let beside = try save()
            withExtendedLifetime(snapshots) {}
            return (plain, beside)
        }
        times.append(pair)
    }
    let plain = times.map(\.plain).median / Double(saves)
    let ratio = times.map { $0.beside / $0.plain }.median
    report("Small save, .process", String(format: "%.2f us", plain * 1e6))
    report("Small save beside 8 snapshots", String(format: "%.2f x", ratio))
}

/// Saves a second at `.full` of `count` stores, each on a thread of its own.
func savesASecond(_ count: Int, _ container: StoreContainer) throws -> Double {
    let saves = 300
    let group = DispatchGroup()
    let time = seconds {
        for writer in 0..<count {
            let thread = Thread {
                do {
                    let store = try container.makeStore()
                    guard let song = try store.object(Song.self, rowID: RowID(UInt32(writer + 2)))
                    else { fatalError("no song") }
                    for _ in 0..<saves {
                        song.number += 1
                        try store.save()
                    }
                    try store.close()
                } catch { fatalError("\(error)") }
                group.leave()
            }
            group.enter()
            thread.start()
        }
        group.wait()
    }
    return Double(count * saves) / time
}

func measureStores() throws {
    var one: [Double] = []
    var sixteen: [Double] = []
    var rival: [Double] = []
    for _ in 0..<runs {
        try withContainer(.full, songs: 100, in: directory) { container in
            one.append(try savesASecond(1, container))
            sixteen.append(try savesASecond(16, container))
        }
        rival.append(try bestOfSQLite())
    }
    report("Saves a second at .full, 1 store", String(format: "%.0f", one.median))
    report("Saves a second at .full, 16 stores", String(format: "%.0f", sixteen.median))
    report("The same, by 1 store", String(format: "%.2f x", sixteen.median / one.median))
    report("The same, by SQLite's best", String(format: "%.2f x", sixteen.median / rival.median))
}

/// The most saves a second of 1 to 16 connections.
func bestOfSQLite() throws -> Double {
    let path = directory + "/shared-\(UUID().uuidString).sqlite"
    defer {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }
    if let failure = speed_sqlite_shared_prepare(path, 100) { fatalError(String(cString: failure)) }
    var best = 0.0
    for connections in [1, 2, 4, 8, 16] as [Int32] {
        let saves: Int32 = 100
        let time = seconds {
            if let failure = speed_sqlite_shared_save(path, connections, saves) {
                fatalError(String(cString: failure))
            }
        }
        best = max(best, Double(connections * saves) / time)
    }
    return best
}

/// A save of 10,000 objects that another store has changed too, and a plain one.
func measureMerge() throws {
    let count = 10_000
    var ratios: [Double] = []
    for _ in 0..<runs {
        try withContainer(.process, songs: count, in: directory) { container in
            let (mine, theirs) = (try container.makeStore(), try container.makeStore())
            let songs = try mine.objects(of: Song.self)
            for song in songs { song.number += 1 }
            let plain = try seconds { try mine.save() }
            try theirs.refresh()
            for song in try theirs.objects(of: Song.self) { song.title += "!" }
            for song in songs { song.number += 1 }
            try theirs.save()
            let merge = try seconds { try mine.save(onConflict: .merge) }
            guard songs.allSatisfy({ $0.title.hasSuffix("!") && $0.number == 2 }) else {
                fatalError("an update is lost")
            }
            ratios.append(merge / plain)
        }
    }
    report("Merge of 10,000 objects, by a plain save", String(format: "%.2f x", ratios.median))
}

let parts = [
    "snapshots": measureSnapshots, "merge": measureMerge, "stores": measureStores,
]
for name in argument("--only").map({ [$0] }) ?? ["snapshots", "merge", "stores"] {
    guard let part = parts[name] else { fatalError("--only snapshots, merge or stores") }
    try part()
}
