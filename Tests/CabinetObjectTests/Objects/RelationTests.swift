import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct RelationTests {
    let backend = MemoryBackend()

    func open() throws -> Store { try Store(backend: backend, classes: library) }

    func record(_ object: StoredObject) throws -> [UInt8] {
        let name = Swift.type(of: object).storageName
        let table = try #require(try backend.tables().first { $0.name == name }).number
        let buffer = DataBuffer()
        #expect(try backend.value(of: object.rowID, in: table, into: buffer))
        return buffer.withUnsafeBytes { Array($0.dropFirst()) }
    }

    @Test func orderRepetitionAndSubclassesComeBack() throws {
        let store = try open()
        let book = Book("B")
        store.insert(book)
        let chapters = ["a", "b", "c"].map { Chapter($0) }
        book.chapters = [chapters[2], chapters[0], chapters[2], chapters[1]]
        book.chapters.swapAt(0, 3)
        let author = Author("author")
        let person = Member("person")
        book.readers = [person, author, person]
        book.owner = author
        book.favorites = [book, author, book, chapters[0]]
        try store.save()
        #expect(chapters[0].store === store && chapters[2].store === store)

        let again = try open()
        let found = try #require(try again.objects(of: Book.self).first)
        #expect(found.chapters.map(\.title) == ["b", "a", "c", "c"])
        #expect(found.readers.map(\.name) == ["person", "author", "person"])
        #expect(found.owner is Author && found.owner === found.readers[1])
        #expect(found.favorites.map { "\(type(of: $0))" } == ["Book", "Author", "Chapter"])
        #expect(found.favorites[0] === found)
    }

    @Test func theTagTellsExactFromMixedClasses() throws {
        let store = try open()
        let chapter = Chapter("x")
        let next = Chapter("y")
        chapter.next = next
        store.insert(chapter)
        try store.save()
        #expect(next.rowID == 3)
        #expect(try record(chapter) == [1, 0, 0, 0, 0x78, 0, 3, 0, 0, 0])
        #expect(try record(next) == [1, 0, 0, 0, 0x79, 0, 0, 0, 0, 0])

        let shelf = Shelf()
        shelf.labels = [Label("1"), Label("2")]
        store.insert(shelf)
        try store.save()
        #expect(
            try record(shelf) == [
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
            ])
        let author = try store.metadata(of: Author.self).number
        let book = Book("")
        book.owner = Author("")
        store.insert(book)
        try store.save()
        #expect(
            try record(book)[0..<15] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, author, 2, 0, 0, 0])
    }

    @Test func assigningAnObjectWithoutAStoreInsertsIt() throws {
        let store = try open()
        let book = Book("B")
        store.insert(book)
        let owner = Member("P")
        book.owner = owner
        #expect(owner.store === store)
        let reader = Member("R")
        book.readers.append(reader)
        #expect(try store.count(of: Member.self) == 2)
        #expect(reader.store === store)
        let label = Label("L")
        let shelf = Shelf()
        shelf.labels = [label]
        book.shelves.append(shelf)
        try store.save()
        #expect(label.rowID == 2 && !store.hasChanges)
        let friend = Member("later")
        book.readers.append(friend)
        store.rollback()
        #expect(friend.store == nil && book.readers.count == 1)
    }

    @Test func cascadesFollowAndAreTakenBackWhenDenied() throws {
        let store = try open()
        let book = Book("B")
        let chapters = [Chapter("1"), Chapter("2")]
        book.chapters = chapters
        let shelf = Shelf()
        shelf.oldest = book
        store.insert(shelf)
        try store.save()

        let preview = try store.previewDelete(book)
        #expect(preview.denial == nil && preview.deleted.count == 3)
        #expect(preview.deleted.first === book)
        #expect(!book.isDeleted && !store.hasChanges)

        #expect(
            throws: StoreError.deniedByRule(
                class: "Shelf", row: 2, field: "oldest", by: ["Book 2"])
        ) { try store.delete(shelf) }
        let denied = try store.previewDelete(shelf)
        #expect(denied.denial is StoreError)
        #expect(!shelf.isDeleted && !store.hasChanges)

        try store.delete(book)
        #expect(chapters[0].isDeleted && chapters[1].isDeleted)
        try store.delete(shelf)
        try store.save()
        #expect(try open().count(of: Chapter.self) == 0)
    }

    @Test func nullifyForgetsWhatIsDeletedWithoutLoadingTheClass() throws {
        let store = try open()
        let shelf = Shelf()
        let books = (0..<5).map { Book("\($0)") }
        for book in books {
            book.shelves = book === books[3] ? [] : [shelf, Shelf(), shelf]
            store.insert(book)
        }
        try store.save()

        let again = try open()
        let found = try #require(try again.object(Shelf.self, rowID: shelf.rowID))
        let preview = try again.previewDelete(found)
        #expect(preview.changed.count == 4 && preview.deleted.count == 1)
        try again.delete(found)
        #expect(try again.metadata(of: Book.self).liveObjects <= 4)
        try again.save()
        let counts = try open().objects(of: Book.self).map(\.shelves.count)
        #expect(counts == [1, 1, 1, 0, 1])
    }

    @Test func whatNobodyElseRefersToGoesWithTheLast() throws {
        let store = try open()
        let (shared, own) = (Label("shared"), Label("own"))
        let shelves = [Shelf(), Shelf()]
        shelves[0].labels = [shared, own]
        shelves[1].labels = [shared]
        shelves.forEach(store.insert)
        try store.save()
        try store.delete(shelves[0])
        #expect(own.isDeleted && !shared.isDeleted)
        try store.save()
        try store.delete(shelves[1])
        #expect(shared.isDeleted)
    }

    @Test func aLongChainOfRulesNeedsNoDeepStack() throws {
        let store = try open()
        let first = Link()
        var last = first
        for _ in 0..<50_000 {
            let next = Link()
            last.next = next
            last = next
        }
        store.insert(first)
        #expect(try store.count(of: Link.self) == 50_001)
        try store.save()
        try store.delete(first)
        #expect(try store.count(of: Link.self) == 0)
        // Let go of the chain from its end, for its own `deinit` would be deep.
        store.dissolveAllRelationships()
    }

    @Test func undoTakesBackAnEditWithWhatFollowed() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let book = Book("B")
        store.insert(book)
        try store.save()
        store.undoHistory.removeAll()
        let chapter = Chapter("C")
        book.chapters.append(chapter)
        #expect(chapter.store === store)
        try store.undoHistory.undo()
        #expect(book.chapters.isEmpty && chapter.isDeleted)
        #expect(!store.undoHistory.canUndo)
        try store.undoHistory.redo()
        #expect(book.chapters.first === chapter && !chapter.isDeleted)
        try store.delete(book)
        try store.save()
        try store.undoHistory.undo()
        #expect(book.chapters.map(\.title) == ["C"] && !chapter.isDeleted)
        try store.save()
        let again = try open()
        #expect(try again.objects(of: Book.self).first?.chapters.map(\.title) == ["C"])
    }

    @Test func subclassesAreCountedWhenAskedFor() throws {
        let store = try open()
        for name in ["a", "b"] { store.insert(Member(name)) }
        store.insert(Author("c"))
        try store.save()
        #expect(try store.count(of: Member.self) == 2)
        #expect(try store.query(Member.self).includingSubclasses().count() == 3)
        let names = try store.query(Member.self).includingSubclasses().objects().map(\.name)
        #expect(names == ["a", "b", "c"])
        var met = 0
        try store.query(StoredObject.self).includingSubclasses().forEachObject { _ in met += 1 }
        #expect(met == 3)
    }

    @Test func dissolvedRelationshipsAreReadAnew() throws {
        let store = try open()
        let book = Book("B")
        book.chapters = [Chapter("1")]
        store.insert(book)
        try store.save()
        store.dissolveAllRelationships()
        #expect(book.isFault)
        #expect(book.chapters.map(\.title) == ["1"])
    }
}
