extension SpeedTest {
    /// Every test that compares with rivals, in the order in which `compare` runs them.
    static let every = all + indexes + texts + ledger + files

    /// Those that `compare` runs unless others are asked for by name.
    static let all = songs + playlists + names + saves + ordered + scale

    private static let songs = [
        SpeedTest(
            name: "SimpleInsert", unit: "song", things: "songs",
            work: .insertSongs, expected: Expected.all, check: (.fetchSongs, Expected.all)),
        SpeedTest(
            name: "SimpleFetch", unit: "song", things: "songs",
            preparation: .insertSongs, stock: "songs",
            work: .fetchSongs, expected: Expected.all),
        SpeedTest(
            name: "SimpleUpdate", unit: "song", things: "songs",
            preparation: .insertSongs,
            work: .updateSongs, expected: Expected.allRaised,
            check: (.fetchSongs, Expected.allRaised)),
    ]

    private static let playlists = [
        SpeedTest(
            name: "ComplexInsert", unit: "song", things: "songs in playlists of 100",
            shares: [0.1],
            work: .insertPlaylists, expected: Expected.entries,
            check: (.fetchAllTitles, Expected.entries)),
        SpeedTest(
            name: "ComplexFetch", unit: "playlist", things: "songs in playlists of 100",
            shares: [0.1], stepShare: 0.01,
            preparation: .insertPlaylists, stock: "playlists",
            work: .fetchFirstTitles, expected: Expected.firstEntries),
        SpeedTest(
            name: "ComplexFetch.all", unit: "title", things: "songs in playlists of 100",
            shares: [0.1],
            preparation: .insertPlaylists, stock: "playlists",
            work: .fetchAllTitles, expected: Expected.entries),
    ]

    private static let names = [
        SpeedTest(
            name: "NamedBufferInsert", unit: "buffer", things: "named buffers", shares: [0.1],
            work: .insertNames, expected: Expected.all, check: (.fetchNames, Expected.all)),
        SpeedTest(
            name: "NamedBufferFetch", unit: "buffer", things: "named buffers", shares: [0.1],
            preparation: .insertNames, stock: "names",
            work: .fetchNames, expected: Expected.all),
    ]

    private static let saves = [
        smallSave(name: "SmallSave.full", isFull: true),
        smallSave(name: "SmallSave.process", isFull: false),
        smallSave(name: "SmallSave.noSnapshot", isFull: false, .saveSmallBesideNone),
        smallSave(name: "SmallSave.snapshot", isFull: false, .saveSmallBesideOne),
        smallSave(name: "SmallSave.snapshots", isFull: false, .saveSmallBesideEight),
        SpeedTest(
            name: "RandomFetch", unit: "fetch", things: "songs", stepShare: 0.1,
            preparation: .insertSongs, stock: "songs",
            work: .fetchRandom, expected: Expected.steps),
    ]

    private static func smallSave(
        name: String, isFull: Bool, _ work: Work = .saveSmall
    ) -> SpeedTest {
        SpeedTest(
            name: name, unit: "save", things: "songs", shares: [0.1], stepShare: 0.01,
            isFull: isFull, preparation: .insertSongs,
            work: work, expected: Expected.stepsRaised,
            engines: work.sqlite == nil ? [.cabinet] : Engine.compared,
            check: (.fetchSongs, Expected.allWithSteps))
    }

    private static let scale = [
        SpeedTest(
            name: "Open", unit: "opening", things: "songs", shares: [1, 10],
            preparation: .insertSongs, stock: "songs",
            work: .openStore, expected: Expected.first),
        SpeedTest(
            name: "Scale", unit: "song", things: "songs, inserted and streamed", shares: [1, 10],
            work: .insertAndStreamSongs, expected: Expected.allTwice),
        SpeedTest(
            name: "Scale.stream", unit: "song", things: "songs, streamed", shares: [1, 10],
            preparation: .insertSongs, stock: "songs",
            work: .streamSongs, expected: Expected.all),
    ]
}
