import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

/// Closures that in-place edits call, and what they may look at.
struct InPlaceClosureTests {
    let store: Store
    let one = TuneList()
    let two = TuneList()
    let songs = (0..<5).map { Tune("\($0)") }

    init() throws {
        store = try Store(backend: MemoryBackend(), classes: tunes)
        one.tunes = songs
        two.tunes = [songs[1], songs[3]]
        for object in [one, two] { store.insert(object) }
        try store.save()
    }

    func agree() throws {
        for list in [one, two] {
            for song in songs {
                let isThere = list.tunes.contains { $0 === song }
                #expect(song.lists.contains { $0 === list } == isThere)
            }
        }
    }

    /// The first look at a tune reconciled the edit in its midst, and the rest of it was lost.
    @Test(arguments: [false, true])
    func otherSidesStandAsTheyWereBefore(_ isUndoing: Bool) throws {
        store.undoHistory.isEnabled = isUndoing
        one.tunes.removeAll { $0.lists.count > 1 }
        #expect(one.tunes.map(\.title) == ["0", "2", "4"])
        try agree()
        one.tunes.append(songs[3])
        // The append is not reconciled yet, and is part of neither.
        one.tunes.sort { ($0.lists.count, $1.title) > ($1.lists.count, $0.title) }
        #expect(one.tunes.count == 4 && songs[3].lists.count == 2)
        try agree()
        try store.save()
        try agree()
    }

    @Test func othersMayBeChangedMeanwhile() throws {
        let disc = Disc()
        disc.tracks = songs
        store.insert(disc)
        one.tunes.removeAll { song in
            song.album = nil
            song.title += "!"
            two.tunes.append(song)
            return song !== songs[0]
        }
        #expect(disc.tracks.isEmpty && one.tunes.map(\.title) == ["0!"])
        #expect(two.tunes.count == 7 && songs[1].lists.map(\.rowID) == [two.rowID])
        try agree()
        try store.save()
        try agree()
    }

    @Test func anEditThatThrowsHalfwayIsFollowed() throws {
        struct Enough: Error {}
        #expect(throws: Enough.self) {
            try one.tunes.withUnsafeMutableBufferPointer { tunes in
                tunes[0] = songs[1]
                throw Enough()
            }
        }
        #expect(one.tunes.map(\.title) == ["1", "1", "2", "3", "4"] && songs[0].lists.isEmpty)
        try agree()
    }

    @Test func theListItselfMayNotBeTouchedMeanwhile() async {
        await #expect(processExitsWith: .failure) {
            let list = TuneList()
            list.tunes = [Tune("a"), Tune("b")]
            list.tunes.removeAll { _ in list.tunes.count > 1 }
        }
        await #expect(processExitsWith: .failure) {
            let list = TuneList()
            list.tunes = [Tune("a"), Tune("b")]
            list.tunes.sort { _, _ in
                list.tunes.append(Tune("c"))
                return true
            }
        }
        await #expect(processExitsWith: .failure) {
            let store = try Store(backend: MemoryBackend(), classes: tunes)
            let list = TuneList()
            list.tunes = [Tune("a"), Tune("b")]
            store.insert(list)
            list.tunes.removeAll {
                $0.lists = []
                return false
            }
            list.tunes = [Tune("c")]
            list.tunes.removeAll { _ in
                try? store.save()
                return true
            }
        }
        await #expect(processExitsWith: .success) {
            let store = try Store(backend: MemoryBackend(), classes: tunes)
            let list = TuneList()
            list.tunes = [Tune("a"), Tune("b")]
            store.insert(list)
            list.tunes.removeAll { $0.lists.isEmpty }
            try store.save()
        }
    }
}
