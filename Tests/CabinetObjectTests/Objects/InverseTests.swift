import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct InverseTests {
    let backend = MemoryBackend()

    func open() throws -> Store { try Store(backend: backend, classes: tunes) }

    @Test func bothSidesFollowEachOther() throws {
        let store = try open()
        let list = TuneList()
        store.insert(list)
        let (a, b, c) = (Tune("a"), Tune("b"), Tune("c"))
        list.tunes = [a, b, a]
        #expect(a.lists.map(\.rowID) == [list.rowID] && a.store === store)
        list.tunes.removeLast()
        #expect(a.lists.count == 1)
        list.tunes.removeFirst()
        #expect(a.lists.isEmpty && b.lists.count == 1)
        store.insert(c)
        c.lists.append(list)
        #expect(list.tunes.map(\.title) == ["b", "c"])
        b.lists = []
        #expect(list.tunes.map(\.title) == ["c"])
        try store.save()

        let again = try open()
        let found = try again.objects(of: Tune.self)
        #expect(found.map(\.lists.count) == [0, 0, 1])
        #expect(found[2].lists[0].tunes[0] === found[2])
    }

    @Test func anOwnerIsTakenOver() throws {
        let store = try open()
        let (one, two, tune) = (Disc(), Disc(), Tune("t"))
        store.insert(one)
        store.insert(two)
        tune.album = one
        store.insert(tune)
        #expect(one.tracks.count == 1)
        two.tracks.append(tune)
        #expect(tune.album === two && one.tracks.isEmpty)
        tune.album = one
        #expect(two.tracks.isEmpty && one.tracks.first === tune)
        one.tracks.removeAll()
        #expect(tune.album == nil)
        let (first, second) = (Booklet(), Booklet())
        one.booklet = first
        two.booklet = second
        second.album = one
        #expect(one.booklet === second && two.booklet == nil && first.album == nil)
    }

    @Test func aTreeOfOneClassKeepsItself() throws {
        let store = try open()
        let root = Branch()
        let children = (0..<3).map { _ in Branch() }
        root.children = children
        children[2].parent = children[0]
        store.insert(root)
        try store.save()
        #expect(children[2].parent === children[0] || children[2].parent === root)
        children[1].parent = children[0]
        #expect(!root.children.contains { $0 === children[1] })
        #expect(children[0].children.contains { $0 === children[1] })
        try store.save()
        let again = try open()
        for node in try again.objects(of: Branch.self) {
            for child in node.children { #expect(child.parent === node) }
            if let parent = node.parent { #expect(parent.children.contains { $0 === node }) }
        }
    }

    @Test func undoAndRollbackKeepBothSides() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let (list, tune) = (TuneList(), Tune("t"))
        store.insert(list)
        store.insert(tune)
        try store.save()
        list.tunes.append(tune)
        #expect(tune.lists.count == 1)
        try store.undoHistory.undo()
        #expect(tune.lists.isEmpty && list.tunes.isEmpty)
        try store.undoHistory.redo()
        #expect(tune.lists.first === list && list.tunes.first === tune)
        try store.undoHistory.group("Two edits") {
            tune.lists = []
            list.tunes += [tune, tune]
        }
        #expect(list.tunes.count == 2 && tune.lists.count == 1)
        try store.undoHistory.undo()
        #expect(list.tunes.count == 1 && tune.lists.count == 1)
        list.tunes = []
        store.rollback()
        #expect(tune.lists.isEmpty && list.tunes.isEmpty)
    }

    @Test func aDeleteIsForgottenOnTheOtherSide() throws {
        let store = try open()
        let lists = (0..<3).map { _ in TuneList() }
        let songs = (0..<4).map { Tune("\($0)") }
        for list in lists {
            list.tunes = songs
            store.insert(list)
        }
        let album = Disc()
        album.tracks = [songs[0]]
        album.booklet = Booklet()
        store.insert(album)
        try store.save()

        let again = try open()
        let tune = try #require(try again.object(Tune.self, rowID: songs[1].rowID))
        try again.delete(tune)
        let list = try #require(try again.object(TuneList.self, rowID: lists[0].rowID))
        #expect(list.tunes.map(\.title) == ["0", "2", "3"])
        try again.delete(list)
        let first = try #require(try again.object(Tune.self, rowID: songs[0].rowID))
        #expect(first.lists.count == 2)
        let owner = try #require(first.album)
        #expect(
            throws: StoreError.deniedByRule(
                class: "Disc", row: owner.rowID, field: "tracks", by: ["Tune \(first.rowID)"])
        ) { try again.delete(owner) }
        try again.delete(first)
        try again.delete(owner)
        try again.save()

        let last = try open()
        #expect(try last.objects(of: TuneList.self).map(\.tunes.count) == [2, 2])
        #expect(try last.count(of: Booklet.self) == 0 && last.count(of: Disc.self) == 0)
    }

    @Test func editsInPlaceStayLinear() throws {
        let store = try open()
        let list = TuneList()
        store.insert(list)
        let songs = (0..<20_000).map { Tune("\($0)") }
        for song in songs {
            list.tunes.append(song)
            if list.tunes.isEmpty { Issue.record("reading the edited side loses it") }
        }
        #expect(songs[19_999].lists.first === list && songs[0].lists.count == 1)
        for song in songs { song.lists = [] }
        #expect(list.tunes.isEmpty)
    }

    @Test func anInverseThatDoesNotLeadBackIsRefused() {
        for type in [Astray.self, Nowhere.self] as [StoredObject.Type] {
            #expect(throws: StoreError.self) {
                try Store(backend: backend, classes: tunes + [type])
            }
        }
        do {
            _ = try Store(backend: backend, classes: [Taken.self, Shared.self])
            Issue.record("two relationships with one inverse were taken")
        } catch StoreError.badInverse(let name, let field, _) {
            #expect(name == "Taken" && field == "second")
        } catch {
            Issue.record(error)
        }
    }

    /// Whatever is done on either side, both sides agree whenever anyone looks.
    @Test(arguments: 1...8)
    func bothSidesAlwaysAgree(_ seed: UInt64) throws {
        var state = seed
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(limit, 1)
        }
        let store = try open()
        store.undoHistory.isEnabled = seed % 2 == 0
        var lists = (0..<4).map { _ in TuneList() }
        var songs = (0..<8).map { Tune("\($0)") }
        lists.forEach(store.insert)
        songs.forEach(store.insert)
        for step in 0..<200 {
            let (list, song) = (lists[random(lists.count)], songs[random(songs.count)])
            if list.store == nil || song.store == nil || song.isDeleted { continue }
            switch random(12) {
            case 0...2: list.tunes.append(song)
            case 3...4: song.lists.append(list)
            case 5: list.tunes.shuffle()
            case 6: if !list.tunes.isEmpty { list.tunes.remove(at: random(list.tunes.count)) }
            case 7: song.lists = [list]
            case 8: list.tunes = [song, songs[random(songs.count)], song]
            case 9: if step % 3 == 0 { try store.save() }
            case 10: if step % 2 == 0 { try store.undoHistory.undo() } else { store.rollback() }
            default:
                try store.delete(song)
                let new = Tune("new \(step)")
                songs[songs.firstIndex { $0 === song }!] = new
                new.lists = [list]
                store.insert(new)
            }
            guard step % 5 == 0 else { continue }
            lists = lists.map { $0.store == nil ? TuneList() : $0 }
            songs = songs.map { $0.store == nil || $0.isDeleted ? Tune("again") : $0 }
            lists.forEach(store.insert)
            songs.forEach(store.insert)
            try agree(store)
        }
        try store.save()
        try agree(store)
        try agree(try open())
    }

    func agree(_ store: Store) throws {
        let (lists, songs) = (
            try store.objects(of: TuneList.self), try store.objects(of: Tune.self)
        )
        for list in lists {
            for song in list.tunes { #expect(song.lists.contains { $0 === list }) }
        }
        for song in songs {
            for list in song.lists { #expect(list.tunes.contains { $0 === song }) }
        }
    }
}
