import CabinetBackend
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Plays a random history on a store and on plain values, and compares the two at every turn.
final class RandomHistory {
    struct GivenUp: Error {}

    let backend: any Backend
    /// The same, if it can be made to fail.
    private let faulty: FaultyBackend?
    let store: Store
    private var random: SeededRandom
    private let seed: UInt64

    private var now = World()
    private var saved = World()
    private var undoWorlds: [World] = []
    private var redoWorlds: [World] = []
    private var savedStacks: (undo: [World], redo: [World]) = ([], [])
    /// Objects that the test holds; the others are freed when the store releases them.
    private var held: [StoredObject] = []
    private var groupDepth = 0

    init(seed: UInt64, stepLimit: Int = 1000, backend: any Backend = FaultyBackend()) throws {
        self.seed = seed
        self.backend = backend
        faulty = backend as? FaultyBackend
        random = SeededRandom(seed: seed)
        store = try Store(backend: backend, classes: [Song.self, Playlist.self, Node.self])
        store.undoHistory.isEnabled = true
        store.undoHistory.stepLimit = stepLimit
    }

    /// Returns after how many turns the store agreed; at the first where it does not, it ends.
    func play(turns: Int) throws -> Int {
        for turn in 0..<turns {
            let what = try takeTurn()
            let seen = try World(store)
            guard seen == now else {
                Issue.record("seed \(seed), turn \(turn), after \(what): \(seen) is not \(now)")
                return turn
            }
            try checkCountsAndInstances("seed \(seed), turn \(turn), after \(what)")
        }
        return turns
    }

    private func takeTurn() throws -> String {
        if random.next(upTo: 6) == 0, let any = try anyObject() { held.append(any) }
        if random.next(upTo: 12) == 0 { held.removeAll() }
        switch random.next(upTo: 20) {
        case 0...10:
            let before = now
            guard let what = try edit() else { return "nothing" }
            didStep(from: before)
            return what
        case 11: return try playGroup()
        case 12: return try playGroupThatThrows()
        case 13, 14: return try undo()
        case 15: return try redo()
        case 16, 17: return try save()
        case 18:
            store.rollback()
            now = saved
            (undoWorlds, redoWorlds) = savedStacks
            return "rollback"
        default:
            store.dissolveAllRelationships()
            return "dissolve"
        }
    }

    private func didStep(from before: World) {
        undoWorlds.append(before)
        undoWorlds.removeFirst(max(undoWorlds.count - store.undoHistory.stepLimit, 0))
        redoWorlds = []
    }

    private func save() throws -> String {
        if let faulty, store.hasChanges, random.next(upTo: 3) == 0 {
            faulty.order { $0.commitFails = true }
            #expect(throws: FaultyBackend.failure) { try store.save() }
            faulty.order { $0.commitFails = false }
            #expect(try World(store) == now, "seed \(seed): a save that failed")
        }
        try store.save()
        saved = now
        savedStacks = (undoWorlds, redoWorlds)
        #expect(!store.hasChanges)
        let again = try Store(backend: backend, classes: [Node.self, Playlist.self, Song.self])
        #expect(try World(again) == now, "seed \(seed): what was saved")
        return "save"
    }

    private func undo() throws -> String {
        let couldUndo = try store.undoHistory.undo()
        #expect(couldUndo == !undoWorlds.isEmpty, "seed \(seed)")
        if let before = undoWorlds.popLast() {
            redoWorlds.append(now)
            now = before
        }
        return "undo"
    }

    private func redo() throws -> String {
        let couldRedo = try store.undoHistory.redo()
        #expect(couldRedo == !redoWorlds.isEmpty, "seed \(seed)")
        if let after = redoWorlds.popLast() {
            undoWorlds.append(now)
            now = after
        }
        return "redo"
    }

    private func playGroup() throws -> String {
        let before = now
        var whats: [String] = []
        try store.undoHistory.group("group") {
            for _ in 0..<random.next(upTo: 6) { whats += [try edit() ?? "nothing"] }
            if random.next(upTo: 3) == 0 {
                try store.undoHistory.group("inner") { whats += [try edit() ?? "nothing"] }
            }
            if random.next(upTo: 3) == 0 { whats += [try playGroupThatThrows()] }
            for _ in 0..<random.next(upTo: 3) { whats += [try edit() ?? "nothing"] }
        }
        if whats.contains(where: { $0 != "nothing" && !$0.hasPrefix("thrown") }) {
            didStep(from: before)
        }
        return "group \(whats)"
    }

    private func playGroupThatThrows() throws -> String {
        let before = now
        var whats: [String] = []
        do {
            try store.undoHistory.group("thrown") {
                for _ in 0..<random.next(upTo: 6) { whats += [try edit() ?? "nothing"] }
                throw GivenUp()
            }
        } catch is GivenUp {}
        now = before
        return "thrown \(whats)"
    }

    /// One edit of the store and of the values. `nil` if nothing was there to be edited.
    private func edit() throws -> String? {
        switch random.next(upTo: 14) {
        case 0, 1:
            let song = Song("new \(random.next(upTo: 99))")
            store.insert(song)
            now.songs[song.rowID] = .init(title: song.title)
            if random.next(upTo: 3) == 0 { held.append(song) }
            return "insert song \(song.rowID)"
        case 2:
            let songs = try (0..<random.next(upTo: 5)).compactMap { _ in try anySong() }
            let list = Playlist("list", songs)
            store.insert(list)
            now.lists[list.rowID] = .init(title: "list", songs: songs.map(\.rowID))
            return "insert list \(list.rowID)"
        case 3, 4:
            let nodes = try (0..<random.next(upTo: 3)).compactMap { _ in try anyNode() }
            let node = Node("node", nodes)
            store.insert(node)
            now.nodes[node.rowID] = .init(name: "node", children: nodes.map(\.rowID))
            return "insert node \(node.rowID)"
        case 5:
            guard let song = try anySong() else { return nil }
            song.title = "title \(random.next(upTo: 99))"
            now.songs[song.rowID]?.title = song.title
            return "edit song \(song.rowID)"
        case 6, 7:
            guard let list = try anyList() else { return nil }
            if let song = try anySong(), random.next(upTo: 3) > 0 {
                list.songs.insert(song, at: random.next(upTo: list.songs.count + 1))
            } else {
                list.songs.shuffle(using: &random)
            }
            now.lists[list.rowID]?.songs = list.songs.map(\.rowID)
            return "edit list \(list.rowID)"
        case 8:
            guard let node = try anyNode() else { return nil }
            if let child = try anyNode(), random.next(upTo: 2) == 0 {
                node.children.append(child)
                now.nodes[node.rowID]?.children.append(child.rowID)
            } else {
                node.isLocked.toggle()
                now.nodes[node.rowID]?.isLocked = node.isLocked
            }
            return "edit node \(node.rowID)"
        case 9:
            guard let song = try anySong() else { return nil }
            try store.delete(song)
            now.deleteSong(song.rowID)
            return "delete song \(song.rowID)"
        case 10:
            guard let list = try anyList() else { return nil }
            try store.delete(list)
            now.lists[list.rowID] = nil
            return "delete list \(list.rowID)"
        case 11:
            guard let song = try anySong(), song.isChanged, !song.isInserted else { return nil }
            try store.rollback(song)
            now.songs[song.rowID] = saved.songs[song.rowID]
            return "refresh song \(song.rowID)"
        case 12:
            guard let song = held.first(where: { $0 is Song && $0.isDeleted }) as? Song else {
                return nil
            }
            store.insert(song)
            now.songs[song.rowID] = .init(title: song.title, seconds: song.seconds)
            return "insert song \(song.rowID) anew"
        default:
            return try deleteNode()
        }
    }

    private func deleteNode() throws -> String? {
        guard let node = try anyNode() else { return nil }
        if now.deleteNode(node.rowID) {
            try store.delete(node)
            return "delete node \(node.rowID)"
        }
        #expect(throws: StoreError.self, "seed \(seed)") { try store.delete(node) }
        return nil
    }

    private func anySong() throws -> Song? { try any(now.songs.keys) }
    private func anyList() throws -> Playlist? { try any(now.lists.keys) }
    private func anyNode() throws -> Node? { try any(now.nodes.keys) }

    private func anyObject() throws -> StoredObject? {
        switch random.next(upTo: 3) {
        case 0: try anySong()
        case 1: try anyList()
        default: try anyNode()
        }
    }

    private func any<Object: StoredObject>(_ rows: some Collection<RowID>) throws -> Object? {
        guard let row = rows.sorted().randomElement(using: &random) else { return nil }
        let found = try store.object(Object.self, rowID: row)
        #expect(found != nil, "seed \(seed): row \(row)")
        return found
    }

    private func checkCountsAndInstances(_ when: String) throws {
        #expect(try store.count(of: Song.self) == now.songs.count, "\(when)")
        #expect(try store.count(of: Playlist.self) == now.lists.count, "\(when)")
        #expect(try store.count(of: Node.self) == now.nodes.count, "\(when)")
        for object in held where object.rowID != 0 {
            let isLive: Bool
            switch object {
            case is Song: isLive = now.songs[object.rowID] != nil
            case is Playlist: isLive = now.lists[object.rowID] != nil
            default: isLive = now.nodes[object.rowID] != nil
            }
            #expect(object.isDeleted == !isLive, "\(when)")
            #expect(object.store === store, "\(when)")
            let found = try store.object(type(of: object), rowID: object.rowID)
            #expect(isLive ? found === object : found == nil, "\(when): \(object.rowID)")
        }
        var forward: Set<RowID> = []
        try store.forEach(Node.self) { #expect(forward.insert($0.rowID).inserted, "\(when)") }
        #expect(forward == Set(now.nodes.keys), "\(when)")
    }
}

extension RandomNumberGenerator {
    mutating func next(upTo bound: Int) -> Int { Int(next(upperBound: UInt64(bound))) }
}
