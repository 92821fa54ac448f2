import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

/// A way to edit a list in place, and the same on plain values.
struct ListEdit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let edit: @Sendable (inout [Tune], _ more: [Tune]) -> Void

    static let all = [
        ListEdit(testDescription: "append") { $0.append($1[0]) },
        ListEdit(testDescription: "append twice") { $0 += [$1[0], $1[0], $1[1]] },
        ListEdit(testDescription: "append one again") { list, _ in list.append(list[1]) },
        ListEdit(testDescription: "insert") { $0.insert($1[0], at: 2) },
        ListEdit(testDescription: "insert at the front") { $0.insert(contentsOf: $1, at: 0) },
        ListEdit(testDescription: "swapAt") { list, _ in list.swapAt(0, 3) },
        ListEdit(testDescription: "sort") { list, _ in list.sort { $0.rowID > $1.rowID } },
        ListEdit(testDescription: "reverse") { list, _ in list.reverse() },
        ListEdit(testDescription: "element") { $0[2] = $1[0] },
        ListEdit(testDescription: "slice") { $0[1...3] = [$1[0], $0[1]] },
        ListEdit(testDescription: "slice away") { list, _ in list[1...3] = [] },
        ListEdit(testDescription: "remove(at:)") { list, _ in list.remove(at: 1) },
        ListEdit(testDescription: "removeLast") { list, _ in list.removeLast() },
        ListEdit(testDescription: "removeSubrange") { list, _ in list.removeSubrange(0..<2) },
        ListEdit(testDescription: "removeAll(where:)") { list, _ in
            let first = list[0]
            list.removeAll { $0 === first }
        },
        ListEdit(testDescription: "removeAll") { list, _ in list.removeAll() },
        ListEdit(testDescription: "removeAll(keepingCapacity:)") { list, _ in
            list.removeAll(keepingCapacity: true)
        },
        ListEdit(testDescription: "replace") { $0 = [$1[1], $0[0]] },
        ListEdit(testDescription: "move to the front") { list, _ in
            list.insert(list.removeLast(), at: 0)
        },
    ]
}

struct InPlaceEditTests {
    let backend = MemoryBackend()

    func open() throws -> Store { try Store(backend: backend, classes: tunes) }

    /// Five tunes in a list, the first of them twice, saved; and two that stand in no list.
    func filled(_ store: Store) throws -> (list: TuneList, more: [Tune]) {
        let songs = (0..<7).map { Tune("\($0)") }
        let list = TuneList()
        list.tunes = [songs[0], songs[1], songs[2], songs[0], songs[3], songs[4]]
        store.insert(list)
        songs.forEach(store.insert)
        try store.save()
        return (list, [songs[5], songs[6]])
    }

    func agree(_ store: Store, _ list: TuneList, _ expected: [Tune]) throws {
        #expect(list.tunes.map(\.title) == expected.map(\.title))
        for tune in try store.objects(of: Tune.self) {
            let isThere = expected.contains { $0.rowID == tune.rowID }
            let found = tune.lists.filter { $0 === list }
            #expect(found.count == (isThere ? 1 : 0), "\(tune.title)")
        }
    }

    @Test(arguments: ListEdit.all)
    func theOtherSideFollows(_ edit: ListEdit) throws {
        let store = try open()
        let (list, more) = try filled(store)
        var expected = list.tunes
        edit.edit(&expected, more)
        edit.edit(&list.tunes, more)
        try agree(store, list, expected)
        try store.save()
        let again = try open()
        try agree(again, try #require(try again.objects(of: TuneList.self).first), expected)
    }

    @Test(arguments: ListEdit.all)
    func undoAndRedoTakeBothSidesAlong(_ edit: ListEdit) throws {
        let store = try open()
        let (list, more) = try filled(store)
        store.undoHistory.isEnabled = true
        let before = list.tunes
        var (once, twice) = (before, before)
        edit.edit(&once, more)
        // An edit of its own, and one in a group with another on the same list.
        edit.edit(&list.tunes, more)
        try agree(store, list, once)
        try store.undoHistory.undo()
        try agree(store, list, before)
        twice.append(more[1])
        edit.edit(&twice, more)
        try store.undoHistory.group {
            list.tunes.append(more[1])
            edit.edit(&list.tunes, more)
        }
        try agree(store, list, twice)
        try store.save()
        try store.undoHistory.undo()
        try agree(store, list, before)
        try store.save()
        let again = try open()
        try agree(again, try #require(try again.objects(of: TuneList.self).first), before)
        try store.undoHistory.redo()
        try agree(store, list, twice)
        #expect(!store.undoHistory.canRedo)
    }

    @Test(arguments: ListEdit.all, [true, false])
    func rollbackTakesBackWhatNobodyLookedAt(_ edit: ListEdit, _ isUndoing: Bool) throws {
        let store = try open()
        let (list, more) = try filled(store)
        store.undoHistory.isEnabled = isUndoing
        let before = list.tunes
        edit.edit(&list.tunes, more)
        let outsiders = [Tune("new"), Tune("newer")]
        list.tunes.insert(contentsOf: outsiders, at: list.tunes.count / 2)
        store.rollback()
        try agree(store, list, before)
        #expect(!store.hasChanges)
        #expect(outsiders.map(\.rowID) == [0, 0] && outsiders[0].store == nil)
        edit.edit(&list.tunes, more)
        var expected = before
        edit.edit(&expected, more)
        try agree(store, list, expected)
    }

    @Test(arguments: ListEdit.all)
    func aGroupThatThrowsLeavesBothSides(_ edit: ListEdit) throws {
        struct Refusal: Error {}
        let store = try open()
        let (list, more) = try filled(store)
        let before = list.tunes
        #expect(throws: Refusal.self) {
            try store.undoHistory.group {
                edit.edit(&list.tunes, more)
                throw Refusal()
            }
        }
        try agree(store, list, before)
        #expect(throws: Refusal.self) {
            try store.undoHistory.group {
                edit.edit(&list.tunes, more)
                _ = more[0].lists
                more[1].lists = [list]
                throw Refusal()
            }
        }
        try agree(store, list, before)
        #expect(!store.hasChanges)
    }

    @Test func editsInsideAnEnumerationAreFollowed() throws {
        let store = try open()
        let (list, more) = try filled(store)
        try store.forEach(Tune.self) { tune in
            list.tunes.append(tune)
            if tune === more[0] { tune.lists = [] }
        }
        #expect(list.tunes.count == 6 + 6)
        #expect(!list.tunes.contains { $0 === more[0] })
        #expect(more[1].lists.count == 1)
        try store.forEach(TuneList.self) { $0.tunes.removeAll() }
        try agree(store, list, [])
        try store.save()
        try agree(try open(), list, [])
    }

    @Test func whatStandsTwiceGoesTwiceAndComesBackTwice() throws {
        let store = try open()
        let (list, _) = try filled(store)
        store.undoHistory.isEnabled = true
        let before = list.tunes
        try store.delete(before[0])
        #expect(list.tunes.map(\.title) == ["1", "2", "3", "4"])
        try store.save()
        try store.undoHistory.undo()
        try agree(store, list, before)
        try store.save()
        let again = try open()
        try agree(again, try #require(try again.objects(of: TuneList.self).first), before)
        try store.undoHistory.redo()
        #expect(list.tunes.count == 4 && before[0].isDeleted)
    }

    /// Minutes if each track were taken from the old disc by itself.
    @Test func aLongListMovesToAnotherOwnerInOneGo() throws {
        let store = try open()
        let (old, new) = (Disc(), Disc())
        old.tracks = (0..<20_000).map { Tune("\($0)") }
        store.insert(old)
        store.insert(new)
        try store.save()
        new.tracks = old.tracks.reversed()
        #expect(old.tracks.isEmpty)
        #expect(new.tracks[0].album === new && new.tracks[19_999].album === new)
        try store.save()
        let again = try open()
        #expect(try again.objects(of: Disc.self).map(\.tracks.count) == [0, 20_000])
        store.dissolveAllRelationships()
    }
}
