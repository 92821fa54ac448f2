import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct DeletingTests {
    let backend = MemoryBackend()

    func open() throws -> Store {
        try Store(backend: backend, classes: [Song.self, Playlist.self, Node.self])
    }

    /// A chain `0 → 1 → … → count-1`, saved.
    func chain(_ count: Int, in store: Store) throws -> [Node] {
        var nodes: [Node] = []
        for index in (0..<count).reversed() {
            nodes.insert(Node("\(index)", nodes.first.map { [$0] } ?? []), at: 0)
        }
        nodes.forEach(store.insert)
        try store.save()
        return nodes
    }

    @Test(arguments: [false, true])
    func aDenyDeepInACascadeTakesBackEverything(_ isRecording: Bool) throws {
        let store = try open()
        store.undoHistory.isEnabled = isRecording
        let nodes = try chain(6, in: store)
        let friend = Node("friend", [nodes[2], nodes[5], nodes[2], nodes[1]])
        store.insert(friend)
        nodes[5].isLocked = true
        try store.save()
        let canUndo = store.undoHistory.canUndo
        for _ in 0..<2 {
            #expect(throws: StoreError.denied(class: "Node", row: nodes[5].rowID, reason: "locked"))
            { try store.delete(nodes[0]) }
            #expect(!store.hasChanges)
            #expect(store.undoHistory.canUndo == canUndo)
            for node in nodes { #expect(!node.isDeleted && !node.isChanged) }
            #expect(friend.children.map(\.name) == ["2", "5", "2", "1"])
            #expect(nodes.map(\.children.first?.name) == ["1", "2", "3", "4", "5", nil])
            #expect(try store.count(of: Node.self) == 7)
        }
        nodes[5].isLocked = false
        try store.delete(nodes[0])
        try store.save()
        #expect(try open().objects(of: Node.self).map(\.name) == ["friend"])
    }

    @Test func aDenyLeavesEarlierPendingChangesAsTheyWere() throws {
        let store = try open()
        let nodes = try chain(3, in: store)
        nodes[1].name = "edited"
        let new = Node("new")
        store.insert(new)
        nodes[1].children.append(new)
        nodes[2].isLocked = true
        #expect(throws: StoreError.self) { try store.delete(nodes[0]) }
        #expect(nodes[1].isChanged)
        #expect(nodes[1].name == "edited")
        #expect(nodes[1].children.map(\.name) == ["2", "new"])
        #expect(new.isInserted)
        #expect(!nodes[0].isChanged)
        try store.save()
        #expect(try open().objects(of: Node.self).map(\.name) == ["0", "edited", "2", "new"])
    }

    /// The mark "is being deleted" came back with the state that the deny brought back.
    @Test func aDeniedObjectCanBeDeletedLater() throws {
        let store = try open()
        let node = Node("self")
        node.isLocked = true
        node.children = [node, Node("child")]
        store.insert(node.children[1])
        store.insert(node)
        #expect(throws: StoreError.self) { try store.delete(node) }
        node.isLocked = false
        try store.delete(node)
        #expect(node.isDeleted)
        #expect(try store.count(of: Node.self) == 0)
    }

    @Test func cyclesOfDeletesEnd() throws {
        let store = try open()
        let nodes = (0..<4).map { Node("\($0)") }
        for (index, node) in nodes.enumerated() {
            node.children = [nodes[(index + 1) % 4], node]
            store.insert(node)
        }
        try store.save()
        try store.delete(nodes[2])
        #expect(nodes.map(\.isDeleted) == [true, true, true, true])
        try store.save()
        #expect(try open().count(of: Node.self) == 0)
        #expect(try store.count(of: Node.self) == 0)
    }

    @Test func deletingTwiceOrEditingTheDeletedIsHarmless() throws {
        let store = try open()
        let song = Song("x")
        store.insert(song)
        try store.save()
        try store.delete(song)
        try store.delete(song)
        song.title = "y"
        #expect(!song.isChanged)
        try store.save()
        try store.delete(song)
        song.title = "z"
        #expect(!store.hasChanges)
        #expect(song.isDeleted)
        #expect(song.store === store)
        #expect(try backend.record(2, of: "Song") == nil)
    }

    @Test func anInsertThatIsDeletedBeforeTheSaveLeavesNothing() throws {
        let store = try open()
        let song = Song("x")
        store.insert(song)
        try store.delete(song)
        #expect(!store.hasChanges)
        #expect(try store.count(of: Song.self) == 0)
        try store.save()
        #expect(try backend.tables().isEmpty)
        store.insert(song)
        #expect(song.rowID == 2)
        #expect(try store.objects(of: Song.self).count == 1)
        try store.save()
        #expect(try open().objects(of: Song.self).map(\.title) == ["x"])
    }

    @Test func rowsAreNeverUsedAgain() throws {
        let store = try open()
        var rows: Set<RowID> = []
        for index in 0..<20 {
            let song = Song("\(index)")
            store.insert(song)
            #expect(rows.insert(song.rowID).inserted)
            if index % 3 != 0 { try store.save() }
            try store.delete(song)
            if index % 2 == 0 { try store.save() }
        }
    }

    /// A group's edits of an object after its delete stayed when the group was taken back.
    @Test func aDeleteThatIsTakenBackForgetsEditsMadeSince() throws {
        struct GivenUp: Error {}
        let store = try open()
        let saved = Song("saved")
        let changed = Song("changed")
        store.insert(saved)
        try store.save()
        store.insert(changed)
        #expect(throws: GivenUp.self) {
            try store.undoHistory.group {
                for song in [saved, changed] {
                    try store.delete(song)
                    song.title = "lost"
                }
                throw GivenUp()
            }
        }
        #expect(saved.title == "saved")
        #expect(changed.title == "changed")
        #expect(changed.isInserted)
        #expect(!saved.isChanged)
    }

    @Test func aSaveInADeleteRuleIsRefused() throws {
        let store = try Store(backend: MemoryBackend(), classes: [Rule.self, Song.self])
        let rule = Rule()
        store.insert(rule)
        rule.onDelete = { [unowned store] in
            #expect(throws: StoreError.stepUnderWay) { try store.save() }
            #expect(throws: StoreError.stepUnderWay) { try store.undoHistory.undo() }
            store.insert(Song("made by the rule"))
        }
        try store.delete(rule)
        #expect(try store.count(of: Song.self) == 1)
    }
}

/// Runs a closure when it is deleted.
final class Rule: StoredObject {
    var onDelete: (() throws -> Void)?
    override func prepareForDelete() throws { try onDelete?() }
}
