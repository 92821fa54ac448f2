import CabinetBackend
import Testing
import TrustSupport

@testable import Cabinet

/// What live lists and values give in rare cases.
struct LiveEdgeTests {
    private func areSame(_ list: LiveList<Note>, _ notes: [Note]) -> Bool {
        list.elementsEqual(notes, by: ===)
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
}
