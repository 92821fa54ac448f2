import CabinetBackend
import Foundation
import Synchronization
import Testing
import TrustSupport

@testable import Cabinet

/// What live lists and values give in rare cases.
struct LiveEdgeTests {
    private struct Failure: Error {}

    private func areSame<Object>(_ list: LiveList<Object>, _ objects: [Object]) -> Bool {
        list.elementsEqual(objects, by: ===)
    }

    private func open() throws -> (Store, [Track]) {
        let store = try Store(
            inMemory: [
                Track.self, Record.self, Cover.self, Note.self, LongNote.self, Folder.self,
            ])
        let tracks = (0..<4).map { number in
            let track = Track()
            (track.title, track.year) = ("\(number)", number)
            store.insert(track)
            return track
        }
        try store.save()
        return (store, tracks)
    }

    /// Once, a renewal was the same as a step of undo.
    @Test func noTwoCausesAreTheSame() {
        let causes: [LiveCause] = [.save, .otherStores, .edit, .undo, .renewal, .resumption]
        #expect(Set(causes).count == 6)
        #expect(causes.allSatisfy { $0.rawValue.nonzeroBitCount == 1 })
    }

    @Test func aListIsAsFreshAsAFetchWithinAStep() throws {
        let (store, tracks) = try open()
        let live = try store.query(Track.self).filter(#Predicate { $0.year > 1 })
            .live(includingPending: true)
        let count = try store.query(Track.self).filter(#Predicate { $0.year > 1 })
            .liveCount(includingPending: true)
        store.undoHistory.isEnabled = true
        try store.undoHistory.group("edits") {
            tracks[0].year = 7
            #expect(live.objects.count == 3 && count.value == 3)
            tracks[1].year = 8
            #expect(live.objects.count == 4 && count.value == 4)
        }
        try store.save()
        try store.close()
        #expect(count.value == 4)
    }

    /// Once, they were looked for in the list of the pending record, which did not know them.
    @Test func objectsThatOthersHaveGivenAPendingTargetAreAsked() throws {
        let container = StoreContainer(inMemory: [Track.self, Record.self, Cover.self])
        let (store, other) = (try container.makeStore(), try container.makeStore())
        let (record, track) = (Record(), Track())
        for object in [record, track] { store.insert(object) }
        (record.year, record.tracks) = (3, [track])
        try store.save()
        let query = store.query(Track.self).filter(#Predicate { $0.record?.year == 5 })
        let live = try query.live(includingPending: true)
        record.year = 8
        try other.refresh()
        let added = Track()
        other.insert(added)
        added.record = try other.object(Record.self, rowID: record.rowID)
        try other.save()
        try store.refresh()
        #expect(live.objects.isEmpty && record.tracks == [track])
        record.year = 5
        #expect(live.objects.rowIDs == [track.rowID, added.rowID])
        // The save looks for what others have given it: until then, that refers to what is to be deleted.
        try store.delete(record)
        #expect(areSame(live.objects, try query.objects()))
        store.rollback()
        #expect(live.objects.isEmpty)
        record.year = 5
        #expect(live.objects.rowIDs == [track.rowID, added.rowID])
        try store.delete(record)
        try store.save()
        #expect(try live.objects.isEmpty && store.objects(of: Track.self).isEmpty)
        try other.refresh()
        #expect(try other.objects(of: Track.self).isEmpty)
    }

    @Test func aFirstObjectFollows() throws {
        let (store, tracks) = try open()
        let live = try store.query(Track.self).filter(#Predicate { $0.year > 0 })
            .sorted(by: .descending(\.year)).liveFirst()
        let reader = LiveReader()
        live.rows.add(reader)
        _ = reader.take(live.rows)
        #expect(live.objects.first === tracks[3])
        tracks[3].title = "New"
        try store.save()
        #expect(reader.take(live.rows)?.updates == [0])
        tracks[1].year = 9
        try store.save()
        let change = try #require(reader.take(live.rows))
        #expect(change.objects.first === tracks[1])
        #expect(change.insertions == [0] && change.deletions == [0])
        tracks[0].title = "Other"
        try store.save()
        #expect(reader.take(live.rows) == nil)
        try store.delete(contentsOf: tracks)
        try store.save()
        #expect(live.objects.isEmpty)
    }

    /// Such an `id` is a number of the instance, and no row.
    @Test func anIDFromBeforeTheInsertFindsItsObject() throws {
        let (store, _) = try open()
        let (track, record) = (Track(), Record())
        let (id, recordID) = (track.id, record.id)
        store.insert(record)
        let query = store.query(Track.self).filter(#Predicate { $0.id == id })
        let ofRecord = store.query(Track.self).filter(#Predicate { $0.record?.id == recordID })
        let (live, pending) = (try query.live(), try query.live(includingPending: true))
        let inRecord = try ofRecord.live()
        #expect(live.objects.isEmpty && pending.objects.isEmpty)
        store.insert(track)
        track.record = record
        #expect(try query.objects() == [track] && query.count() == 1)
        #expect(try ofRecord.objects() == [track])
        #expect(live.objects.isEmpty && Array(pending.objects) == [track])
        try store.save()
        #expect(try query.objects() == [track] && ofRecord.objects() == [track])
        #expect(Array(live.objects) == [track] && Array(inRecord.objects) == [track])
        track.record = nil
        try store.save()
        #expect(inRecord.objects.isEmpty && Array(live.objects) == [track])
    }

    /// Once, the number of its second place was no class's, and the list trapped.
    @Test func anObjectMayStandRepeatedlyInARelationship() throws {
        let (store, _) = try open()
        let (one, other, folder) = (Note(), LongNote(), Folder())
        for object in [one, other, folder] { store.insert(object) }
        folder.notes = [one, other, one, one]
        try store.save()
        let live = try store.live.objects(\Folder.notes, of: folder)
        #expect(areSame(live.objects, [one, other, one, one]))
        let reader = LiveReader()
        live.rows.add(reader)
        _ = reader.take(live.rows)
        one.rank = 1
        folder.notes = [one, one, other]
        try store.save()
        let change = try #require(reader.take(live.rows))
        #expect(areSame(change.objects, [one, one, other]))
        #expect(change.deletions.count == 1 && change.insertions == [])
    }

    /// Once, the row was looked for in the class that the variable names.
    @Test func oneObjectOfASubclassFollows() throws {
        let (store, tracks) = try open()
        let (note, long) = (Note(), LongNote())
        store.insert(note)
        store.insert(long)
        try store.save()
        #expect(note.rowID == long.rowID)
        let asNote: Note = long
        let live = try store.live.object(asNote)
        #expect(areSame(live.objects, [long]))
        try store.delete(long)
        try store.save()
        #expect(live.objects.isEmpty)
        let other = try Store(inMemory: [Track.self, Record.self, Cover.self])
        #expect(throws: StoreError.wrongStore(class: "Live_Track")) {
            try other.live.object(tracks[0])
        }
    }

    /// Once, what was edited and saved between two looks was no update.
    @Test func anEditThatIsSavedBeforeTheNextLookIsAnUpdate() throws {
        let (store, tracks) = try open()
        let live = try store.query(Track.self).sorted(by: \.year).live(includingPending: true)
        let reader = LiveReader()
        live.rows.add(reader)
        _ = reader.take(live.rows)
        tracks[1].plays = 1
        try store.save()
        #expect(live.commit == store.basis)
        #expect(live.objects.count == 4)
        #expect(reader.take(live.rows)?.updates == [1])
    }

    /// Once, only objects with other content were asked for their section.
    @Test func anObjectChangesItsSectionWithItsTarget() async throws {
        let (store, tracks) = try open()
        let records = [Record(), Record()]
        for (index, record) in records.enumerated() {
            record.year = index + 1
            store.insert(record)
            record.tracks = Array(tracks[(index * 2)..<(index * 2 + 2)])
        }
        try store.save()
        let live = try store.query(Track.self).sorted(by: \.title).live(sections: \.recordYear)
        var changes = live.changes.makeAsyncIterator()
        var model = SectionModel<Int, Track>()
        try model.apply(try #require(try await changes.next()))
        records[0].year = 2
        try store.save()
        let change = try #require(try await changes.next())
        #expect(change.sectionDeletions == [0] && change.sections.map(\.key) == [2])
        try model.apply(change)
    }

    /// Once, the list lost the sections of what the commit had taken from it.
    @Test func sectionsStayAsTheyWereAfterAFailure() throws {
        let (store, _) = try open()
        let notes = (0..<60).map { rank in
            let note = Note()
            note.rank = rank
            store.insert(note)
            return note
        }
        try store.save()
        let isFailing = Flag()
        let live = try store.query(Note.self)
            .filter { note in
                if isFailing.isSet, note.rank == 50 { throw Failure() }
                return true
            }
            .limit(2).live(sections: \.rank)
        #expect(live.sections.map(\.key) == [0, 1])
        isFailing.set(true)
        try store.delete(contentsOf: notes[..<35])
        try store.save()
        #expect(live.failure is Failure)
        #expect(live.sections.map(\.key) == [0, 1])
        isFailing.set(false)
        notes[50].text = "a"
        try store.save()
        #expect(live.failure == nil && live.sections.map(\.key) == [35, 36])
    }

    /// Once, a sequence gave one that does not equal itself again and again.
    @Test func aValueThatIsNoNumberIsGivenOnce() async throws {
        let next = try await Task { () async throws -> Double? in
            let (store, _) = try self.open()
            let live = try store.live.value(following: Track.self) { _ in Double.nan }
            var values = live.makeAsyncIterator()
            let first = try await values.next()
            #expect(first?.isNaN == true)
            withUnsafeCurrentTask { $0?.cancel() }
            return try await values.next()
        }.value
        #expect(next == nil)
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set(_ value: Bool) { self.value.withLock { $0 = value } }
    }
}
