import CabinetMemory
import Testing

@testable import Cabinet

/// Steps of one store that are taken back after another one has changed the same objects.
struct UndoBesideOthersTests {
    private let backend = MemoryBackend()
    private let one: Store
    private let two: Store
    private let bookcase: Bookcase

    init() throws {
        one = try Store(backend: backend, classes: volumeClasses)
        bookcase = Bookcase()
        bookcase.title = "Blue Train"
        one.insert(bookcase)
        for title in ["Moment's Notice", "Locomotion"] {
            let volume = Volume()
            volume.title = title
            bookcase.volumes.append(volume)
        }
        try one.save()
        two = try Store(backend: backend, classes: volumeClasses)
        one.undoHistory.isEnabled = true
    }

    private func theirBookcase() throws -> Bookcase {
        try #require(try two.objects(of: Bookcase.self).first { $0.title == bookcase.title })
    }

    @Test func undoLeavesFieldsThatOthersHaveChangedSince() throws {
        try one.undoHistory.group {
            bookcase.title = "mine"
            bookcase.year = 1
        }
        try one.save()
        try two.advance()
        try theirBookcase().year = 1957
        try two.save()
        try one.advance()
        #expect(bookcase.year == 1957)
        try one.undoHistory.undo()
        #expect(bookcase.title == "Blue Train" && bookcase.year == 1957)
        try one.undoHistory.redo()
        #expect(bookcase.title == "mine" && bookcase.year == 1957)
        try one.undoHistory.undo()
        try one.save()
        try two.advance()
        #expect(try theirBookcase().year == 1957)
    }

    @Test func undoOfAnAppendLeavesWhatOthersHaveAppended() throws {
        let mine = Volume()
        mine.title = "mine"
        bookcase.volumes.append(mine)
        try one.save()
        try two.advance()
        let theirs = Volume()
        theirs.title = "theirs"
        try theirBookcase().volumes.append(theirs)
        try two.save()
        try one.advance()
        #expect(bookcase.volumes.map(\.title).suffix(2) == ["mine", "theirs"])
        try one.undoHistory.undo()
        #expect(bookcase.volumes.map(\.title) == ["Moment's Notice", "Locomotion", "theirs"])
        try one.save()
        #expect(bookcase.volumes.allSatisfy { $0.bookcase === bookcase })
    }

    @Test func aStepWhoseObjectOthersHaveMovedStays() throws {
        let other = Bookcase()
        one.insert(other)
        try one.save()
        let volume = try #require(bookcase.volumes.first)
        volume.bookcase = other
        try one.save()
        try two.advance()
        let theirs = try #require(
            try two.objects(of: Volume.self).first { $0.title == "Moment's Notice" })
        theirs.bookcase = nil
        try two.save()
        try one.advance()
        #expect(volume.bookcase == nil)
        #expect(throws: StoreError.changedSince(class: "Bookcase", row: other.rowID)) {
            try one.undoHistory.undo()
        }
        #expect(one.undoHistory.canUndo && volume.bookcase == nil && bookcase.volumes.count == 1)
    }

    @Test func anInsertThatOthersHaveBuiltOnIsNotTakenBack() throws {
        let volume = Volume()
        volume.title = "new"
        one.insert(volume)
        try one.save()
        try two.advance()
        let theirs = try #require(try two.objects(of: Volume.self).first { $0.title == "new" })
        theirs.seconds = 100
        try two.save()
        try one.advance()
        #expect(throws: StoreError.changedSince(class: "Volume", row: volume.rowID)) {
            try one.undoHistory.undo()
        }
        #expect(!volume.isDeleted && volume.seconds == 100)
    }

    @Test func aMergeIsNoStep() throws {
        try theirBookcase().year = 1957
        bookcase.title = "mine"
        try two.save()
        try one.save(onConflict: .merge)
        #expect(bookcase.title == "mine" && bookcase.year == 1957)
        try one.undoHistory.undo()
        #expect(bookcase.title == "Blue Train" && bookcase.year == 1957)
        #expect(!one.undoHistory.canUndo)
    }
}
