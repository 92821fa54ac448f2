import Cabinet
import CabinetMemory
import Observation
import Testing

@testable import CabinetTestModel

/// What a step that throws takes back of objects that a delegate or an observer edits meanwhile.
struct ThrowingStepTests {
    struct Stop: Error {}
    enum Editor: CaseIterable { case update, announcement, observer }
    enum Edit: CaseIterable { case append, appendFromOtherSide, join, deleteMember, setList }

    let store: Store
    let listener = Listener()
    let list = TuneList()
    let disc = Disc()
    let songs = [Tune("a"), Tune("b")]

    init() throws {
        store = try Store(inMemory: tunes)
        for object in songs + [list, disc] { store.insert(object) }
        list.tunes = [songs[0]]
        disc.tracks = [songs[0]]
        try store.save()
    }

    private func edit(_ edit: Edit) throws {
        switch edit {
        case .append: list.tunes.append(songs[1])
        case .appendFromOtherSide:
            songs[1].lists.append(list)
            #expect(list.tunes.count == 2)
        case .join: songs[1].album = disc
        case .deleteMember: try store.delete(songs[0])
        case .setList: list.tunes = [songs[1], songs[0]]
        }
    }

    /// The step kept the edited list after what the delegate had changed in the same object, which
    /// was marked by then: the object went on as changed.
    @Test(arguments: Editor.allCases, Edit.allCases)
    func leavesNothingMarked(_ editor: Editor, _ edit: Edit) throws {
        func rename() {
            for object in [list, disc] as [StoredObject] where object.isChanged {
                if let list = object as? TuneList { list.title = "edited" }
                if let disc = object as? Disc { disc.title = "edited" }
            }
        }
        store.delegate = listener
        switch editor {
        case .update: listener.onUpdate = { _ in rename() }
        case .announcement:
            listener.onAnnouncement = { [list, disc] _ in
                list.title = "edited"
                disc.title = "edited"
            }
        case .observer:
            store.isObserved = true
            withObservationTracking {
                _ = (list.tunes.count, disc.tracks.count)
            } onChange: { [list = UnsafeSending(list), disc = UnsafeSending(disc)] in
                list.value.title = "edited"
                disc.value.title = "edited"
            }
        }
        #expect(throws: Stop.self) {
            try store.undoHistory.group {
                try self.edit(edit)
                #expect(list.title == "edited" || disc.title == "edited")
                throw Stop()
            }
        }
        #expect(!store.hasChanges && !list.isChanged && !disc.isChanged)
        #expect(list.title.isEmpty && disc.title.isEmpty)
        #expect(list.tunes.count == 1 && disc.tracks.count == 1)
        #expect(songs[1].lists.isEmpty && songs[1].album == nil)
        try store.save()
    }
}

/// Brings an object into a closure that is called in the same isolation domain.
private struct UnsafeSending<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
