import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

/// The power fails while commits share syncs: each one that was acknowledged stays, and what is there
/// is a beginning of all.
struct GroupPowerCutTests {
    private let directory = ScratchDirectory()

    /// Commits in three groups, each behind one that is alone, numbered in their order from 1.
    private func film(_ path: String) throws -> Recording {
        let films = FilmedFiles(root: path)
        let files = GatedSyncs(wrapping: films)
        let backend = try TokyoBackend(path: path, files: files)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.define(.byTitle)
        try batch.put("first", at: 2, in: 2)
        try backend.commit(batch)
        // Makes room: a group does not.
        _ = try backend.put("second", at: 3, in: 2)
        films.note("0")
        try films.look()
        var first = 1
        for size in [5, 1, 7] {
            let committers = Committers(backend) { films.note("\($0)") }
            files.restart()
            files.shut()
            for number in first...(first + size) {
                committers.start(number) { batch in
                    try batch.put("song \(number)", at: RowID(100).advanced(by: number), in: 2)
                    try batch.put("\(number)", forKey: "\(100 + number)", in: 3)
                }
                if number == first { files.awaitSync() }
                committers.awaitWaiters(number - first)
            }
            files.open()
            for outcome in committers.end().values { _ = try outcome.get() }
            #expect(files.syncs == 2)
            try films.look()
            first += size + 1
        }
        return films.recording()
    }

    @Test func whatWasAcknowledgedStaysWhateverTheDiskHasOfAGroup() throws {
        var states = CutStates(try film(directory.file("store")), seed: 5) {
            StoreNames.isView($0)
        }
        states.exhaustiveLimit = 32
        states.sample = 6
        let cut = ScratchDirectory()
        var lengths: Set<Int> = []
        try states.visit { state in
            let noted = state.notes.compactMap { Int($0) }
            // What comes before is what every store does.
            guard !noted.isEmpty else { return }
            cut.clear()
            try state.image.write(below: cut.path)
            let backend = try TokyoBackend(path: cut.path, files: RebootedFiles(boot: 1))
            let titles = try backend.keys(in: 3)
            let length = titles.count
            #expect(length >= noted.max() ?? 0, "after \(state.operations), \(state.number)")
            #expect(titles == (0..<length).map { "\(101 + $0)" })
            let songs = try backend.rows(in: 2).filter { $0.key > 100 }
            #expect(songs.count == length)
            for (row, text) in songs { #expect(text == "song \(row.index - 100)") }
            #expect(try backend.lastCommit() == CommitNumber(UInt64(2 + length)))
            lengths.insert(length)
            // It goes on as if nothing had been.
            _ = try backend.put("later", at: 2, in: 2)
            try backend.close()
        }
        // Also in the midst of a group.
        #expect(lengths.count > 4, "\(lengths.sorted())")
    }
}
