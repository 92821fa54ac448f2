import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct WatchedRelationTests {
    let backend = MemoryBackend()

    func open() throws -> Store { try Bell.observedStore(on: backend) }

    @Test(arguments: [false, true])
    func theOtherSideIsToldAtOnce(_ records: Bool) throws {
        let store = try open()
        store.undoHistory.isEnabled = records
        let (list, tune, other, disc) = (TuneList(), Tune("a"), Tune("b"), Disc())
        for object in [list, tune, other, disc] { store.insert(object) }
        try store.save()
        for _ in 0..<2 {
            #expect(Bell.rings(list.tunes) { list.tunes.append(tune) })
            #expect(Bell.rings(tune.lists) { list.tunes.removeAll() })
            #expect(Bell.rings(tune.lists) { list.tunes.append(tune) })
            #expect(!Bell.rings(tune.lists) { list.tunes.append(other) })
            #expect(!Bell.rings(tune.title) { list.tunes.removeAll() })
            #expect(Bell.rings(list.tunes) { tune.lists = [list] })
            #expect(Bell.rings(list.tunes) { tune.lists = [] })
            #expect(!Bell.rings(list.title) { tune.lists = [list] })
            tune.lists = []
            #expect(Bell.rings(tune.album) { tune.album = disc })
            #expect(Bell.rings(disc.tracks) { tune.album = nil })
            #expect(Bell.rings(tune.album) { disc.tracks.append(tune) })
            #expect(Bell.rings(tune.album) { disc.tracks = [] })
            #expect(!Bell.rings(other.album) { disc.tracks = [tune] })
            disc.tracks = []
            try store.save()
        }
    }

    @Test func anOwnerIsToldWhatAnotherTakesOver() throws {
        let store = try open()
        let (one, two, tune) = (Disc(), Disc(), Tune("t"))
        for object in [one, two, tune] { store.insert(object) }
        one.tracks = [tune]
        #expect(Bell.rings(one.tracks) { two.tracks.append(tune) })
        #expect(one.tracks.isEmpty)
        #expect(Bell.rings(two.tracks) { tune.album = one })
        // What is inserted by its edits brings them along.
        let new = Disc()
        let bell = Bell()
        bell.watch { _ = one.tracks }
        bell.watch { _ = tune.album }
        new.tracks = [tune]
        #expect(bell.rings == 2 && tune.album === new && new.store === store)
    }

    @Test func whatARefreshChangesOnOtherSidesIsTold() throws {
        let store = try open()
        let (list, tune) = (TuneList(), Tune("a"))
        store.insert(list)
        list.tunes = [tune]
        try store.save()
        list.tunes = []
        #expect(try Bell.rings(tune.lists) { try store.rollback(list) })
        #expect(tune.lists.count == 1)
    }

    @Test func editsOfAWatchedListStayLinear() throws {
        let store = try open()
        let list = TuneList()
        store.insert(list)
        let bell = Bell()
        bell.watch { _ = list.tunes }
        for number in 0..<20_000 {
            list.tunes.append(Tune("\(number)"))
            if number % 5000 == 0 { bell.watch { _ = list.tunes } }
        }
        #expect(bell.rings == 5)
        #expect(list.tunes[19_999].store === store && list.tunes[0].lists.count == 1)
    }

    @Test func inAGroupTheOtherSideIsToldAtItsEnd() throws {
        let store = try open()
        let (list, tune) = (TuneList(), Tune("a"))
        store.insert(list)
        store.insert(tune)
        let bell = Bell()
        bell.watch { _ = tune.lists }
        try store.undoHistory.group {
            list.tunes.append(tune)
            #expect(bell.rings == 0)
        }
        #expect(bell.rings == 1)
    }

    @Test func aDeleteIsToldToThoseThatForgetTheObject() throws {
        let store = try open()
        let (list, tune) = (TuneList(), Tune("a"))
        store.insert(list)
        list.tunes = [tune]
        try store.save()
        #expect(try Bell.rings(list.tunes) { try store.delete(tune) })
        #expect(list.tunes.isEmpty)
        store.rollback()
        #expect(list.tunes.count == 1)
        #expect(try !Bell.rings(list.tunes) { _ = try store.previewDelete(tune) })
        // The delete rule of this one needs its referrers.
        let (book, shelf) = (Book("b"), Shelf())
        store.insert(book)
        book.shelves = [shelf]
        try store.save()
        #expect(try Bell.rings(book.shelves) { try store.delete(shelf) })
    }

    @Test func aUniqueRelationshipIsToldWhenItDropsOne() throws {
        let store = try open()
        let book = Book("b")
        store.insert(book)
        book.favorites = [book, book]
        let bell = Bell()
        bell.watch { #expect(book.favorites.count == 1) }
        #expect(bell.rings == 0)
        #expect(Bell.rings(book.favorites) { book.favorites.append(book) })
    }
}
