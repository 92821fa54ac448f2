import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

/// When the store calls its delegate before and after a change. One call served both: it came
/// before a property was set, and after everything else.
struct ChangeCallTests {
    struct Stop: Error {}

    let store: Store
    let listener = Listener()
    let list = TuneList()
    let song = Tune("a")
    let disc = Disc()

    init() throws {
        store = try Store(inMemory: tunes)
        for object in [list, song, disc] { store.insert(object) }
        try store.save()
        store.delegate = listener
    }

    /// What `body` changes, with what `look` sees at each of the two calls.
    private func calls<Value>(
        _ look: @escaping () -> Value, _ body: () throws -> Void
    ) rethrows -> (before: [Value], after: [Value]) {
        var (before, after): ([Value], [Value]) = ([], [])
        listener.onAnnouncement = { _ in before.append(look()) }
        listener.onChange = { _ in after.append(look()) }
        try body()
        (listener.onAnnouncement, listener.onChange) = (nil, nil)
        return (before, after)
    }

    @Test(arguments: [true, false])
    func aPropertyHasItsNewValueOnlyAfterwards(_ isUndoing: Bool) throws {
        store.undoHistory.isEnabled = isUndoing
        let title = calls({ song.title }, { song.title = "b" })
        #expect(title == (["a"], ["b"]))
        let appended = calls({ list.title }, { list.title.append("x") })
        #expect(appended == ([""], ["x"]))
        let album = calls({ song.album === disc }, { song.album = disc })
        // Without undo, only the disc reports its change: the tune has changed before.
        #expect(album == (isUndoing ? ([false], [true]) : ([true], [true])))
    }

    @Test(arguments: [true, false])
    func bothSidesHaveChangedAfterwards(_ isUndoing: Bool) throws {
        store.undoHistory.isEnabled = isUndoing
        let joined = calls({ disc.tracks.count }, { song.album = disc })
        #expect(joined == ([0], [1]))
        try store.save()
        // Without undo, the other side of a list follows when it is read, and has calls of its own.
        let left = calls({ song.album == nil }, { disc.tracks = [] })
        #expect(Set(left.before) == [false] && Set(left.after) == [true])
        #expect(left.before.count == left.after.count)
        try store.save()
        let added = calls({ song.lists.count }, { list.tunes.append(song) })
        #expect(Set(added.before) == [0] && Set(added.after) == [1])
        #expect(added.before.count == (isUndoing ? 1 : 2))
    }

    @Test func whatIsUnsavedIsKnownAfterEachChange() throws {
        func edited(_ body: () throws -> Void) rethrows -> [[Bool]] {
            let calls = try calls({ store.hasChanges }, body)
            return [calls.before, calls.after]
        }
        #expect(edited { song.title = "b" } == [[false], [true]])
        #expect(edited { store.rollback() } == [[true], [false]])
        #expect(edited { store.namedBuffers["x"] = DataBuffer() } == [[false], [true]])
        try store.save()
        #expect(edited { store.insert(Tune("c")) } == [[false], [true]])
        try store.save()
        #expect(try edited { try store.delete(song) } == [[false], [true]])
        try store.save()
        store.undoHistory.isEnabled = true
        disc.title = "d"
        try store.save()
        #expect(try edited { try store.undoHistory.undo() } == [[false], [true]])
        try store.save()
        #expect(try edited { try store.undoHistory.redo() } == [[false], [true]])
        #expect(try edited { try store.rollback(disc) } == [[true], [false]])
    }

    @Test func aGroupIsOneChange() throws {
        func edit() throws {
            list.tunes.append(song)
            song.title = "b"
            store.insert(Tune("c"))
            try store.undoHistory.group { list.title = "d" }
        }
        let counts = try calls({ list.tunes.count }, { try store.undoHistory.group("", edit) })
        #expect(counts == ([0], [1]))
    }

    @Test func whatIsTakenBackHasChangedAsWell() throws {
        func fail() {
            #expect(throws: Stop.self) {
                try store.undoHistory.group {
                    song.title = "b"
                    throw Stop()
                }
            }
        }
        let title = calls({ song.title }, fail)
        #expect(title == (["a"], ["a"]) && !store.hasChanges)
        disc.tracks = [song]
        try store.save()
        func beDenied() { #expect(throws: StoreError.self) { try store.delete(disc) } }
        let denied = calls({ store.hasChanges }, beDenied)
        #expect(denied == ([false], [false]))
        let equal = calls({ store.hasChanges }, { disc.tracks = [song] })
        #expect(equal == ([false], [false]))
    }

    @Test func aSaveAfterAChangeSavesIt() throws {
        var saves = 0
        listener.onChange = { store in
            #expect(throws: Never.self) { try store.save() }
            saves += 1
        }
        song.title = "b"
        list.tunes.append(song)
        disc.tracks.append(song)
        #expect(!store.hasChanges && saves >= 3)
        listener.onChange = nil
        store.rollback()
        #expect(song.title == "b" && song.lists.first === list && song.album === disc)
        #expect(list.tunes.count == 1 && disc.tracks.count == 1)
    }

    @Test func whatADelegateChangesBelongsToTheChange() throws {
        listener.onAnnouncement = { [list] _ in list.title += "!" }
        listener.onUpdate = { [disc] object in if object is Tune { disc.title = "edited" } }
        listener.calls = []
        song.title = "b"
        #expect(
            listener.calls == [
                "changing", "update TuneList \(list.rowID)", "update Tune \(song.rowID)",
                "update Disc \(disc.rowID)", "changed",
            ])
        #expect(list.title == "!" && disc.title == "edited")
    }
}
