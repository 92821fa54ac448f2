import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// What steps cost that edit one long list, and edits that change nothing.
struct ListStepTests {
    enum Edit: CaseIterable { case append, appendFromOtherSide, join, deleteFirst, delete, leave }

    let backend = MemoryBackend()

    func open() throws -> Store { try Store(backend: backend, classes: tunes) }

    /// Does `edit` with each of `count` songs, takes all of it back and does it again.
    /// - Returns: how many elements of lists were compared, moved or copied.
    private func visits(_ edit: Edit, _ count: Int, isGrouped: Bool) throws -> Int {
        let store = try Store(backend: MemoryBackend(), classes: tunes)
        let songs = (0..<count).map { _ in Tune() }
        let (list, disc) = (TuneList(), Disc())
        for object in songs + [list, disc] { store.insert(object) }
        let isFilled = [.deleteFirst, .delete, .leave].contains(edit)
        if isFilled {
            list.tunes = songs
            disc.tracks = songs
        }
        try store.save()
        let history = store.undoHistory
        history.isEnabled = true
        history.stepLimit = .max
        history.byteLimit = .max
        var random = SeededRandom(seed: 1)
        let some = edit == .delete || edit == .leave ? songs.shuffled(using: &random) : songs
        store.lists.visits = 0
        func work() throws {
            for song in some {
                switch edit {
                case .append: list.tunes.append(song)
                case .appendFromOtherSide: song.lists.append(list)
                case .join: song.album = disc
                case .deleteFirst, .delete: try store.delete(song)
                case .leave: song.album = nil
                }
            }
        }
        if isGrouped { try history.group { try work() } } else { try work() }
        func end() -> [Int] { [list.tunes.count, disc.tracks.count] }
        let (before, after) = (isFilled ? [count, count] : [0, 0], end())
        while try history.undo() {}
        #expect(end() == before)
        if isFilled {
            #expect(list.tunes.holds(songs))
            #expect(disc.tracks.holds(songs))
        }
        while try history.redo() {}
        #expect(end() == after && after != before)
        return store.lists.visits
    }

    /// Each step wrote an image of the whole list, and was found by a comparison of the whole list.
    @Test(arguments: Edit.allCases, [true, false])
    func fourTimesTheEditsAreFourTimesTheWork(_ edit: Edit, _ isGrouped: Bool) throws {
        let few = try visits(edit, 750, isGrouped: isGrouped)
        let many = try visits(edit, 3000, isGrouped: isGrouped)
        #expect(many <= 5 * few + 3000, "\(few) and \(many) places")
        #expect(many <= 100 * 3000)
    }

    /// The list was searched three times for each member that left it.
    @Test func aMemberThatLeavesIsSearchedOnce() throws {
        let store = try open()
        let (disc, songs) = (Disc(), (0..<400).map { _ in Tune() })
        disc.tracks = songs
        store.insert(disc)
        try store.save()
        store.undoHistory.isEnabled = true
        store.lists.visits = 0
        try store.delete(songs[399])
        #expect(disc.tracks.count == 399)
        #expect((1...450).contains(store.lists.visits))
    }

    /// 2,000 images of up to 2,000 references of 5 bytes would be 10 MB.
    @Test func aStepTakesTheMemoryOfWhatItChanged() throws {
        let store = try open()
        let (list, disc) = (TuneList(), Disc())
        store.insert(list)
        store.insert(disc)
        let songs = (0..<2000).map { _ in Tune() }
        songs.forEach(store.insert)
        store.undoHistory.isEnabled = true
        store.undoHistory.stepLimit = .max
        store.undoHistory.byteLimit = 6 << 20
        for song in songs { list.tunes.append(song) }
        for song in songs { song.album = disc }
        // A title alone does not keep the list, either.
        for number in 0..<2000 { list.title = "\(number)" }
        for index in 0..<1000 { list.tunes.swapAt(index, 1999 - index) }
        var undone = 0
        while try store.undoHistory.undo() { undone += 1 }
        #expect(undone == 7000)
        #expect(list.tunes.isEmpty && disc.tracks.isEmpty && list.title.isEmpty)
    }

    @Test(arguments: [true, false])
    func settingAnEqualListIsNoEdit(_ isUndoing: Bool) throws {
        let store = try open()
        let (list, songs) = (TuneList(), [Tune("a"), Tune("b")])
        list.tunes = songs
        store.insert(list)
        try store.save()
        store.undoHistory.isEnabled = isUndoing
        list.tunes += []
        list.tunes = Array(songs)
        list.tunes.append(contentsOf: [])
        list.tunes.swapAt(1, 1)
        list.tunes.sort { $0.rowID < $1.rowID }
        songs[0].lists = [list]
        try store.undoHistory.group { list.tunes = songs + [] }
        #expect(!list.isChanged && !songs[0].isChanged && !store.hasChanges)
        #expect(!store.undoHistory.canUndo)

        // An edit of something else in its midst counts.
        list.tunes.sort {
            list.title = "sorted"
            return $0.rowID < $1.rowID
        }
        #expect(list.isChanged && store.undoHistory.canUndo == isUndoing)
        try store.save()
        list.tunes += []
        list.tunes.swapAt(0, 1)
        #expect(list.isChanged)
        try store.save()
        let again = try open()
        let found = try #require(try again.objects(of: TuneList.self).first)
        #expect(found.title == "sorted" && found.tunes.map(\.title) == ["b", "a"])
    }

    /// The step of an edit that changes nothing would have taken what can be made again.
    @Test func anEqualListLeavesWhatCanBeRedone() throws {
        let store = try open()
        let (list, song) = (TuneList(), Tune("a"))
        store.insert(list)
        store.insert(song)
        store.undoHistory.isEnabled = true
        list.tunes.append(song)
        try store.undoHistory.undo()
        list.tunes += []
        list.tunes = []
        #expect(store.undoHistory.canRedo)
        try store.undoHistory.redo()
        #expect(list.tunes.count == 1 && song.lists.count == 1)
    }

    /// `append` lets the former list go while it adds; what else the same edit does is seen, too.
    @Test func anAppendAmongOtherChangesIsTakenBackWhole() throws {
        func change(_ list: inout [Tune], _ more: [Tune]) {
            list.swapAt(0, 1)
            list.append(more[0])
            list.append(contentsOf: more)
            list.remove(at: 1)
        }
        func add(_ list: inout [Tune], _ more: [Tune]) {
            list.append(more[0])
            let copy = list
            list += more
            list.swapAt(0, 2)
            list.append(copy[0])
        }
        let store = try open()
        let list = TuneList()
        let songs = (0..<5).map { Tune("\($0)") }
        songs.forEach(store.insert)
        store.insert(list)
        list.tunes = Array(songs[..<3])
        store.undoHistory.isEnabled = true
        var expected = list.tunes
        for edit in [change, add] {
            let before = expected
            edit(&expected, Array(songs[3...]))
            edit(&list.tunes, Array(songs[3...]))
            for _ in 0..<2 {
                #expect(list.tunes.holds(expected))
                try store.undoHistory.undo()
                #expect(list.tunes.holds(before))
                for song in songs {
                    #expect(song.lists.count == (before.contains { $0 === song } ? 1 : 0))
                }
                try store.undoHistory.redo()
            }
        }
    }
}
