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
        one = try Store(backend: backend, classes: volumeClasses)
        let bookcase = Bookcase()
        bookcase.title = "Blue Train"
        one.insert(bookcase)
        for title in ["Moment's Notice", "Locomotion", "Lazy Bird"] {
            let volume = Volume()
            volume.title = title
            bookcase.volumes.append(volume)
        }
        try one.save()
        two = try Store(backend: backend, classes: volumeClasses)
    }

    private func bookcase(_ store: Store) throws -> Bookcase {
        try #require(try store.objects(of: Bookcase.self).first)
    }

    private func volume(_ title: String, in store: Store) throws -> Volume {
        try #require(try store.objects(of: Volume.self).first { $0.title == title })
    }

    private func newVolume(_ title: String, seconds: Int = 0) -> Volume {
        let volume = Volume()
        volume.title = title
        volume.seconds = seconds
        return volume
    }

    /// Both sides of every relationship agree in what is saved.
    private func expectSound() async throws {
        #expect(try await StoreSchema.check(backend).findings == [])
    }

    @Test func aSaveThatWouldUndoAnothersThrowsAndKeepsBoth() async throws {
        let (mine, theirs) = (try bookcase(one), try bookcase(two))
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
            #expect(conflict.kind == .changed && conflict.className == "Bookcase")
            #expect(conflict.fields.map(\.name) == ["title", "year"])
            let title = try #require(conflict.fields.first)
            #expect(title.base == .text("Blue Train") && title.mine == .text("mine"))
            #expect(title.theirs == .text("theirs") && title.isChangedByBoth)
            #expect(conflict.fields.last?.isChangedByBoth == false)
        }
        #expect(mine.title == "mine" && mine.year == 0 && one.hasChanges)
        // Again the same, and after the store has caught up, too.
        #expect(throws: StoreError.self) { try one.save() }
        try one.refresh()
        #expect(mine.title == "mine")
        #expect(throws: StoreError.self) { try one.save() }
        try one.save(onConflict: .merge)
        #expect(mine.title == "mine" && mine.year == 1957)
        try two.refresh()
        #expect(theirs.title == "mine" && theirs.year == 1957)
        try await expectSound()
    }

    @Test func aStoreReadsAsOfItsBasisUntilItAdvances() throws {
        let theirs = try bookcase(two)
        theirs.title = "later"
        theirs.volumes.append(newVolume("Blue Train"))
        try two.save()
        #expect(try bookcase(one).title == "Blue Train")
        #expect(try one.count(of: Volume.self) == 3)
        #expect(try one.objects(of: Volume.self).count == 3)
        let basis = one.basis
        #expect(try one.refresh() > basis)
        #expect(try bookcase(one).title == "later")
        #expect(try one.objects(of: Volume.self).count == 4)
        #expect(try bookcase(one).volumes.last?.title == "Blue Train")
    }

    @Test func appendsOfTwoStoresAreBothInTheList() async throws {
        try bookcase(one).volumes.append(newVolume("mine"))
        try bookcase(two).volumes.append(newVolume("theirs"))
        try two.save()
        try one.save(onConflict: .merge)
        let titles = try bookcase(one).volumes.map(\.title)
        #expect(titles.suffix(2) == ["theirs", "mine"] && titles.count == 5)
        #expect(try volume("mine", in: one).bookcase === bookcase(one))
        try two.refresh()
        #expect(try bookcase(two).volumes.map(\.title) == titles)
        try await expectSound()
    }

    @Test func aVolumeThatTwoStoresMoveHasOneAlbum() async throws {
        let other = Bookcase()
        other.title = "other"
        one.insert(other)
        let third = Bookcase()
        third.title = "third"
        one.insert(third)
        try one.save()
        try two.refresh()
        let theirs = try #require(try two.objects(of: Bookcase.self).first { $0.title == "third" })
        try volume("Locomotion", in: two).bookcase = theirs
        theirs.volumes.append(newVolume("more"))
        try two.save()
        try volume("Locomotion", in: one).bookcase = other
        try one.save(onConflict: .merge)
        #expect(try volume("Locomotion", in: one).bookcase === other)
        #expect(other.volumes.map(\.title) == ["Locomotion"])
        #expect(third.volumes.map(\.title) == ["more"])
        #expect(try bookcase(one).volumes.map(\.title) == ["Moment's Notice", "Lazy Bird"])
        try await expectSound()
    }

    @Test func mineAndTheirsLeaveBothSidesOfRelationshipsInAgreement() async throws {
        for policy in [ConflictPolicy.mine, .theirs] {
            try one.refresh()
            let mine = newVolume("mine")
            try bookcase(one).volumes.append(mine)
            try bookcase(one).title = "my title"
            try bookcase(two).volumes.insert(newVolume("theirs"), at: 0)
            try bookcase(two).title = "their title"
            try two.save()
            try one.save(onConflict: policy)
            try await expectSound()
            let titles = try bookcase(one).volumes.map(\.title)
            if case .mine = policy {
                #expect(titles.contains("mine") && !titles.contains("theirs"))
                #expect(try volume("theirs", in: one).bookcase == nil)
                #expect(try bookcase(one).title == "my title")
            } else {
                #expect(titles.first == "theirs")
                #expect(mine.bookcase == nil && mine.objectID != nil)
                #expect(try bookcase(one).title == "their title")
            }
            try two.refresh()
        }
    }

    @Test func anObjectDeletedElsewhereIsAConflictAndNoCrash() async throws {
        let mine = try volume("Locomotion", in: one)
        mine.seconds = 434
        try two.delete(try volume("Locomotion", in: two))
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
        #expect(try bookcase(one).volumes.map(\.title).sorted().contains("Locomotion"))
        try await expectSound()
        try two.refresh()
        #expect(try volume("Locomotion", in: two).seconds == 434)
    }

    @Test func anObjectDeletedElsewhereIsDeletedHereAfterAdvancing() throws {
        let mine = try volume("Locomotion", in: one)
        try two.delete(try volume("Locomotion", in: two))
        try two.save()
        #expect(!mine.isDeleted)
        try one.refresh()
        #expect(mine.isDeleted)
        #expect(try bookcase(one).volumes.count == 2)
    }

    @Test func aDeleteOfWhatAnotherHasChangedIsAConflict() async throws {
        try one.delete(try volume("Locomotion", in: one))
        try volume("Locomotion", in: two).seconds = 1
        try two.save()
        #expect(throws: StoreError.self) { try one.save() }
        #expect(throws: StoreError.self) { try one.save(onConflict: .merge) }
        try one.save(onConflict: .theirs)
        #expect(try volume("Locomotion", in: one).seconds == 1)
        #expect(try bookcase(one).volumes.contains { $0.title == "Locomotion" })
        try await expectSound()
        try one.delete(try volume("Locomotion", in: one))
        try two.refresh()
        try volume("Locomotion", in: two).seconds = 2
        try two.save()
        try one.save(onConflict: .mine)
        #expect(try one.objects(of: Volume.self).count == 2)
        try await expectSound()
    }

    @Test func aClosureDecidesByField() throws {
        try bookcase(one).title = "mine"
        try bookcase(one).year = 1
        try bookcase(two).title = "theirs"
        try bookcase(two).year = 2
        try two.save()
        try one.save(
            onConflict: .resolve { conflict in
                #expect(conflict.fields.map(\.name) == ["title", "year"])
                return .fields(["title": .theirs])
            })
        #expect(try bookcase(one).title == "theirs" && bookcase(one).year == 1)
    }

    @Test func aStoreAloneNeedsNoSnapshots() throws {
        try two.close()
        try bookcase(one).title = "again"
        try one.save()
        #expect(one.frozen == nil)
        try bookcase(one).title = "once more"
        try one.save()
        #expect(one.basis == (try backend.lastCommit()))
    }
}

/// Named buffers that two stores set.
struct NameConflictTests {
    private let backend = MemoryBackend()

    private func buffer(_ text: String) -> DataBuffer {
        let buffer = DataBuffer()
        buffer.writeString(text)
        return buffer
    }

    @Test func aNameThatTwoStoresSetIsAConflict() throws {
        let one = try Store(backend: backend, classes: volumeClasses)
        let two = try Store(backend: backend, classes: volumeClasses)
        one.namedBuffers["last"] = buffer("mine")
        one.namedBuffers["own"] = buffer("mine")
        two.namedBuffers["last"] = buffer("theirs")
        try two.save()
        for _ in 0..<2 {
            do {
                try one.save()
                Issue.record("an update is lost")
            } catch StoreError.conflict(let conflicts) {
                #expect(conflicts.flatMap(\.fields).map(\.name) == ["last"])
                #expect(conflicts.first?.fields.first?.base == FieldValue.none)
            }
            try one.refresh()
        }
        try one.save(onConflict: .theirs)
        try two.refresh()
        #expect(try two.namedBuffers["last"]?.readString() == "theirs")
        #expect(try two.namedBuffers["own"]?.readString() == "mine")
        one.namedBuffers["last"] = buffer("again")
        two.namedBuffers["last"] = nil
        try two.save()
        try one.save(onConflict: .merge)
        try two.refresh()
        #expect(try two.namedBuffers["last"]?.readString() == "again")
    }

    /// Both are "café" to a `String`.
    @Test func namesOfOtherBytesAreOtherNames() throws {
        let names = ["caf\u{e9}", "cafe\u{301}"]
        let one = try Store(backend: backend, classes: volumeClasses)
        let two = try Store(backend: backend, classes: volumeClasses)
        for name in names { one.namedBuffers[name] = buffer("mine") }
        for name in names { two.namedBuffers[name] = buffer("theirs") }
        #expect(try one.namedBuffers.all().count == 2)
        try two.save()
        do {
            try one.save()
            Issue.record("an update is lost")
        } catch StoreError.conflict(let conflicts) {
            #expect(conflicts.count == 2)
        }
        try one.save(onConflict: .theirs)
        for name in names { #expect(try one.namedBuffers[name]?.readString() == "theirs") }
        one.namedBuffers[names[0]] = nil
        #expect(try one.namedBuffers.all().map { Array($0.utf8) } == [Array(names[1].utf8)])
        // Both have done the same.
        one.namedBuffers["new"] = buffer("same")
        two.namedBuffers["new"] = buffer("same")
        one.namedBuffers[names[0]] = buffer("mine")
        try two.save()
        try one.save()
    }
}
