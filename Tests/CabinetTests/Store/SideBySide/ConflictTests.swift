import CabinetMemory
import CabinetTestSupport
import Testing

@testable import Cabinet

/// Two stores over one backend that change the same objects.
struct ConflictTests {
    private let backend = MemoryBackend()
    private let one: Store
    private let two: Store

    init() throws {
        one = try Store(backend: backend, classes: trackClasses)
        let album = Album()
        album.title = "Blue Train"
        one.insert(album)
        for title in ["Moment's Notice", "Locomotion", "Lazy Bird"] {
            let track = Track()
            track.title = title
            album.tracks.append(track)
        }
        try one.save()
        two = try Store(backend: backend, classes: trackClasses)
    }

    private func album(_ store: Store) throws -> Album {
        try #require(try store.objects(of: Album.self).first)
    }

    private func track(_ title: String, in store: Store) throws -> Track {
        try #require(try store.objects(of: Track.self).first { $0.title == title })
    }

    private func newTrack(_ title: String, seconds: Int = 0) -> Track {
        let track = Track()
        track.title = title
        track.seconds = seconds
        return track
    }

    /// Both sides of every relationship agree in what is saved.
    private func expectSound() async throws {
        #expect(try await StoreSchema.check(backend).findings == [])
    }

    @Test func aSaveThatWouldUndoAnothersThrowsAndKeepsBoth() async throws {
        let (mine, theirs) = (try album(one), try album(two))
        mine.title = "mine"
        theirs.title = "theirs"
        theirs.year = 1957
        try two.save()
        do {
            try one.save()
            Issue.record("the save has lost an update")
        } catch StoreError.conflict(let conflicts) {
            #expect(conflicts.count == 1)
            let conflict = try #require(conflicts.first)
            #expect(conflict.kind == .changed && conflict.className == "Album")
            #expect(conflict.fields.map(\.name) == ["title", "year"])
            let title = try #require(conflict.fields.first)
            #expect(title.base == .text("Blue Train") && title.mine == .text("mine"))
            #expect(title.theirs == .text("theirs") && title.isChangedByBoth)
            #expect(conflict.fields.last?.isChangedByBoth == false)
        }
        #expect(mine.title == "mine" && mine.year == 0 && one.hasChanges)
        // Again the same, and after the store has caught up, too.
        #expect(throws: StoreError.self) { try one.save() }
        try one.advance()
        #expect(mine.title == "mine")
        #expect(throws: StoreError.self) { try one.save() }
        try one.save(onConflict: .merge)
        #expect(mine.title == "mine" && mine.year == 1957)
        try two.advance()
        #expect(theirs.title == "mine" && theirs.year == 1957)
        try await expectSound()
    }

    @Test func aStoreReadsAsOfItsBasisUntilItAdvances() throws {
        let theirs = try album(two)
        theirs.title = "later"
        theirs.tracks.append(newTrack("Blue Train"))
        try two.save()
        #expect(try album(one).title == "Blue Train")
        #expect(try one.count(of: Track.self) == 3)
        #expect(try one.objects(of: Track.self).count == 3)
        let basis = one.basis
        #expect(try one.advance() > basis)
        #expect(try album(one).title == "later")
        #expect(try one.objects(of: Track.self).count == 4)
        #expect(try album(one).tracks.last?.title == "Blue Train")
    }

    @Test func appendsOfTwoStoresAreBothInTheList() async throws {
        try album(one).tracks.append(newTrack("mine"))
        try album(two).tracks.append(newTrack("theirs"))
        try two.save()
        try one.save(onConflict: .merge)
        let titles = try album(one).tracks.map(\.title)
        #expect(titles.suffix(2) == ["theirs", "mine"] && titles.count == 5)
        #expect(try track("mine", in: one).album === album(one))
        try two.advance()
        #expect(try album(two).tracks.map(\.title) == titles)
        try await expectSound()
    }

    @Test func aTrackThatTwoStoresMoveHasOneAlbum() async throws {
        let other = Album()
        other.title = "other"
        one.insert(other)
        let third = Album()
        third.title = "third"
        one.insert(third)
        try one.save()
        try two.advance()
        let theirs = try #require(try two.objects(of: Album.self).first { $0.title == "third" })
        try track("Locomotion", in: two).album = theirs
        theirs.tracks.append(newTrack("more"))
        try two.save()
        try track("Locomotion", in: one).album = other
        try one.save(onConflict: .merge)
        #expect(try track("Locomotion", in: one).album === other)
        #expect(other.tracks.map(\.title) == ["Locomotion"])
        #expect(third.tracks.map(\.title) == ["more"])
        #expect(try album(one).tracks.map(\.title) == ["Moment's Notice", "Lazy Bird"])
        try await expectSound()
    }

    @Test func mineAndTheirsLeaveBothSidesOfRelationshipsInAgreement() async throws {
        for policy in [ConflictPolicy.mine, .theirs] {
            try one.advance()
            let mine = newTrack("mine")
            try album(one).tracks.append(mine)
            try album(one).title = "my title"
            try album(two).tracks.insert(newTrack("theirs"), at: 0)
            try album(two).title = "their title"
            try two.save()
            try one.save(onConflict: policy)
            try await expectSound()
            let titles = try album(one).tracks.map(\.title)
            if case .mine = policy {
                #expect(titles.contains("mine") && !titles.contains("theirs"))
                #expect(try track("theirs", in: one).album == nil)
                #expect(try album(one).title == "my title")
            } else {
                #expect(titles.first == "theirs")
                #expect(mine.album == nil && mine.objectID != nil)
                #expect(try album(one).title == "their title")
            }
            try two.advance()
        }
    }

    @Test func anObjectDeletedElsewhereIsAConflictAndNoCrash() async throws {
        let mine = try track("Locomotion", in: one)
        mine.seconds = 434
        try two.delete(try track("Locomotion", in: two))
        try two.save()
        for _ in 0..<2 {
            do {
                try one.save()
                Issue.record("an update is lost")
            } catch StoreError.conflict(let conflicts) {
                #expect(conflicts.map(\.kind).contains(.deletedElsewhere))
            }
        }
        #expect(throws: StoreError.self) { try one.save(onConflict: .merge) }
        #expect(mine.seconds == 434)
        try one.save(onConflict: .mine)
        #expect(try album(one).tracks.map(\.title).sorted().contains("Locomotion"))
        try await expectSound()
        try two.advance()
        #expect(try track("Locomotion", in: two).seconds == 434)
    }

    @Test func anObjectDeletedElsewhereIsDeletedHereAfterAdvancing() throws {
        let mine = try track("Locomotion", in: one)
        try two.delete(try track("Locomotion", in: two))
        try two.save()
        #expect(!mine.isDeleted)
        try one.advance()
        #expect(mine.isDeleted)
        #expect(try album(one).tracks.count == 2)
    }

    @Test func aDeleteOfWhatAnotherHasChangedIsAConflict() async throws {
        try one.delete(try track("Locomotion", in: one))
        try track("Locomotion", in: two).seconds = 1
        try two.save()
        #expect(throws: StoreError.self) { try one.save() }
        #expect(throws: StoreError.self) { try one.save(onConflict: .merge) }
        try one.save(onConflict: .theirs)
        #expect(try track("Locomotion", in: one).seconds == 1)
        #expect(try album(one).tracks.contains { $0.title == "Locomotion" })
        try await expectSound()
        try one.delete(try track("Locomotion", in: one))
        try two.advance()
        try track("Locomotion", in: two).seconds = 2
        try two.save()
        try one.save(onConflict: .mine)
        #expect(try one.objects(of: Track.self).count == 2)
        try await expectSound()
    }

    @Test func aClosureDecidesByField() throws {
        try album(one).title = "mine"
        try album(one).year = 1
        try album(two).title = "theirs"
        try album(two).year = 2
        try two.save()
        try one.save(
            onConflict: .resolve { conflict in
                #expect(conflict.fields.map(\.name) == ["title", "year"])
                return .fields(["title": .theirs])
            })
        #expect(try album(one).title == "theirs" && album(one).year == 1)
    }

    @Test func aStoreAloneNeedsNoSnapshots() throws {
        try two.close()
        try album(one).title = "again"
        try one.save()
        #expect(one.frozen == nil)
        try album(one).title = "once more"
        try one.save()
        #expect(one.basis == (try backend.lastCommit()))
    }
}
