import CabinetBackend
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// A store that takes over an author's steps from one that has closed.
struct UndoTakenOverTests {
    private let container = StoreContainer(inMemory: [LedgerAccount.self, LedgerEntry.self])

    /// Once, it did not know the table that the other had made since, and left them there.
    @Test func whatItRemovesIsGone() throws {
        let second = try container.makeStore()
        second.author = "maria"
        let first = try container.makeStore()
        first.author = "maria"
        first.undoHistory.survivesRelaunch = true
        first.insert(LedgerEntry("1", cents: 0))
        try first.save()
        try first.close()
        second.undoHistory.survivesRelaunch = true
        #expect(second.undoHistory.canUndo)
        second.undoHistory.removeAll()
        second.insert(LedgerEntry("2", cents: 0))
        try second.save()
        second.undoHistory.removeAll()
        try second.save()
        try second.close()
        let third = try container.makeStore()
        third.author = "maria"
        third.undoHistory.survivesRelaunch = true
        #expect(!third.undoHistory.canUndo)
        try third.close()
    }

    /// Once, it took up those of when it was opened, and its own came among the rest.
    @Test func itTakesUpWhatTheOtherHasSavedLast() throws {
        func open() throws -> Store {
            let store = try container.makeStore()
            store.author = "maria"
            store.undoHistory.survivesRelaunch = true
            return store
        }
        func add(_ text: String, to store: Store) throws {
            store.insert(LedgerEntry(text, cents: 0))
            try store.save()
        }
        let first = try open()
        try add("1", to: first)
        let second = try container.makeStore()
        second.author = "maria"
        for text in ["2", "3"] { try add(text, to: first) }
        try first.close()
        second.undoHistory.survivesRelaunch = true
        #expect(second.undoHistory.survivesRelaunch)
        try add("4", to: second)
        try second.close()
        let third = try open()
        for left in [3, 2, 1, 0] {
            #expect(try third.undoHistory.undo())
            #expect(
                try third.objects(of: LedgerEntry.self).map(\.text)
                    == (0..<left).map { "\($0 + 1)" })
        }
        #expect(!third.undoHistory.canUndo)
        try third.close()
    }
}
