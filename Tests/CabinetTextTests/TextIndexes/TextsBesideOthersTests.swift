import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// A class that no text index and no index has anything to do with.
private final class Bystander: StoredObject {
    @Field var number = 0
}

private final class OrderedNote: StoredObject {
    @Field var year = 0

    override class var indexes: [Index] { [.ordered(\OrderedNote.year)] }
}

/// The same class as ``SearchedNote`` to a store, of a program whose index of titles takes parts of words.
private final class OtherwiseSearchedNote: StoredObject {
    @Field var title = ""
    @Field var body: String?
    @Field var code = ""
    @Field var year = 0

    override class var storageName: String { "SearchedNote" }
    override class var textIndexes: [TextIndex] {
        [.text(\OtherwiseSearchedNote.title, tokenizer: .words(language: "en"))]
    }
}

/// Calls a closure when its text index takes the text "first" apart.
private final class InterruptedNote: StoredObject {
    static let interruption = Guarded<(@Sendable () -> Void)?>(nil)

    @Field var title = ""

    override class var textIndexes: [TextIndex] {
        let tokenizer = Tokenizer.own(name: "interrupted", version: 1) { text, add in
            if text == "first" { InterruptedNote.interruption.withLock { $0 }?() }
            add(text, text.startIndex..<text.endIndex)
        }
        return [.text(\InterruptedNote.title, tokenizer: tokenizer)]
    }
}

/// The same class to a store, without the index.
private final class UnindexedNote: StoredObject {
    @Field var title = ""
    override class var storageName: String { InterruptedNote.storageName }
}

/// Whatever other stores and programs save in between, an index has what each store has saved, or says that it
/// has not.
@Suite("Text indexes: beside other stores")
struct TextsBesideOthersTests {
    private func found(_ store: Store, _ query: String) throws -> Int {
        try store.search(SearchedNote.self, query, in: \.title).totalCount
    }

    /// The caller of `indexes.build()` met the conflict.
    @Test("an index is built though others change what the catalog says of it meanwhile")
    func interruptedBuilding() throws {
        let backend = MemoryBackend()
        let plain = try Store(backend: backend, classes: [UnindexedNote.self])
        for number in 0..<300 {
            let note = UnindexedNote()
            note.title = number == 0 ? "first" : "note \(number % 10)"
            plain.insert(note)
        }
        try plain.save()
        let number = try plain.registered(UnindexedNote.self).number
        let left = Guarded(3)
        InterruptedNote.interruption.withLock {
            $0 = {
                let isLeft = left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                guard isLeft else { return }
                do {
                    let batch = backend.makeBatch()
                    let entries = try backend.derivedEntries(ofClass: number)
                    try entries.put(ofClass: number, in: batch)
                    try backend.commit(batch)
                } catch { Issue.record(error) }
            }
        }
        defer { InterruptedNote.interruption.withLock { $0 = nil } }
        let store = try Store(backend: backend, classes: [InterruptedNote.self])
        try store.indexes.build()
        #expect(left.withLock { $0 } < 0)
        #expect(try store.search(InterruptedNote.self, "first", in: \.title).totalCount == 1)
        #expect(try store.indexFindings().isEmpty)
    }

    /// A commit that had nothing to do with the class made a store believe that it knew the catalog.
    @Test("a commit of another class does not hide what another store has defined")
    func definedMeanwhile() throws {
        let container = StoreContainer(inMemory: [SearchedNote.self, Bystander.self])
        let (one, other) = (try container.makeStore(), try container.makeStore())
        one.insert(SearchedNote("first"))
        try one.save()
        other.insert(Bystander())
        try other.save()
        other.insert(SearchedNote("second"))
        try other.save()
        try one.refresh()
        for store in [one, other] {
            #expect(try found(store, "second") == 1)
            #expect(try store.indexFindings().isEmpty)
        }
    }

    /// As above, of ordered indexes.
    @Test("nor what another store has defined of indexes")
    func indexDefinedMeanwhile() throws {
        let container = StoreContainer(inMemory: [OrderedNote.self, Bystander.self])
        let (one, other) = (try container.makeStore(), try container.makeStore())
        one.insert(OrderedNote())
        try one.save()
        other.insert(Bystander())
        try other.save()
        let note = OrderedNote()
        note.year = 7
        other.insert(note)
        try other.save()
        for store in [one, other] {
            try store.refresh()
            let query = ObjectQuery<OrderedNote>(where: #Predicate { $0.year == 7 })
            #expect(try store.query(query).count() == 1)
            #expect(try store.indexFindings().isEmpty)
            #expect(store.debugReport.incompleteIndexes.isEmpty)
        }
    }

    /// As above, of what a store keeps in memory of the rows whose records are asked.
    @Test("a commit of another class does not hide what upkeep has done")
    func upkeepMeanwhile() throws {
        let container = StoreContainer(inMemory: [SearchedNote.self, Bystander.self])
        let (one, other) = (try container.makeStore(), try container.makeStore())
        var notes: [SearchedNote] = []
        for number in 0..<12 {
            let note = SearchedNote("old\(number)")
            notes.append(note)
            one.insert(note)
            try one.save()
        }
        try other.refresh()
        try other.keepTexts(unmergedLimit: 1)
        one.insert(Bystander())
        try one.save()
        notes[3].title = "new"
        try one.save()
        try other.refresh()
        try other.keepTexts(unmergedLimit: 1)
        for store in [one, other] {
            try store.refresh()
            #expect(try found(store, "old3") == 0)
            #expect(try found(store, "new") == 1)
            #expect(try store.indexFindings().isEmpty)
        }
    }

    /// Such a store was opened before the class had any index, and knew of none.
    @Test("a store of a class without text indexes leaves those behind that another one declares")
    func unawares() throws {
        let backend = MemoryBackend()
        let plain = try Store(backend: backend, classes: [PlainNote.self])
        let searched = try Store(backend: backend, classes: [SearchedNote.self])
        searched.insert(SearchedNote("blue"))
        try searched.save()
        let note = PlainNote()
        note.title = "red"
        plain.insert(note)
        try plain.save()
        try searched.refresh()
        #expect(try found(searched, "red") == 1)
        try searched.indexes.build()
        #expect(try found(searched, "red") == 1)
        #expect(try searched.indexFindings().isEmpty)
    }

    @Test("the first records of a class conflict with a commit that takes it for empty")
    func firstRecords() throws {
        let backend = MemoryBackend()
        let plain = try Store(backend: backend, classes: [PlainNote.self])
        let searched = try Store(backend: backend, classes: [SearchedNote.self])
        let note = PlainNote()
        note.title = "red"
        plain.insert(note)
        try plain.save()
        // As of the commit before.
        searched.insert(SearchedNote("blue"))
        try searched.save()
        try searched.refresh()
        try searched.indexes.build()
        #expect(try found(searched, "red") == 1 && found(searched, "blue") == 1)
        #expect(try searched.indexFindings().isEmpty)
    }

    /// Its builder may come late, or never.
    @Test("a program that declares an index otherwise leaves it behind when it saves")
    func declaredOtherwise() throws {
        let temporary = try TemporaryStore([SearchedNote.self])
        temporary.store.insert(SearchedNote("blue trains"))
        try temporary.store.save()
        let other = try temporary.reopen([OtherwiseSearchedNote.self])
        other.indexes.progress?.cancel()
        let note = OtherwiseSearchedNote()
        note.title = "red trains"
        other.insert(note)
        try other.save()
        other.indexes.progress?.cancel()
        let number = try other.registered(OtherwiseSearchedNote.self).number
        let entries = try other.backend.derivedEntries(ofClass: number)
        for name in ["title", "body", "code"] {
            let entry = try #require(entries[TextKeeper.kind, name])
            // Unless it was built in time, by the other definition.
            #expect(entry.state != .complete || entry.definition.contains("words.en"), "\(name)")
        }
        let store = try temporary.reopen([SearchedNote.self])
        #expect(try found(store, "trains") == 2)
        try store.indexes.build()
        #expect(try found(store, "trains") == 2)
        #expect(try store.indexFindings().isEmpty)
    }

    /// Searches found it, and nothing else did.
    @Test("what another store has deleted is not found, though it was edited here")
    func editedAndDeleted() throws {
        let container = StoreContainer(inMemory: [SearchedNote.self])
        let (one, other) = (try container.makeStore(), try container.makeStore())
        let note = SearchedNote("alpha")
        one.insert(note)
        one.insert(SearchedNote("beta"))
        try one.save()
        try other.refresh()
        let edited = try #require(try other.object(SearchedNote.self, rowID: note.rowID))
        edited.title = "alpha edited"
        try one.delete(note)
        try one.save()
        try other.refresh()
        #expect(try other.objects(of: SearchedNote.self).count == 1)
        #expect(try found(other, "alpha") == 0)
        #expect(try found(other, "edited") == 0)
        #expect(try other.suggestions(for: "edi", in: \SearchedNote.title).isEmpty)
        #expect(try found(other, "beta") == 1)
    }
}
