import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing

@testable import Cabinet

/// A class whose validation lets a test do something between the beginning of a save and its commit.
private final class Interrupted: StoredObject {
    @Field var number = 0
    nonisolated(unsafe) static var interruption: (() throws -> Void)?

    override func validate() throws {
        let interruption = Self.interruption
        Self.interruption = nil
        try interruption?()
    }
}

/// A merge raises the order of what its segments void; a save that has begun before may write segments below it.
@Suite("Text indexes: merges beside saves")
struct VoidingMergeTests {
    @Test("a row that comes back in a save beside a merge is found")
    func comesBack() throws {
        let container = StoreContainer(inMemory: [SearchedNote.self, Interrupted.self])
        let (one, other) = (try container.makeStore(), try container.makeStore())
        one.undoHistory.isEnabled = true
        func insert(_ count: Int, _ word: String, in store: Store) {
            for number in 0..<count { store.insert(SearchedNote("\(word) w\(number)", "body")) }
        }
        let note = SearchedNote("lost")
        one.insert(note)
        insert(6000, "old", in: one)
        try one.save()
        try one.delete(note)
        try one.save()
        try other.refresh()
        try other.keepTexts(unmergedLimit: 1)
        try one.undoHistory.undo()
        insert(300, "mine", in: one)
        one.insert(Interrupted())
        Interrupted.interruption = {
            try other.refresh()
            for round in 0..<4 {
                insert(300, "other\(round)", in: other)
                try other.save()
            }
            try other.keepTexts(unmergedLimit: 1)
        }
        try one.save()
        #expect(Interrupted.interruption == nil)
        for store in [one, other] {
            try store.refresh()
            #expect(try store.search(SearchedNote.self, "lost", in: \.title).totalCount == 1)
            #expect(try store.search(SearchedNote.self, "mine", in: \.title).totalCount == 300)
            #expect(try store.indexFindings().isEmpty)
        }
    }
}
