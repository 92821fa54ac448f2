import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Fields of `Codable` types: decoded when first touched, and kept as bytes until then.
struct CodableFieldTests {
    typealias Counted = CountedPages.Counted
    typealias Page = CountedPages.Page

    let bench = SchemaBench()
    /// The first word, which no other test has.
    let word = UUID().uuidString

    var decodings: Int { Counted.decoded.withLock { $0[word] ?? 0 } }
    var encodings: Int { Counted.encoded.withLock { $0[word] ?? 0 } }

    func open() throws -> Store { try bench.open([Page.self]) }

    /// A store with one saved page that was not touched yet.
    func saved(_ more: [String] = []) throws -> (store: Store, page: Page) {
        let first = try open()
        let page = Page()
        (page.title, page.counted, page.number) = ("a", Counted([word] + more), 7)
        first.insert(page)
        try first.save()
        let store = try open()
        return (store, try #require(try store.objects(of: Page.self).first))
    }

    @Test func aValueIsDecodedOnceWhenItIsFirstTouched() throws {
        let (store, page) = try saved()
        #expect(page.title == "a" && page.number == 7 && page.maybe == nil)
        #expect(!page.isChanged && decodings == 0)
        #expect(page.counted.words == [word] && page.counted.words == [word])
        #expect(decodings == 1 && !page.isChanged && !store.hasChanges)
        #expect(store.classesByNumber.compactMap { $0 }.allSatisfy { $0.kept.isEmpty })
        #expect(!page.state.contains(.keepsBytes))
    }

    @Test func anUntouchedValueIsSavedAsItsBytes() throws {
        let (store, page) = try saved()
        let before = encodings
        page.title = "b"
        page.number += 1
        try store.save()
        #expect(decodings == 0 && encodings == before)
        let again = try open()
        let found = try #require(try again.objects(of: Page.self).first)
        #expect(found.title == "b" && found.number == 8 && found.counted.words == [word])
    }

    @Test func aChangeInPlaceDecodesFirst() throws {
        let (store, page) = try saved()
        page.counted.words.append("more")
        #expect(page.isChanged && decodings == 1)
        try store.save()
        #expect(try open().objects(of: Page.self).first?.counted.words == [word, "more"])
    }

    @Test func anAssignmentIsComparedWithTheUntouchedValue() throws {
        let (store, page) = try saved()
        page.counted = Counted([word])
        #expect(!page.isChanged)
        page.maybe = nil
        #expect(!page.isChanged)
        page.counted = Counted(["other"])
        #expect(page.isChanged)
        try store.save()
        #expect(try open().objects(of: Page.self).first?.counted.words == ["other"])
    }

    @Test func undoTakesBackWhatHappenedToUntouchedValues() throws {
        let (store, page) = try saved()
        store.undoHistory.isEnabled = true
        page.title = "b"
        try store.undoHistory.undo()
        #expect(page.title == "a" && decodings == 0)
        page.counted.words.append("more")
        page.maybe = Counted(["x"])
        try store.undoHistory.undo()
        try store.undoHistory.undo()
        #expect(page.counted.words == [word] && page.maybe == nil)
        try store.undoHistory.redo()
        try store.undoHistory.redo()
        #expect(page.counted.words == [word, "more"] && page.maybe?.words == ["x"])
        try store.delete(page)
        try store.undoHistory.undo()
        try store.save()
        let found = try open().objects(of: Page.self).first
        #expect(found?.counted.words == [word, "more"] && found?.maybe?.words == ["x"])
    }

    @Test func refreshAndRollbackReadTheValueAnew() throws {
        let (store, page) = try saved()
        page.counted.words.append("more")
        store.rollback()
        #expect(page.counted.words == [word])
        page.counted.words.append("more")
        try store.rollback(page)
        #expect(page.counted.words == [word])
        let other = try open()
        try #require(try other.objects(of: Page.self).first).counted = Counted(["theirs"])
        try other.save()
        #expect(page.counted.words == [word])
        try store.refresh()
        page.title = "c"
        #expect(page.counted.words == ["theirs"])
    }

    @Test func aClosedStoreLeavesItsValues() throws {
        let (store, page) = try saved()
        try store.close()
        #expect(page.counted.words == [word] && page.maybe == nil && decodings == 1)
        #expect(page.state == .plain)
        page.counted.words = ["plain"]
        #expect(page.counted.words == ["plain"])
    }

    @Test func freedObjectsLeaveNoBytes() throws {
        let store = try saved().store
        let storedClass = try #require(store.storedClass(of: Page.self))
        do {
            let page = try #require(try store.objects(of: Page.self).first)
            #expect(storedClass.kept.count == 1 && page.state.contains(.keepsBytes))
        }
        #expect(storedClass.kept.isEmpty && decodings == 0)
    }

    // MARK: What cannot be decoded

    enum Before {
        final class Shelf: StoredObject {
            @Field var title = ""
            override class var storageName: String { "Shelf" }
        }
        final class Book: StoredObject {
            @Field var counted = CountedPages.Counted(["new"])
            @One var shelf: Shelf?
            override class var storageName: String { "Book" }
        }
    }
    enum After {
        final class Shelf: StoredObject {
            @Field var title = ""
            @Many(inverse: \Book.shelf) var books: [Book]
            override class var storageName: String { "Shelf" }
        }
        final class Book: StoredObject {
            @Field var counted = CountedPages.Counted(["new"])
            @One var shelf: Shelf?
            override class var storageName: String { "Book" }
        }
    }

    /// An inverse that is added later is found in all records, whether their values can be decoded or
    /// not.
    @Test func anUndecodableValueCostsNoRelationship() throws {
        let backend = MemoryBackend()
        do {
            let store = try Store(backend: backend, classes: [Before.Shelf.self, Before.Book.self])
            let shelf = Before.Shelf()
            for word in ["refuse", "fine"] {
                let book = Before.Book()
                book.counted = CountedPages.Counted([word])
                book.shelf = shelf
                store.insert(book)
            }
            try store.save()
        }
        let store = try Store(backend: backend, classes: [After.Shelf.self, After.Book.self])
        let shelf = try #require(try store.objects(of: After.Shelf.self).first)
        #expect(shelf.books.count == 2)
        shelf.title = "saved with both"
        try store.save()
        let again = try Store(backend: backend, classes: [After.Shelf.self, After.Book.self])
        #expect(try again.objects(of: After.Book.self).allSatisfy { $0.shelf != nil })
        #expect(try again.objects(of: After.Shelf.self).first?.books.count == 2)
    }

    @Test func whatCannotBeDecodedKeepsItsBytes() throws {
        let (store, page) = try saved(["refuse"])
        let listener = Listener()
        store.delegate = listener
        #expect(page.fetchError == nil && page.title == "a")
        #expect(page.counted.words == ["new"])
        guard case StoreError.cannotDecode("Page", page.rowID, "counted", _)? = page.fetchError
        else {
            Issue.record("\(String(describing: page.fetchError))")
            return
        }
        #expect(page.fetchError.map { "\($0)" }?.contains("counted") == true)
        let before = try bench.record("Page", page.rowID)
        page.title = "b"
        page.number = 8
        try store.save()
        #expect(page.fetchError != nil)
        let after = try bench.record("Page", page.rowID)
        #expect(after.count == before.count && after[6...].dropLast(8) == before[6...].dropLast(8))
        #expect(try open().objects(of: Page.self).first?.number == 8)
    }

    @Test func assigningAValueReplacesTheBytes() throws {
        let (store, page) = try saved(["refuse"])
        #expect(page.counted.words == ["new"] && page.fetchError != nil)
        // It is what the field seems to have.
        page.counted = Counted(["new"])
        #expect(page.fetchError == nil && page.isChanged)
        try store.save()
        #expect(try open().objects(of: Page.self).first?.counted.words == ["new"])
    }

    @Test func aChangeInPlaceOfWhatCannotBeDecodedIsNotSaved() throws {
        let (store, page) = try saved(["refuse"])
        let before = try bench.record("Page", page.rowID)
        page.counted.words.append("more")
        #expect(throws: StoreError.contentNotRead(class: "Page", row: page.rowID)) {
            try store.save()
        }
        store.rollback()
        #expect(page.fetchError == nil && page.counted.words == ["new"])
        page.number = 7
        try store.save()
        #expect(try bench.record("Page", page.rowID) == before)
    }

    @Test func undoBringsBackBytesThatCannotBeDecoded() throws {
        let (store, page) = try saved(["refuse"])
        let before = try bench.record("Page", page.rowID)
        store.undoHistory.isEnabled = true
        page.counted = Counted(["mine"])
        page.maybe = Counted(["too"])
        #expect(page.fetchError == nil)
        try store.undoHistory.undo()
        try store.undoHistory.undo()
        #expect(page.counted.words == ["new"] && page.fetchError != nil && page.maybe == nil)
        try store.save()
        #expect(try bench.record("Page", page.rowID) == before)
    }

    /// Each of two fields has its own error.
    @Test func settingOneOfTwoFieldsLeavesTheErrorOfTheOther() throws {
        let (store, page) = try saved(["refuse"])
        page.maybe = Counted(["refuse"])
        try store.save()
        try store.rollback(page)
        #expect(page.counted.words == ["new"] && page.maybe == nil)
        page.maybe = Counted(["fine"])
        guard case StoreError.cannotDecode(_, _, "counted", _)? = page.fetchError else {
            Issue.record("\(String(describing: page.fetchError))")
            return
        }
        page.counted = Counted(["fine"])
        #expect(page.fetchError == nil)
    }
}
