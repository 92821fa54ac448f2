import Cabinet
import Testing

@testable import CabinetTestModel

/// Objects of one store that are put into relationships of another: a mistake, which `save()` names
/// and which must touch neither.
struct TwoStoresTests {
    let store: Store
    let other: Store

    init() throws {
        store = try Store(inMemory: tunes)
        // The same classes under other numbers.
        other = try Store(inMemory: tunes.reversed())
    }

    /// An object of the other store that refers to nothing, saved.
    func foreign<Object: StoredObject>(_ type: Object.Type) throws -> Object {
        let object = type.init()
        other.insert(object)
        try other.save()
        return object
    }

    @Test func itsOtherSideIsLeftAlone() throws {
        let (tune, list, branch) = (
            try foreign(Tune.self), TuneList(), try foreign(Branch.self)
        )
        store.insert(list)
        list.tunes = [tune, Tune("own"), tune]
        #expect(tune.lists.isEmpty)
        list.tunes.removeFirst()
        list.tunes.append(tune)
        let parent = Branch()
        store.insert(parent)
        parent.children = [branch]
        let child = Branch()
        store.insert(child)
        child.parent = branch
        #expect(branch.parent == nil && branch.children.isEmpty)
        #expect(throws: foreignTune(in: list)) { try store.save() }
        #expect(!other.hasChanges)
        store.rollback()
        #expect(tune.lists.isEmpty && branch.children.isEmpty && !other.hasChanges)
        #expect(tune.store === other && !tune.isDeleted)
    }

    /// What refers to it is named: it did not say which of all objects, nor where.
    private func foreignTune(in list: TuneList) -> StoreError {
        .badReference(
            class: "TuneList", row: list.rowID, field: "tunes", reason: .wrongStore(class: "Tune"))
    }

    @Test func takingItOutMakesTheSaveGood() throws {
        let (tune, list) = (try foreign(Tune.self), TuneList())
        store.insert(list)
        list.tunes = [tune, Tune("own")]
        #expect(throws: foreignTune(in: list)) { try store.save() }
        list.tunes.removeAll { $0.store !== store }
        try store.save()
        #expect(list.tunes.map(\.title) == ["own"] && list.tunes[0].lists.first === list)
    }

    /// Its row was removed from this store's table of that number, whichever object had it here.
    @Test func aCascadeDoesNotReachIt() throws {
        let (booklet, disc) = (try foreign(Booklet.self), Disc())
        let own = Disc()
        own.booklet = Booklet()
        for disc in [disc, own] { store.insert(disc) }
        try store.save()
        disc.booklet = booklet
        #expect(throws: StoreError.wrongStore(class: "Booklet")) { try store.delete(disc) }
        #expect(!disc.isDeleted && !booklet.isDeleted && booklet.album == nil)
        let preview = try store.previewDelete(disc)
        #expect(preview.denial as? StoreError == .wrongStore(class: "Booklet"))
        disc.booklet = nil
        try store.delete(disc)
        try store.save()
        try other.save()
        #expect(try store.count(of: Booklet.self) == 1 && own.booklet?.album === own)
        #expect(try other.count(of: Booklet.self) == 1)
    }

    /// What is taken back holds it again, whatever number its class has in its own store.
    @Test func aStepThatIsTakenBackKeepsIt() throws {
        let (tune, list) = (try foreign(Tune.self), TuneList())
        store.insert(list)
        (list.title, list.tunes) = ("a", [tune])
        #expect(throws: CancellationError.self) {
            try store.undoHistory.group {
                (list.title, list.tunes) = ("b", [])
                throw CancellationError()
            }
        }
        #expect(list.title == "a" && list.fetchError == nil && list.tunes.first === tune)
        store.undoHistory.isEnabled = true
        list.tunes = [Tune("own")]
        try store.undoHistory.undo()
        #expect(list.tunes.first === tune && list.tunes.count == 1 && !other.hasChanges)
    }

    @Test func refreshingForgetsIt() throws {
        let (tune, list) = (try foreign(Tune.self), TuneList())
        store.insert(list)
        try store.save()
        list.tunes = [tune]
        try store.rollback(list)
        #expect(list.tunes.isEmpty && !tune.isFault && !other.hasChanges)
        try store.save()
    }

    /// As one backend may serve several stores, the same record may have an object in each.
    @Test func storesOverOneBackendKeepTheirObjectsApart() throws {
        let (tune, list) = (Tune("a"), TuneList())
        for object in [tune, list] as [StoredObject] { store.insert(object) }
        try store.save()
        let twin = try Store(backend: store.backend, classes: tunes)
        let its = try #require(try twin.object(Tune.self, rowID: tune.rowID))
        list.tunes = [its]
        #expect(its.lists.isEmpty && tune.lists.isEmpty && !twin.hasChanges)
        #expect(throws: foreignTune(in: list)) { try store.save() }
        its.title = "b"
        try twin.save()
        #expect(tune.title == "a")
        try store.refresh()
        #expect(tune.title == "b")
        store.rollback()
        tune.title = "c"
        try twin.delete(its)
        try twin.save()
        #expect(throws: StoreError.self) { try store.save() }
        try store.save(onConflict: .mine)
        #expect(try Store(backend: store.backend, classes: tunes).count(of: Tune.self) == 1)
    }
}
