import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

private struct Refused: Error, Equatable { let what: String }

private final class Episode: StoredObject {
    @Field var title = ""
    @Field var seconds = 0
    @One var show: Show?
    /// What else validation does, for a test.
    var duty: ((Episode) throws -> Void)?

    convenience init(_ title: String, seconds: Int = 1) {
        self.init()
        (self.title, self.seconds) = (title, seconds)
    }

    override func validate() throws {
        if seconds < 0 { throw Refused(what: title) }
        if show?.isClosed == true { throw Refused(what: "closed") }
        try duty?(self)
    }
}

private class Show: StoredObject {
    @Field var isClosed = false
    @Many(inverse: \Episode.show) var episodes: [Episode]
}

private class Careful: StoredObject {
    @Field var text = ""
    override func validate() throws { if text.isEmpty { throw Refused(what: "no text") } }
}

private final class CarefulHeir: Careful {}

private final class CallingSuper: StoredObject {
    @Field var text = ""
    override func validate() throws {
        try super.validate()
        if text.isEmpty { throw Refused(what: "no text") }
    }
}

struct ValidatingTests {
    let backend = MemoryBackend()

    private func open() throws -> Store {
        try Store(backend: backend, classes: [Episode.self, Show.self])
    }

    private func failures(_ store: Store) -> [InvalidObject] {
        do {
            try store.save()
            return []
        } catch StoreError.invalid(let failures) {
            return failures
        } catch {
            Issue.record(error)
            return []
        }
    }

    @Test func classesThatOverrideAreKnown() throws {
        #expect(MethodOverride.validation.exists(in: Episode.self))
        #expect(MethodOverride.validation.exists(in: Careful.self))
        #expect(MethodOverride.validation.exists(in: CarefulHeir.self))
        #expect(MethodOverride.validation.exists(in: CallingSuper.self))
        for type in [Show.self, Tune.self, Song.self, Node.self, StoredObject.self] {
            #expect(!MethodOverride.validation.exists(in: type), "\(type)")
        }
        #expect(try open().hasValidation)
        #expect(try !Store(inMemory: tunes).hasValidation)
    }

    @Test func allFailuresComeTogetherAndNothingIsSaved() throws {
        let store = try open()
        let kept = Episode("kept")
        store.insert(kept)
        try store.save()
        kept.seconds = -1
        let (bad, good) = (Episode("new", seconds: -2), Episode("good"))
        store.insert(bad)
        store.insert(good)
        let found = failures(store)
        #expect(found.map(\.className) == ["Episode", "Episode"])
        #expect(
            found.map { $0.error as? Refused } == [Refused(what: "kept"), Refused(what: "new")])
        #expect(found.map { $0.object(in: store) } == [kept, bad])
        #expect(found.map(\.rowID) == [kept.rowID, bad.rowID])
        #expect(store.hasChanges)
        #expect(kept.isChanged && bad.isInserted && good.isInserted)
        #expect(try open().objects(of: Episode.self).map(\.seconds) == [1])
        kept.seconds = 5
        #expect(failures(store) == [found[1]])
        bad.seconds = 6
        try store.save()
        #expect(try open().objects(of: Episode.self).map(\.seconds) == [5, 6, 1])
    }

    @Test func deletedAndUnchangedObjectsAreNotValidated() throws {
        let store = try open()
        let (one, other) = (Episode("one"), Episode("other"))
        store.insert(one)
        store.insert(other)
        try store.save()
        for episode in [one, other] { episode.duty = { throw Refused(what: $0.title) } }
        store.insert(Episode("third"))
        try store.save()
        one.seconds = -1
        try store.delete(one)
        try store.save()
        #expect(try open().count(of: Episode.self) == 2)
    }

    @Test func validationReadsRelatedObjects() throws {
        let store = try open()
        let show = Show()
        show.isClosed = true
        store.insert(show)
        try store.save()
        let again = try open()
        let found = try #require(try again.objects(of: Show.self).first)
        found.episodes.append(Episode("late"))
        #expect(failures(again).map { $0.error as? Refused } == [Refused(what: "closed")])
        found.isClosed = false
        try again.save()
        let reader = try open()
        #expect(try reader.objects(of: Show.self).first?.episodes.map(\.title) == ["late"])
    }

    @Test(arguments: [false, true])
    func whatValidationChangesIsValidatedToo(_ recordsUndo: Bool) throws {
        let store = try open()
        store.undoHistory.isEnabled = recordsUndo
        let (first, second) = (Episode("first"), Episode("second"))
        store.insert(first)
        store.insert(second)
        // The first one has been validated when the second one makes it invalid.
        second.duty = { _ in first.seconds = -7 }
        let found = failures(store)
        #expect(found.map { $0.error as? Refused } == [Refused(what: "first")])
        #expect(first.seconds == 1)
        #expect(first.isInserted)
        // An inserted one as well.
        second.duty = { _ in
            if store.hasChanges, first.show == nil { first.show = Show() }
            if try store.count(of: Episode.self) == 2 { store.insert(Episode("x", seconds: -1)) }
        }
        #expect(failures(store).map { $0.error as? Refused } == [Refused(what: "x")])
        #expect(first.show == nil)
        #expect(try store.count(of: Episode.self) == 2)
        second.duty = { $0.title = "trimmed" }
        try store.save()
        #expect(!store.hasChanges)
        #expect(try open().objects(of: Episode.self).map(\.title) == ["first", "trimmed"])
    }

    @Test func validationThatNeverEndsIsAnError() throws {
        let store = try open()
        let episode = Episode("restless")
        store.insert(episode)
        episode.duty = { $0.seconds += 1 }
        #expect(throws: StoreError.validationUnstable(classes: ["Episode"])) { try store.save() }
        #expect(episode.seconds == 1)
        #expect(episode.isInserted)
        episode.duty = nil
        try store.save()
        #expect(try open().objects(of: Episode.self).map(\.seconds) == [1])
    }

    @Test func theErrorNamesTheClassThatChangesObjectsEachTime() throws {
        let store = try Store(
            backend: backend, classes: [Episode.self, Show.self, CallingSuper.self])
        let (episode, calm) = (Episode("restless"), CallingSuper())
        calm.text = "calm"
        store.insert(episode)
        store.insert(calm)
        episode.duty = { _ in calm.text += "." }
        #expect(throws: StoreError.validationUnstable(classes: ["Episode"])) { try store.save() }
        #expect(calm.text == "calm" && calm.isInserted)
    }

    @Test func aSaveInsideIsRefused() throws {
        let store = try open()
        let episode = Episode("nested")
        store.insert(episode)
        episode.duty = { _ in try store.save() }
        #expect(failures(store).map { $0.error as? StoreError } == [.stepUnderWay])
        episode.duty = nil
        try store.save()
    }

    @Test func undoGoesOnAfterARefusedSave() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let episode = Episode("one")
        store.insert(episode)
        try store.save()
        episode.seconds = -1
        #expect(failures(store).count == 1)
        try store.undoHistory.undo()
        #expect(episode.seconds == 1)
        try store.save()
    }
}
