import CabinetMemory
import Testing

@testable import Cabinet

/// Edits lists from both sides at random, with deletes, groups, undo, saves and rollbacks, and
/// compares the store with plain arrays.
///
/// The store is looked at now and then only, so that changes from the other side pile up.
final class RandomListHistory {
    private struct GivenUp: Error {}

    private let backend = MemoryBackend()
    private let store: Store
    private let seed: UInt64
    private var random: SplitMix
    private var now = ListWorld()
    private var saved = ListWorld()
    private var undoWorlds: [ListWorld] = []
    private var redoWorlds: [ListWorld] = []
    private var savedStacks: (undo: [ListWorld], redo: [ListWorld]) = ([], [])
    private var held: [StoredObject] = []
    private var titles = 0

    /// `isEager`: lists are changed in their arrays; otherwise they go away at the first change.
    init(seed: UInt64, isEager: Bool, isUndoing: Bool = true) throws {
        self.seed = seed
        random = SplitMix(seed: seed)
        store = try Store(backend: backend, classes: tunes)
        store.undoHistory.isEnabled = isUndoing
        if isEager { return }
        store.lists.leastCount = 2
        store.lists.costOfLeaving = 0
    }

    /// Returns after how many turns the store agreed; at the first where it does not, it ends.
    func play(turns: Int) throws -> Int {
        for turn in 0..<turns {
            let what = try takeTurn()
            // Sometimes a long run without a look.
            guard random.next(upTo: turn / 40 % 2 == 0 ? 2 : 12) == 0 else { continue }
            let seen = try ListWorld(store)
            guard seen == now else {
                Issue.record("seed \(seed), turn \(turn), after \(what):\n\(seen)\nis not\n\(now)")
                return turn
            }
        }
        return try ListWorld(store) == now ? turns : 0
    }

    private func takeTurn() throws -> String {
        if random.next(upTo: 12) == 0 { held.removeAll() }
        let isUndoing = store.undoHistory.isEnabled
        switch random.next(upTo: 24) {
        case 0...13:
            let before = now
            guard let what = try edit() else { return "nothing" }
            didStep(from: before)
            return what
        case 14, 15: return try playGroup()
        case 16: return try playGroupThatThrows()
        case 17, 18, 19: return isUndoing ? try undo() : "nothing"
        case 20: return isUndoing ? try redo() : "nothing"
        case 21: return try save()
        case 22:
            guard random.next(upTo: 3) == 0 else { return "nothing" }
            store.rollback()
            now = saved
            (undoWorlds, redoWorlds) = savedStacks
            return "rollback"
        default:
            store.dissolveAllRelationships()
            return "dissolve"
        }
    }

    private func didStep(from before: ListWorld) {
        undoWorlds.append(before)
        redoWorlds = []
    }

    private func undo() throws -> String {
        #expect(try store.undoHistory.undo() == !undoWorlds.isEmpty, "seed \(seed)")
        if let before = undoWorlds.popLast() {
            redoWorlds.append(now)
            now = before
        }
        return "undo"
    }

    private func redo() throws -> String {
        #expect(try store.undoHistory.redo() == !redoWorlds.isEmpty, "seed \(seed)")
        if let after = redoWorlds.popLast() {
            undoWorlds.append(now)
            now = after
        }
        return "redo"
    }

    private func save() throws -> String {
        try store.save()
        saved = now
        savedStacks = (undoWorlds, redoWorlds)
        let again = try Store(backend: backend, classes: tunes)
        #expect(try ListWorld(again) == now, "seed \(seed): what was saved")
        return "save"
    }

    private func playGroup() throws -> String {
        let before = now
        var whats: [String] = []
        try store.undoHistory.group {
            for _ in 0..<random.next(upTo: 6) { whats += [try settledEdit()].compactMap(\.self) }
            if random.next(upTo: 3) == 0 { _ = try playGroupThatThrows() }
            if random.next(upTo: 3) == 0 {
                try store.undoHistory.group { whats += [try settledEdit()].compactMap(\.self) }
            }
        }
        if !whats.isEmpty { didStep(from: before) }
        return "group \(whats)"
    }

    private func playGroupThatThrows() throws -> String {
        let before = now
        var whats: [String] = []
        do {
            try store.undoHistory.group {
                for _ in 0..<random.next(upTo: 6) {
                    whats += [try settledEdit()].compactMap(\.self)
                }
                // One that is not settled when the group ends.
                if random.next(upTo: 2) == 0 { _ = try edit() }
                throw GivenUp()
            }
        } catch is GivenUp {}
        now = before
        return "thrown \(whats)"
    }

    /// In a group, and without undo, what follows from an edit may come later, and then in another
    /// order: here it comes at once.
    private func settledEdit() throws -> String? {
        let what = try edit()
        store.settleEdits()
        return what
    }

    // MARK: Edits

    /// One edit of the store and of the model. `nil` if there was none.
    private func edit() throws -> String? {
        defer { if !store.undoHistory.isEnabled { store.settleEdits() } }
        switch random.next(upTo: 19) {
        case 0, 1: return insertSong()
        case 2: return random.next(upTo: 3) == 0 ? insertOwner() : insertSong()
        case 3, 4, 5:
            guard let list = try any(TuneList.self, now.lists.keys) else { return nil }
            return try editTunes(of: list)
        case 6, 7, 8:
            guard let song = try anySong() else { return nil }
            return try editLists(of: song)
        case 9, 10:
            guard let song = try anySong(), let disc = try any(Disc.self, now.discs.keys) else {
                return nil
            }
            let new = random.next(upTo: 4) == 0 ? nil : disc
            if now.songs[song.rowID]?.album == new?.rowID { return nil }
            song.album = new
            now.setAlbum(of: song.rowID, to: new?.rowID)
            return "album of \(song.rowID)"
        case 11:
            guard let disc = try any(Disc.self, now.discs.keys) else { return nil }
            return try editTracks(of: disc)
        case 12:
            guard let song = try anySong() else { return nil }
            titles += 1
            song.title = "title \(titles)"
            now.songs[song.rowID]?.title = song.title
            return "title of \(song.rowID)"
        case 13, 14:
            guard let song = try anySong() else { return nil }
            try store.delete(song)
            now.deleteSong(song.rowID)
            return "delete song \(song.rowID)"
        case 15: return try deleteOwner()
        case 16:
            guard let song = try anySong(), song.isChanged, !song.isInserted else { return nil }
            try store.refresh(song)
            return try adopt("refresh song \(song.rowID)")
        case 17:
            guard let list = try any(TuneList.self, now.lists.keys), list.isChanged,
                !list.isInserted
            else { return nil }
            try store.refresh(list)
            return try adopt("refresh list \(list.rowID)")
        default:
            guard let song = held.first(where: { $0.isDeleted && $0.store === store }) else {
                return nil
            }
            store.insert(song)
            return try adopt("insert \(song.rowID) anew")
        }
    }

    /// What the store makes of an edit, of which only is known that both sides must agree.
    private func adopt(_ what: String) throws -> String {
        now = try ListWorld(store)
        #expect(now.sidesAgree, "seed \(seed), after \(what): \(now)")
        return what
    }

    private func insertSong() -> String {
        let song = Tune("new")
        store.insert(song)
        now.songs[song.rowID] = .init(title: "new")
        held.append(song)
        return "insert song \(song.rowID)"
    }

    private func insertOwner() -> String {
        if random.next(upTo: 2) == 0 {
            let list = TuneList()
            store.insert(list)
            now.lists[list.rowID] = []
            return "insert list \(list.rowID)"
        }
        let disc = Disc()
        store.insert(disc)
        now.discs[disc.rowID] = []
        return "insert disc \(disc.rowID)"
    }

    private func deleteOwner() throws -> String? {
        if random.next(upTo: 2) == 0 {
            guard let disc = try any(Disc.self, now.discs.keys) else { return nil }
            guard now.discs[disc.rowID] == [] else {
                #expect(throws: StoreError.self) { try store.delete(disc) }
                return nil
            }
            try store.delete(disc)
            now.discs[disc.rowID] = nil
            return "delete disc \(disc.rowID)"
        }
        guard let list = try any(TuneList.self, now.lists.keys), random.next(upTo: 3) == 0 else {
            return nil
        }
        try store.delete(list)
        now.deleteList(list.rowID)
        return "delete list \(list.rowID)"
    }

    private func editTunes(of list: TuneList) throws -> String? {
        let row = list.rowID
        var plain = now.lists[row] ?? []
        let former = plain
        if let song = try anySong() {
            let own = random
            change(&list.tunes, song) { $0.append($1) }
            random = own
            change(&plain, song.rowID) { $0.append($1) }
        }
        now.setTunes(of: row, to: plain)
        return plain == former ? nil : "tunes of \(row)"
    }

    private func editTracks(of disc: Disc) throws -> String? {
        let row = disc.rowID
        var plain = now.discs[row] ?? []
        let former = plain
        if let song = try anySong() {
            let own = random
            change(&disc.tracks, song) { $0.append($1) }
            random = own
            change(&plain, song.rowID) { $0.append($1) }
        }
        now.setTracks(of: row, to: plain)
        return plain == former ? nil : "tracks of \(row)"
    }

    private func editLists(of song: Tune) throws -> String? {
        let row = song.rowID
        var plain = now.songs[row]?.lists ?? []
        let former = plain
        if let list = try any(TuneList.self, now.lists.keys) {
            let own = random
            change(&song.lists, list) { $0.append($1) }
            random = own
            change(&plain, list.rowID) { $0.append($1) }
        }
        now.setLists(of: row, to: plain)
        return plain == former ? nil : "lists of \(row)"
    }

    /// The same change for the same random numbers, whatever the list holds. `append` is the one
    /// that a program calls.
    private func change<Element>(
        _ list: inout [Element], _ one: Element, append: (inout [Element], Element) -> Void
    ) {
        let count = list.count
        switch random.next(upTo: 12) {
        case 0...3: append(&list, one)
        case 4: list += [one]
        case 5: list.insert(one, at: random.next(upTo: count + 1))
        case 6 where count > 0: list.remove(at: random.next(upTo: count))
        case 7 where count > 1: list.swapAt(0, count - 1)
        case 8 where count > 1: list.insert(list.removeLast(), at: 0)
        case 9: list.shuffle(using: &random)
        case 10: list = list.filter { _ in random.next(upTo: 4) > 0 }
        default: list += []
        }
    }

    private func anySong() throws -> Tune? { try any(Tune.self, now.songs.keys) }

    private func any<Object: StoredObject>(
        _ type: Object.Type, _ rows: some Collection<RowID>
    ) throws -> Object? {
        guard let row = rows.sorted().randomElement(using: &random) else { return nil }
        let found = try store.object(type, rowID: row)
        #expect(found != nil, "seed \(seed): row \(row)")
        return found
    }
}

struct RandomListHistoryTests {
    @Test(arguments: 0..<24 as Range<UInt64>, [true, false])
    func editsFromBothSidesAgreeWithPlainArrays(_ seed: UInt64, _ isEager: Bool) throws {
        #expect(try RandomListHistory(seed: seed, isEager: isEager).play(turns: 240) == 240)
    }

    @Test(arguments: 100..<110 as Range<UInt64>, [true, false])
    func withoutUndoTheyDoToo(_ seed: UInt64, _ isEager: Bool) throws {
        let history = try RandomListHistory(seed: seed, isEager: isEager, isUndoing: false)
        #expect(try history.play(turns: 240) == 240)
    }
}
