#if PostgreSQL
    import CServer
    import Cabinet
    import CabinetBackend
    import CabinetPostgreSQL
    import Foundation

    /// How long `body` takes, in seconds.
    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// What C takes, in seconds.
    private func rival(
        _ body: (UnsafeMutablePointer<Double>) -> UnsafePointer<CChar>?
    ) -> Double {
        var time = 0.0
        if let failure = body(&time) { fatalError(String(cString: failure)) }
        return time
    }

    extension [Double] {
        fileprivate var median: Double { sorted()[count / 2] }
    }

    private func time(_ seconds: Double) -> String {
        seconds < 0.001
            ? String(format: "%.0f us", seconds * 1e6)
            : seconds < 1
                ? String(format: "%.2f ms", seconds * 1e3) : String(format: "%.2f s", seconds)
    }

    /// Prints the median of each, and that of the ratios of both in a run.
    private func report(_ name: String, _ runs: [(ours: Double, other: Double)], per units: Int = 1)
    {
        let (ours, other) = (runs.map(\.ours).median, runs.map(\.other).median)
        let ratio = runs.map { $0.ours / $0.other }.median
        print(
            name.padding(toLength: 52, withPad: " ", startingAt: 0)
                + "\(time(ours / Double(units))), \(time(other / Double(units))), "
                + String(format: "%.2f", ratio))
        fflush(nil)
    }

    // MARK: Many rows

    func measureRows() throws {
        // A number of four bytes and a title, as the class has them, and the sum behind them.
        let size = 4 + 4 + 17 + 8 + 4
        var (inserts, fetches): ([(Double, Double)], [(Double, Double)]) = ([], [])
        for _ in 0..<runs {
            try withStore(songs: 0) { place in
                let inserting = try seconds {
                    let store = try place.open()
                    insert(objects, into: store)
                    try store.save()
                    try store.close()
                }
                let copying = rival {
                    server_copy_rows(ServerStore.address(), UInt32(objects), UInt32(size), $0)
                }
                var songs: [Song] = []
                let fetching = try seconds {
                    let store = try place.open()
                    songs = try store.objects(of: Song.self)
                    let sum = songs.reduce(0) { $0 + $1.number }
                    guard sum == objects * (objects - 1) / 2 else { fatalError("a song is lost") }
                    try store.close()
                }
                let selecting = rival {
                    server_select_rows(ServerStore.address(), UInt32(objects), UInt32(size), $0)
                }
                withExtendedLifetime(songs) {}
                inserts.append((inserting, copying))
                fetches.append((fetching, selecting))
            }
        }
        report("insert, save, close; COPY from C", inserts)
        report("open, fetch all, close; SELECT from C", fetches)
    }

    // MARK: Small saves

    /// How long a number of stores take, each on a thread of its own, with `saves` each.
    private func timeOfSaves(
        _ saves: Int, by clients: Int, _ place: ServerStore, _ durability: Durability = .full
    ) throws -> Double {
        nonisolated(unsafe) let stores = try (0..<clients).map { _ in
            try place.open(durability: durability)
        }
        let group = DispatchGroup()
        let time = seconds {
            for index in 0..<clients {
                group.enter()
                Thread {
                    do {
                        let store = stores[index]
                        guard
                            let song = try store.object(Song.self, rowID: RowID(UInt32(index + 2)))
                        else { fatalError("no song") }
                        for _ in 0..<saves {
                            song.number += 1
                            try store.save()
                        }
                    } catch { fatalError("\(error)") }
                    group.leave()
                }.start()
            }
            group.wait()
        }
        for store in stores { try store.close() }
        return time
    }

    func measureSaves() throws {
        for durability in [Durability.full, .process] {
            for (clients, saves) in [(1, 2_000), (16, 200)] {
                try measureSaves(saves, by: clients, durability)
            }
        }
    }

    private func measureSaves(_ saves: Int, by clients: Int, _ durability: Durability) throws {
        var times: [(Double, Double)] = []
        for _ in 0..<runs {
            try withStore(songs: 100) { place in
                let ours = try timeOfSaves(saves, by: clients, place, durability)
                let other = rival {
                    server_call_commit(
                        ServerStore.address(), place.schema, durability == .full, UInt32(clients),
                        UInt32(saves), $0)
                }
                let store = try place.open()
                let numbers = try store.objects(of: Song.self).prefix(clients).enumerated()
                guard numbers.allSatisfy({ $0.element.number == $0.offset + saves }) else {
                    fatalError("an update is lost")
                }
                let last = try store.backend.lastCommit().rawValue
                guard last >= 2 * clients * saves else { fatalError("a commit is lost") }
                try store.close()
                times.append((ours, other))
            }
        }
        let name =
            clients == 1 ? "small save; the function from C" : "the same by \(clients) clients"
        report("\(name), .\(durability)", times, per: clients * saves)
    }

    // MARK: A way that takes its time

    func measureDelay() throws {
        let count = 1_000
        let directory = "/tmp/cabinet-delay-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        if let failure = server_delay(directory, socketDirectory, 1_000) {
            fatalError(String(cString: failure))
        }
        var (fetches, faults): ([(Double, Double)], [(Double, Double)]) = ([], [])
        try withStore(songs: 0) { place in
            let store = try place.open()
            let list = SongList()
            list.songs = (0..<count).map { number in
                let song = ListedSong()
                (song.title, song.year) = ("Test Song \(number)", 1960)
                return song
            }
            store.insert(list)
            try store.save()
            try store.indexes.require()
            try store.close()
            for _ in 0..<runs {
                func measure(_ directory: String) throws -> (Double, Double) {
                    let store = try place.open(by: directory)
                    let query = store.query(ListedSong.self).filter { $0.year == 1960 }
                    var found: [ListedSong] = []
                    let fetch = try seconds { found = try query.objects() }
                    let other = try place.open(by: directory)
                    guard let songs = try other.objects(of: SongList.self).first?.songs else {
                        fatalError("no list")
                    }
                    var titles: Set<String> = []
                    let touch = seconds { titles = Set(songs.map(\.title)) }
                    guard found.count == count, titles.count == count else {
                        fatalError("a song is lost")
                    }
                    try store.close()
                    try other.close()
                    return (fetch, touch)
                }
                let (slow, direct) = (try measure(directory), try measure(socketDirectory))
                fetches.append((slow.0, direct.0))
                faults.append((slow.1, direct.1))
            }
        }
        report("1,000 objects by an index, 2 ms away; at once", fetches)
        report("1,000 faults of a list, 2 ms away; at once", faults)
    }

    // MARK: Followers

    private let followers = 100

    /// Keeps stores open that hear of commits, until the input ends.
    func follow() throws {
        let backends = try (0..<followers).map { _ in
            try PostgresBackend(ServerStore.address(), store: "speed", access: .readOnly)
        }
        let subscriptions = backends.map { $0.onCommit { _ in } }
        print("ready")
        fflush(nil)
        _ = readLine()
        withExtendedLifetime(subscriptions) {}
        for backend in backends { try backend.close() }
    }

    func measureFollowers() throws {
        var times: [(Double, Double)] = []
        try withStore(songs: 100) { place in
            for _ in 0..<runs {
                let alone = try timeOfSaves(2_000, by: 1, place)
                let process = Process()
                let (input, output) = (Pipe(), Pipe())
                process.executableURL = Bundle.main.executableURL
                process.arguments = Array(CommandLine.arguments.dropFirst()) + ["--only", ""]
                if let place = process.arguments?.firstIndex(of: "--only") {
                    process.arguments?[place + 1] = "follow"
                }
                process.standardInput = input
                process.standardOutput = output
                try process.run()
                _ = output.fileHandleForReading.availableData
                let followed = try timeOfSaves(2_000, by: 1, place)
                try input.fileHandleForWriting.close()
                process.waitUntilExit()
                times.append((followed, alone))
            }
        }
        report("small save beside \(followers) followers; alone", times, per: 2_000)
    }
#endif
