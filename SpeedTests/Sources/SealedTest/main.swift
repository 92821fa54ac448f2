#if Encryption
    import CRivals
    import CSodiumLibrary
    import Cabinet
    import CabinetTokyo
    import Foundation

    // What sealing costs: inserting, fetching, small saves and point fetches with a key beside those without one, which
    // take turns. `--objects N` (1,000,000), medians of `--runs N` (3), in `--directory D`.

    func argument(_ name: String) -> String? {
        let words = CommandLine.arguments
        guard let place = words.firstIndex(of: name), place + 1 < words.count else { return nil }
        return words[place + 1]
    }

    final class SealedSong: StoredObject {
        @Field var title = ""
        @Field var number = 0

        override class var indexes: [Index] { [.ordered(\SealedSong.number)] }
    }

    let count = argument("--objects").flatMap(Int.init) ?? 1_000_000
    let runs = argument("--runs").flatMap(Int.init) ?? 3
    let place = URL(filePath: argument("--directory") ?? "/var/tmp").appending(
        path: "SealedTest-\(UUID())")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }

    /// Seconds by the clock, and of all processors for the process.
    struct Time {
        var clock: Double
        var processors: Double

        static func of(_ body: () throws -> Void) rethrows -> Time {
            let (start, processorStart) = (speed_clock(), speed_processor_clock())
            try body()
            return Time(
                clock: speed_clock() - start, processors: speed_processor_clock() - processorStart)
        }
    }

    let key = StoreKey.raw(Array(1...32))
    var times: [String: [Bool: [Time]]] = [:]

    func open(_ isSealed: Bool, _ durability: Durability = .full) throws -> Store {
        try Store(
            directory: place.appending(path: isSealed ? "Sealed" : "Plain"),
            classes: [SealedSong.self], durability: durability, key: isSealed ? key : nil,
            log: .none)
    }

    @MainActor func measure(_ name: String, _ isSealed: Bool, _ body: () throws -> Void) rethrows {
        times[name, default: [:]][isSealed, default: []].append(try Time.of(body))
    }

    @MainActor func run(_ isSealed: Bool, _ random: inout SystemRandomNumberGenerator) throws {
        try? FileManager.default.removeItem(
            at: place.appending(path: isSealed ? "Sealed" : "Plain"))
        sync()
        try measure("insert", isSealed) {
            let store = try open(isSealed)
            for number in 0..<count {
                let song = SealedSong()
                song.title = "Test Song \(number)"
                song.number = number
                store.insert(song)
            }
            try store.save()
            try store.close()
        }
        sync()
        try measure("fetch", isSealed) {
            let store = try open(isSealed)
            let songs = try store.objects(of: SealedSong.self)
            let sum = songs.reduce(0) { $0 + $1.number }
            precondition(sum == count * (count - 1) / 2)
            try store.close()
        }
        let store = try open(isSealed, .process)
        try store.indexes.build()
        let wanted = (0..<50_000).map { _ in Int.random(in: 0..<count, using: &random) }
        for name in ["point fetch, first", "point fetch"] {
            try measure(name, isSealed) {
                for number in wanted {
                    let found = try store.query(SealedSong.self)
                        .filter(#Predicate { $0.number == number }).first()
                    precondition(found?.number == number)
                }
            }
        }
        let songs = try store.query(SealedSong.self).sorted(by: \.number).limit(1000).objects()
        for song in songs { song.title += "." }
        try store.save()
        try measure("small save", isSealed) {
            for round in 0..<20 {
                for song in songs {
                    song.title = "Test Song \(round)"
                    try store.save()
                }
            }
        }
        try store.close()
    }

    /// What libsodium alone takes to seal, and to open, as many pieces of that size, through memory.
    func sodium(pieces: Int, of size: Int) -> (seal: Time, open: Time) {
        let key = [UInt8](repeating: 1, count: 32)
        var nonce = [UInt8](repeating: 2, count: 24)
        let binding = [UInt8](repeating: 3, count: 32)
        let plain = [UInt8](repeating: 4, count: size)
        var (sealed, opened) = ([UInt8](repeating: 0, count: size + 16), plain)
        let seal = Time.of {
            for number in 0..<pieces {
                nonce[16] = UInt8(truncatingIfNeeded: number)
                _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                    &sealed, nil, plain, UInt64(size), binding, UInt64(binding.count), nil, nonce,
                    key)
            }
        }
        let open = Time.of {
            for _ in 0..<pieces {
                let failure = crypto_aead_xchacha20poly1305_ietf_decrypt(
                    &opened, nil, nil, sealed, UInt64(sealed.count), binding, UInt64(binding.count),
                    nonce,
                    key)
                precondition(failure == 0)
            }
        }
        return (seal, open)
    }

    func median(_ times: [Time]) -> Time {
        Time(
            clock: times.map(\.clock).sorted()[times.count / 2],
            processors: times.map(\.processors).sorted()[times.count / 2])
    }

    func show(_ name: String, _ times: [Time]) {
        let numbers = times.flatMap { [$0.clock, $0.processors] }
        print(name, numbers.map { String(format: "%.3f", $0) }.joined(separator: "  "))
    }

    var random = SystemRandomNumberGenerator()
    for _ in 0..<runs { for isSealed in [false, true] { try run(isSealed, &random) } }
    print(
        "\(count) songs, medians of \(runs), s: without a key, by processors; with one, by processors"
    )
    for (name, both) in times.sorted(by: { $0.key < $1.key }) {
        show(name, [median(both[false] ?? []), median(both[true] ?? [])])
    }
    // A record of a song, and the log's frames of 1 MiB, of about as many bytes.
    let record = "Test Song 500000".utf8.count + 12
    let small = sodium(pieces: count, of: record)
    let frames = sodium(pieces: count * (record + 12) >> 20 + 1, of: 1 << 20)
    show(
        "libsodium alone, insert",
        [
            Time(
                clock: small.seal.clock + frames.seal.clock,
                processors: small.seal.processors + frames.seal.processors)
        ])
    show("libsodium alone, fetch", [small.open])
    show("libsodium alone, 20,000 small saves", [sodium(pieces: 40_000, of: 100).seal])
#else
    print("swift run -c release --traits Encryption SealedTest")
#endif
