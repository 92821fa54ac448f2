import CabinetBackend
import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Triggers that saves call before they write.
struct BeforeTriggerTests {
    private let backend = MemoryBackend()

    private func open() throws -> Store { try Store(backend: backend, classes: CountedBook.family) }

    /// What is saved.
    private func read() throws -> Store { try Store(backend: backend, classes: CountedBook.family) }

    /// Notes what its triggers are told.
    private final class Told: StoredObject {
        @Field var name = ""
        @Field var size = 0
        @Field var other = 0
        @Many var friends: [Told]
        static let all = Guarded<[String]>([])

        override class var triggers: [Trigger] {
            [
                .before(Told.self) { (told: Told, change) in
                    let fields = try change.fields().map {
                        "\($0.name) \($0.old.map { "\($0)" } ?? "-") \($0.new.map { "\($0)" } ?? "-")"
                    }
                    let text = "any \(change.kind) \(change.former?.name ?? "-") \(fields)"
                    all.withLock { $0.append(text) }
                },
                .before(\Told.size) { (told: Told, change) in
                    all.withLock { $0.append("size \(change.kind) \(change.fieldNames)") }
                },
            ]
        }

        static func take() -> [String] {
            all.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    @Test func aTriggerIsToldWhatHasChanged() throws {
        let store = try Store(backend: backend, classes: [Told.self])
        let told = Told()
        told.name = "a"
        store.insert(told)
        try store.save()
        #expect(
            Told.take() == [
                #"any inserted - ["name - text(\"a\")", "size - integer(0)", "other - integer(0)", "#
                    + #""friends - references([])"]"#,
                #"size inserted ["name", "size", "other", "friends"]"#,
            ])
        told.other = 1
        try store.save()
        #expect(Told.take() == [#"any changed a ["other integer(0) integer(1)"]"#])
        (told.size, told.name) = (2, "b")
        try store.save()
        #expect(
            Told.take() == [
                #"any changed a ["name text(\"a\") text(\"b\")", "size integer(0) integer(2)"]"#,
                #"size changed ["name", "size"]"#,
            ])
        told.size = 3
        told.size = 2
        try store.save()
        #expect(Told.take() == [])
        told.name = "unsaved"
        try store.delete(told)
        try store.save()
        let calls = Told.take()
        #expect(calls.count == 2 && calls[0].hasPrefix("any deleted b "), "\(calls)")
        let never = Told()
        store.insert(never)
        try store.delete(never)
        try store.save()
        #expect(Told.take() == [])
    }

    @Test func whatTriggersChangeIsSavedAndAskedAboutInTurn() throws {
        let store = try open()
        let (shelf, cabinet) = (CountingShelf("a"), CountingCase())
        shelf.cabinet = cabinet
        let book = CountedBook("Moby-Dick", pages: 600, on: shelf)
        store.insert(book)
        book.duty = "copy"
        try store.save()
        #expect((shelf.bookCount, shelf.pages, cabinet.bookCount) == (2, 1200, 2))
        #expect(!store.hasChanges && book.sortTitle == "moby-dick")
        let saved = try read()
        #expect(try saved.miscounts() == [])
        #expect(try saved.count(of: CountedBook.self) == 2)
    }

    @Test func aTriggerThatThrowsLeavesEverythingAsItWas() throws {
        let store = try open()
        let shelf = CountingShelf("a")
        store.insert(shelf)
        try store.save()
        let books = (0..<3).map { CountedBook("\($0)", on: shelf) }
        books.forEach(store.insert)
        books[2].duty = "refuse"
        #expect(throws: CountedBook.Refused()) { try store.save() }
        #expect(try store.count(of: CountedBook.self) == 3)
        #expect(shelf.name == "a" && shelf.bookCount == 0 && !shelf.isChanged)
        #expect(books.allSatisfy { $0.isInserted && $0.sortTitle == "" })
        #expect(try store.namedBuffers.all() == [])
        books[2].duty = ""
        try store.save()
        #expect(try read().miscounts() == [])
        #expect(try backend.changes(after: backend.lastCommit().previous).next()?.notes == [])
    }

    @Test func whatTriggersHaveChangedIsTakenBackIfTheSaveFailsLater() throws {
        let faulty = FaultyBackend(backend, isolatesCommits: true)
        let store = try Store(backend: faulty, classes: CountedBook.family)
        let (shelf, book) = (CountingShelf("a"), CountedBook("invalid"))
        book.shelf = shelf
        store.insert(book)
        #expect(throws: StoreError.self) { try store.save() }
        #expect(shelf.bookCount == 0)
        book.title = "b"
        faulty.order { $0.commitFails = true }
        #expect(throws: FaultyBackend.failure) { try store.save() }
        #expect(shelf.bookCount == 0 && book.sortTitle == "" && book.isInserted)
        faulty.order { $0.commitFails = false }
        try store.save()
        #expect(shelf.bookCount == 1)
        #expect(try store.miscounts() == [])
    }

    @Test func triggersThatNeverComeToRestAreStopped() throws {
        let store = try open()
        let book = CountedBook("a")
        book.duty = "forever"
        store.insert(book)
        #expect(throws: StoreError.triggersUnstable(classes: ["CountedBook"])) { try store.save() }
        #expect(try store.count(of: CountedBook.self) == 1)
        book.duty = "save"
        #expect(throws: StoreError.stepUnderWay) { try store.save() }
        book.duty = ""
        try store.save()
        #expect(try read().count(of: CountedBook.self) == 1)
    }

    @Test func twoStoresCountRightWithoutAConflict() throws {
        let (store, other) = (try open(), try open())
        store.insert(CountingShelf("a"))
        try store.save()
        try other.refresh()
        for round in 0..<4 {
            for each in [store, other] {
                let shelf = try #require(try each.objects(of: CountingShelf.self).first)
                each.insert(CountedBook("\(round)", on: shelf))
            }
            try store.save()
            try other.save()
            #expect(try other.miscounts() == [])
        }
        #expect(try read().objects(of: CountingShelf.self).first?.bookCount == 8)
    }

    @Test func undoLeavesWhatTriggersCountAndTheNextSaveCountsAnew() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let shelf = CountingShelf("a")
        store.insert(shelf)
        try store.save()
        shelf.name = "b"
        let book = CountedBook("one", on: shelf)
        store.insert(book)
        try store.save()
        #expect(store.undoHistory.canUndo && shelf.bookCount == 1)
        // The insert, then the new name.
        try store.undoHistory.undo()
        try store.undoHistory.undo()
        #expect(shelf.name == "a" && shelf.bookCount == 1)
        try store.save()
        #expect(shelf.bookCount == 0 && shelf.pages == 0)
        #expect(try read().miscounts() == [])
        while try store.undoHistory.redo() {}
        try store.save()
        #expect(shelf.name == "b" && shelf.bookCount == 1)
        #expect(try read().miscounts() == [])
    }

    /// Once, the second of two stores that had brought an object back took it for a new one: triggers
    /// counted it twice, and its former key stayed in an index.
    @Test func whatTwoStoresBringBackCountsOnce() throws {
        let (store, other) = (try open(), try open())
        store.undoHistory.isEnabled = true
        let shelf = CountingShelf("a")
        let book = CountedBook("one", on: shelf)
        store.insert(book)
        try store.save()
        try other.refresh()
        let same = try #require(try other.objects(of: CountedBook.self).first)
        same.title = "two"
        try store.delete(book)
        try store.save()
        try store.undoHistory.undo()
        try other.save(onConflict: .mine)
        #expect(try read().miscounts() == [])
        try store.save(onConflict: .mine)
        let saved = try read()
        #expect(
            try saved.miscounts() == [] && saved.objects(of: CountingShelf.self)[0].bookCount == 1)
        #expect(try saved.objects(of: CountedBook.self).map(\.title) == ["one"])
        #expect(try saved.indexFindings().isEmpty)
    }

    @Test func backgroundSavesAndContainersAskTriggers() async throws {
        let store = try open()
        store.insert(CountedBook("a", on: CountingShelf("a")))
        try await store.saveInBackground()
        #expect(
            try store.miscounts() == [] && store.objects(of: CountingShelf.self)[0].bookCount == 1)
        try await store.container.write { store in
            let shelf = try store.objects(of: CountingShelf.self)[0]
            store.insert(CountedBook("b", on: shelf))
        }
        let saved = try read()
        #expect(
            try saved.miscounts() == [] && saved.objects(of: CountingShelf.self)[0].bookCount == 2)
    }

    @Test(arguments: [true, false], [true, false])
    func aSaveWithoutAnAnswerCountsOnce(_ isMade: Bool, _ isEdited: Bool) throws {
        let faulty = FaultyBackend(backend, isolatesCommits: true)
        let store = try Store(backend: faulty, classes: CountedBook.family)
        let shelf = CountingShelf("a")
        store.insert(shelf)
        try store.save()
        store.insert(CountedBook("one", on: shelf))
        faulty.order { $0.losesAnswer = isMade }
        #expect(throws: BackendError.outcomeUnknown(token: 100)) { try store.save() }
        if isEdited { shelf.name = "edited" }
        if isEdited, !isMade {
            #expect(throws: StoreError.triggersInterrupted) { try store.save() }
            store.rollback()
            store.insert(CountedBook("one", on: shelf))
        }
        try store.save()
        #expect(shelf.bookCount == 1)
        #expect(try read().miscounts() == [])
    }
}
