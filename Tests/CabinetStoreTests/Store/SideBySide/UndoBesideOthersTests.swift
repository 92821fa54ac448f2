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

    private func theirBookcase(titled title: String? = nil) throws -> Bookcase {
        let title = title ?? bookcase.title
        return try #require(try two.objects(of: Bookcase.self).first { $0.title == title })
    }

    @Test func undoLeavesFieldsThatOthersHaveChangedSince() throws {
        try one.undoHistory.group {
            bookcase.title = "mine"
            bookcase.year = 1
        }
        try one.save()
        try two.refresh()
        try theirBookcase().year = 1957
        try two.save()
        try one.refresh()
        #expect(bookcase.year == 1957)
        try one.undoHistory.undo()
        #expect(bookcase.title == "Blue Train" && bookcase.year == 1957)
        try one.undoHistory.redo()
        #expect(bookcase.title == "mine" && bookcase.year == 1957)
        try one.undoHistory.undo()
        try one.save()
        try two.refresh()
        #expect(try theirBookcase().year == 1957)
    }

    @Test func undoOfAnAppendLeavesWhatOthersHaveAppended() throws {
        let mine = Volume()
        mine.title = "mine"
        bookcase.volumes.append(mine)
        try one.save()
        try two.refresh()
        let theirs = Volume()
        theirs.title = "theirs"
        try theirBookcase().volumes.append(theirs)
        try two.save()
        try one.refresh()
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
        try two.refresh()
        let theirs = try #require(
            try two.objects(of: Volume.self).first { $0.title == "Moment's Notice" })
        theirs.bookcase = nil
        try two.save()
        try one.refresh()
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
        try two.refresh()
        let theirs = try #require(try two.objects(of: Volume.self).first { $0.title == "new" })
        theirs.seconds = 100
        try two.save()
        try one.refresh()
        #expect(throws: StoreError.changedSince(class: "Volume", row: volume.rowID)) {
            try one.undoHistory.undo()
        }
        #expect(!volume.isDeleted && volume.seconds == 100)
    }

    /// The step put the object back into its list, though others had put it into another one since.
    @Test func whatOthersHavePutElsewhereStaysThere() throws {
        let volume = try #require(bookcase.volumes.first)
        bookcase.volumes.removeFirst()
        try one.save()
        try two.refresh()
        let theirs = try #require(
            try two.objects(of: Volume.self).first { $0.rowID == volume.rowID })
        let other = Bookcase()
        two.insert(other)
        theirs.bookcase = other
        try two.save()
        try one.refresh()
        #expect(throws: StoreError.changedSince(class: "Bookcase", row: bookcase.rowID)) {
            try one.undoHistory.undo()
        }
        #expect(volume.bookcase?.rowID == other.rowID && bookcase.volumes.count == 1)
    }

    /// The list was merged while the object still counted as deleted, and lost it.
    @Test func aRowThatOthersHaveBroughtBackStaysInAMergedList() throws {
        two.undoHistory.isEnabled = true
        let volume = try #require(bookcase.volumes.first)
        try two.delete(try #require(try two.object(Volume.self, rowID: volume.rowID)))
        try two.save()
        try one.refresh()
        #expect(volume.isDeleted && bookcase.volumes.count == 1)
        let mine = Volume()
        mine.title = "mine"
        bookcase.volumes.append(mine)
        try two.undoHistory.undo()
        try two.save()
        try one.save(onConflict: .merge)
        #expect(!volume.isDeleted && volume.bookcase === bookcase)
        #expect(bookcase.volumes.map(\.title) == ["Moment's Notice", "Locomotion", "mine"])
        try two.refresh()
        #expect(try theirBookcase().volumes.count == 3)
    }

    /// While the step was made, the bookcase was conflicting and did not have the volume yet, so only the
    /// volume was in it.
    @Test func bothSidesComeBackOfAStepThatKnewOne() throws {
        let volume = Volume()
        one.insert(volume)
        try one.save()
        try two.refresh()
        bookcase.title = "mine"
        let theirs = try #require(
            try two.objects(of: Volume.self).first { $0.rowID == volume.rowID })
        theirs.bookcase = try theirBookcase(titled: "Blue Train")
        try two.save()
        try one.refresh()
        #expect(volume.bookcase === bookcase && bookcase.volumes.count == 2)
        volume.bookcase = nil
        try one.save(onConflict: .merge)
        #expect(volume.bookcase == nil && bookcase.volumes.count == 2)
        for _ in 0..<2 {
            try one.undoHistory.undo()
            #expect(volume.bookcase === bookcase && bookcase.volumes.last === volume)
            try one.undoHistory.redo()
            #expect(volume.bookcase == nil && bookcase.volumes.count == 2)
        }
        try one.undoHistory.undo()
        try one.save()
        try two.refresh()
        #expect(theirs.bookcase?.volumes.contains { $0 === theirs } == true)
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
