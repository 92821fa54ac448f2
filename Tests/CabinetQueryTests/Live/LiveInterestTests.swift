import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// A commit is told to the live queries that it may concern, and to no others.
struct LiveInterestTests {
    /// Counts what it is told.
    private final class Follower: LiveQuery {
        private(set) var told = 0
        override func take(_ news: LiveNews) throws { told += 1 }
    }

    private func open() throws -> (StoreContainer, Store, [Note]) {
        let container = StoreContainer(inMemory: [Note.self, LongNote.self, Folder.self])
        let store = try container.makeStore()
        let notes = (0..<20).map { rank in
            let note = Note()
            (note.rank, note.text) = (rank, "\(rank)")
            store.insert(note)
            return note
        }
        try store.save()
        return (container, store, notes)
    }

    private func follow(
        _ store: Store, _ query: ObjectQuery<Note>, showsContent: Bool = true
    ) throws -> Follower {
        let reach = try LiveReach(query, [store.registered(Note.self)], in: store)
        return Follower(
            store, watching: reach.classes,
            interests: reach.interests(showingContent: showsContent), includesPending: false)
    }

    private func told(_ followers: [Follower], by body: () throws -> Void) rethrows -> [Int] {
        let before = followers.map(\.told)
        try body()
        return followers.indices.filter { followers[$0].told > before[$0] }
    }

    @Test func aChangeConcernsThoseWhoseValuesItMeets() throws {
        let (container, store, notes) = try open()
        let followers = try (0..<20).map { rank in
            try follow(store, ObjectQuery<Note>(where: #Predicate { $0.rank == rank }))
        }
        #expect(try told(followers) { try save(store) { notes[5].rank = 7 } } == [5, 7])
        #expect(try told(followers) { try save(store) { notes[7].text = "a" } } == [7])
        #expect(try told(followers) { try save(store) { try store.delete(notes[3]) } } == [3])
        let added = Note()
        added.rank = 11
        #expect(try told(followers) { try save(store) { store.insert(added) } } == [11])
        let other = try container.makeStore()
        let theirs = try other.query(Note.self).filter(#Predicate { $0.rank == 12 }).objects()
        #expect(
            try told(followers) {
                try save(other) { theirs[0].rank = 13 }
                try store.refresh()
            } == [12, 13])
    }

    @Test func aCountIsToldOfWhatDecides() throws {
        let (_, store, notes) = try open()
        let all = ObjectQuery<Note>()
        let late = ObjectQuery<Note>(where: #Predicate { $0.rank >= 10 })
        let named = ObjectQuery<Note>(where: #Predicate { $0.text == "15" })
        let unlike = ObjectQuery<Note>(where: #Predicate { $0.text != "15" })
        let followers =
            try [all, late, named, unlike].map { try follow(store, $0, showsContent: false) }
            + [follow(store, late), follow(store, unlike)]
        #expect(try told(followers) { try save(store) { notes[15].tags = ["a"] } } == [4, 5])
        #expect(try told(followers) { try save(store) { notes[2].rank = 3 } } == [5])
        #expect(try told(followers) { try save(store) { notes[2].rank = 10 } } == [1, 4, 5])
        #expect(try told(followers) { try save(store) { notes[4].text = "15" } } == [2, 3, 5])
        #expect(
            try told(followers) { try save(store) { try store.delete(notes[0]) } } == [0, 3, 5])
    }

    @Test func manyChangesAtOnceConcernAllOfTheClass() throws {
        let (_, store, _) = try open()
        let followers = try (0..<3).map { rank in
            try follow(store, ObjectQuery<Note>(where: #Predicate { $0.rank == rank }))
        }
        let added = (0..<200).map { _ in Note() }
        for note in added { note.rank = 100 }
        #expect(
            try told(followers) { try save(store) { added.forEach(store.insert) } } == [0, 1, 2])
    }

    @Test func queriesThatAreDroppedLeaveNothingBehind() throws {
        let (_, store, notes) = try open()
        var followers = try (0..<200).map { rank in
            try follow(store, ObjectQuery<Note>(where: #Predicate { $0.rank >= rank }))
        }
        _ = try told(followers) { try save(store) { notes[0].rank = 1000 } }
        #expect(followers.allSatisfy { $0.told == 1 })
        followers.removeFirst(150)
        #expect(try told(followers) { try save(store) { notes[1].rank = 170 } } == Array(0...20))
        followers = []
        #expect(!(try store.registered(Note.self).isWatched))
    }

    private func save(_ store: Store, _ edit: () throws -> Void) throws {
        try edit()
        try store.save()
    }

    @Test(arguments: RunSetting.seeds(32))
    func intervalsAreFound(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let (_, store, _) = try open()
        let (query, notes) = (
            try follow(store, ObjectQuery<Note>()), try store.registered(Note.self)
        )
        let interests = ClassInterests(store, notes)
        var members: [(limit: ClosedRange<Int>, member: LiveMember)] = []
        for _ in 0..<600 {
            switch random.below(4) {
            case 0, 1:
                let first = random.below(100)
                let limit = first...first + random.below(random.once(in: 3) ? 100 : 3)
                let condition = try ObjectQuery<Note>(
                    where: #Predicate { limit.contains($0.rank) }
                ).criterion.condition(store.fields(of: notes), in: store)
                let found = ValueLimit(condition, store.fields(of: notes))
                #expect(found != nil)
                let interest = LiveInterest(limit: found)
                let member = LiveMember(query, notes, interest)
                interests.add(member)
                members.append((limit, member))
            case 2 where !members.isEmpty:
                interests.remove(members.remove(at: random.below(members.count)).member)
            default:
                let rank = random.below(220)
                let note = Note()
                note.rank = rank
                store.insert(note)
                try store.save()
                let record = DataBuffer()
                _ = try store.readRecord(note.rowID, of: notes, into: record)
                record.withUnsafeBytes { interests.note(from: nil, to: $0, .whole) }
                for (limit, member) in members {
                    #expect(member.isConcerned == limit.contains(rank))
                }
                interests.tell(.whole) { _ in }
                #expect(members.allSatisfy { !$0.member.isConcerned })
            }
        }
    }
}
