import Testing

@testable import Cabinet
@testable import CabinetTestModel

extension RandomListHistory {
    /// One edit of the store and of the model. `nil` if there was none.
    func edit() throws -> String? {
        defer { if !store.undoHistory.isEnabled { store.reconcileEdits() } }
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
            try store.rollback(song)
            return try adopt("refresh song \(song.rowID)")
        case 17:
            guard let list = try any(TuneList.self, now.lists.keys), list.isChanged,
                !list.isInserted
            else { return nil }
            try store.rollback(list)
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
