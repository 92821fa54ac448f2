import Cabinet
import CabinetMemory
import Testing
import TrustSupport

@testable import CabinetTestModel

/// A relationship whose other side is to one: what one owner gains, another loses.
struct OwnerTests {
    let backend = MemoryBackend()

    func open() throws -> Store { try Store(backend: backend, classes: tunes) }

    /// The list had gained nothing itself, and stood as it was before.
    @Test func aListThatLostAnObjectKnowsItWhenReadFirst() throws {
        let store = try open()
        let (one, two, tune) = (Disc(), Disc(), Tune("t"))
        one.tracks = [tune]
        for object in [one, two] { store.insert(object) }
        try store.save()
        two.tracks.append(tune)
        #expect(one.tracks.isEmpty)
        one.tracks.append(tune)
        one.tracks.append(tune)
        #expect(one.tracks.count == 2 && two.tracks.isEmpty)
        #expect(tune.album === one)
        try store.save()
        #expect(try open().objects(of: Disc.self).map(\.tracks.count) == [2, 0])
    }

    /// Whatever is done on either side, a tune is on the disc that it names and on no other. Every
    /// read says so, whichever side is read first.
    @Test(arguments: 1...16)
    func bothSidesAlwaysAgree(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try open()
        let discs = (0..<4).map { _ in Disc() }
        var songs = (0..<8).map { Tune("\($0)") }
        (discs as [StoredObject] + songs).forEach(store.insert)
        try store.save()
        store.undoHistory.isEnabled = seed % 2 == 0
        for step in 0..<150 {
            let disc = discs[Int.random(in: 0..<4, using: &random)]
            let place = Int.random(in: 0..<8, using: &random)
            let song = songs[place]
            switch Int.random(in: 0..<14, using: &random) {
            case 0...2: disc.tracks.append(song)
            case 3: disc.tracks.insert(song, at: disc.tracks.count / 2)
            case 4: disc.tracks = [song, songs[step % 8]]
            case 5: if !disc.tracks.isEmpty { disc.tracks.removeFirst() }
            case 6: disc.tracks.removeAll { $0.title > song.title }
            case 7...8: song.album = disc
            case 9: song.album = nil
            case 10: if step % 3 == 0 { try store.save() }
            case 11:
                if step % 2 == 0 { try store.undoHistory.undo() } else { store.rollback() }
            case 12:
                if song.isDeleted || song.store == nil { break }
                try store.delete(song)
                songs[place] = Tune("new \(step)")
                songs[place].album = disc
                store.insert(songs[place])
            default: try store.rollback(disc)
            }
            // Undo and rollback may have taken an insert back.
            for song in songs where song.store == nil || song.isDeleted {
                store.insert(song)
                song.album = nil
            }
            if Bool.random(using: &random) {
                let seen = disc.tracks.map(\.rowID)
                let album = songs[place].album
                _ = try store.count(of: Tune.self)
                #expect(disc.tracks.map(\.rowID) == seen && songs[place].album === album)
                try agree(store)
            }
        }
        try agree(store)
        try store.save()
        try agree(store)
        try agree(try open())
    }

    func agree(_ store: Store) throws {
        let discs = try store.objects(of: Disc.self)
        for disc in discs {
            for song in disc.tracks { #expect(song.album === disc) }
        }
        for song in try store.objects(of: Tune.self) {
            let owners = discs.filter { $0.tracks.contains { $0 === song } }
            #expect(owners.count == (song.album == nil ? 0 : 1) && owners.first === song.album)
        }
    }
}
