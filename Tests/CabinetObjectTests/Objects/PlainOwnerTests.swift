import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

/// Objects in no store that take objects of the store into a relationship with an inverse: the
/// other side was not updated, and they were lost.
struct PlainOwnerTests {
    let store: Store
    let one = Tune("one")
    let two = Tune("two")

    init() throws {
        store = try Store(inMemory: tunes)
        store.insert(one)
        store.insert(two)
        try store.save()
    }

    static let edits: [@Sendable (TuneList, Tune, Tune) -> Void] = [
        { list, one, _ in list.tunes.append(one) },
        { list, one, _ in list.tunes = [one] },
        { list, one, _ in list.tunes = [Tune("new"), one, Tune("new")] },
        { list, one, _ in
            list.tunes = [Tune("a"), Tune("b"), Tune("c")]
            list.tunes.insert(one, at: 1)
        },
        { list, one, _ in
            list.tunes = [Tune("a"), Tune("b"), Tune("c")]
            list.tunes[1] = one
        },
        { list, one, _ in
            for _ in 0..<20 { list.tunes.append(Tune("a")) }
            list.tunes.append(one)
        },
        { list, one, _ in
            list.tunes = [Tune("a"), Tune("b"), Tune("c")]
            list.tunes.replaceSubrange(0..<2, with: [one])
        },
        { list, one, _ in
            list.tunes = [Tune("a"), Tune("b"), Tune("c"), Tune("d")]
            list.tunes.replaceSubrange(1..<3, with: [one])
        },
    ]

    @Test(arguments: edits.indices)
    func itIsInserted(_ index: Int) throws {
        let list = TuneList()
        Self.edits[index](list, one, two)
        #expect(list.store === store && list.isInserted && isSame(one.lists, [list]))
        #expect(list.tunes.contains { $0 === one } && list.tunes.allSatisfy { $0.rowID != 0 })
        try store.save()
        #expect(!store.hasChanges)
        #expect(isSame(try store.objects(of: TuneList.self), [list]))
    }

    @Test func aRelationshipToOneDoesSoToo() throws {
        let (disc, booklet) = (Disc(), Booklet())
        store.insert(disc)
        try store.save()
        booklet.album = disc
        #expect(booklet.store === store && disc.booklet === booklet)
        let tune = Tune("new")
        tune.album = disc
        #expect(tune.store === store && isSame(disc.tracks, [tune]))
        let other = Disc()
        other.booklet = booklet
        #expect(other.store === store && booklet.album === other && disc.booklet == nil)
    }

    @Test func undoAndRollbackTakeItBack() throws {
        store.undoHistory.isEnabled = true
        let list = TuneList()
        list.tunes.append(one)
        #expect(try store.undoHistory.undo() && !store.undoHistory.canUndo)
        #expect(list.isDeleted && one.lists.isEmpty)
        try store.undoHistory.redo()
        #expect(!list.isDeleted && isSame(one.lists, [list]) && isSame(list.tunes, [one]))
        store.rollback()
        #expect(list.rowID == 0 && list.store == nil && one.lists.isEmpty && !store.hasChanges)
        // Its list is what it was; the next edit inserts it again.
        list.tunes.append(two)
        #expect(list.store === store && isSame(one.lists, [list]) && isSame(two.lists, [list]))
    }

    @Test func aGroupThatThrowsTakesItBack() throws {
        struct Stop: Error {}
        let list = TuneList()
        #expect(throws: Stop.self) {
            try store.undoHistory.group {
                list.tunes = [one, two]
                throw Stop()
            }
        }
        #expect(list.store == nil && one.lists.isEmpty && !store.hasChanges)
    }

    @Test func nothingIsInsertedWithoutCause() throws {
        // Without an inverse nothing follows from it.
        let store = try Store(inMemory: [Book.self, Member.self])
        let (book, member) = (Book("b"), Member("m"))
        store.insert(member)
        book.owner = member
        book.readers = [member]
        #expect(book.store == nil)
        // Objects that are all in no store stay there.
        let list = TuneList()
        list.tunes = [Tune("a"), Tune("b")]
        list.tunes.removeLast()
        #expect(list.store == nil && list.tunes[0].store == nil)
        // One that is deleted does not lead back.
        try self.store.delete(one)
        list.tunes.append(one)
        #expect(list.store == nil)
    }

    // MARK: What an inserted object leads to

    /// It had no row, and did not lead back, before the next fetch or save.
    @Test func itsRelationshipsAreInsertedAtOnce() throws {
        let (disc, booklet, list, tune) = (Disc(), Booklet(), TuneList(), Tune("new"))
        disc.booklet = booklet
        store.insert(disc)
        #expect(booklet.rowID != 0 && booklet.album === disc)
        list.tunes = [tune, Tune("newer")]
        store.insert(list)
        #expect(list.tunes.allSatisfy { $0.rowID != 0 && $0.isInserted })
        #expect(isSame(tune.lists, [list]))
        // Likewise for what is taken in by an assignment.
        let (other, inner) = (Disc(), Booklet())
        other.booklet = inner
        one.album = other
        #expect(other.rowID != 0 && inner.rowID != 0 && inner.album === other)
        store.rollback()
        let all: [StoredObject] = [disc, booklet, list, tune, other, inner]
        #expect(all.allSatisfy { $0.rowID == 0 })
    }

    /// A call for each link would need more stack than there is.
    @Test func aLongChainIsInsertedWhole() throws {
        let root = Branch()
        var last = root
        for _ in 0..<50_000 {
            let next = Branch()
            last.children = [next]
            last = next
        }
        store.insert(root)
        #expect(last.rowID != 0 && last.parent != nil)
        store.rollback()
        // They would be freed by as many calls.
        while let next = root.children.first {
            root.children = next.children
            next.children = []
        }
    }

    @Test func theWholeInsertIsOneStep() throws {
        store.undoHistory.isEnabled = true
        let (disc, booklet) = (Disc(), Booklet())
        disc.booklet = booklet
        store.insert(disc)
        try store.undoHistory.undo()
        #expect(disc.isDeleted && booklet.isDeleted && !store.undoHistory.canUndo)
    }
}
