import CabinetBackend
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// No two objects have the key of a unique index.
@Suite("Indexes: unique")
struct UniqueIndexTests {
    final class Member: StoredObject {
        @Field var name = ""
        @Field var email: String?
        @Field var score: Double?
        @Field var isActive = true

        convenience init(_ name: String, _ email: String?) {
            self.init()
            (self.name, self.email) = (name, email)
        }

        override class var indexes: [Index] {
            [
                .unique(\Member.email),
                .unique(\Member.score),
                .unique(\Member.name, named: "active", where: { $0.isActive }),
            ]
        }
    }

    private func expectAgreement(_ store: Store) throws {
        for (name, content) in try store.indexContents(of: Member.self) {
            #expect(content.found == content.expected, "\(name)")
        }
    }

    private func expectRefusal(
        _ store: Store, index: String, row: RowID, by other: RowID,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let last = try store.backend.lastCommit()
        let expected = StoreError.notUnique(class: "Member", index: index, row: row, by: other)
        #expect(throws: expected, sourceLocation: sourceLocation) { try store.save() }
        #expect(try store.backend.lastCommit() == last, sourceLocation: sourceLocation)
        #expect(store.hasChanges, sourceLocation: sourceLocation)
    }

    @Test(
        "a save of a key that another object has writes nothing",
        arguments: IndexScene.Engine.allCases)
    func refusal(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        let store = try scene.open([Member.self])
        let (a, b) = (Member("a", "a@x"), Member("b", "b@x"))
        [a, b].forEach(store.insert)
        try store.save()
        b.email = "a@x"
        try expectRefusal(store, index: "email", row: b.rowID, by: a.rowID)
        b.email = "c@x"
        try store.save()
        let c = Member("a", "d@x")
        store.insert(c)
        try expectRefusal(store, index: "active", row: c.rowID, by: a.rowID)
        c.isActive = false
        try store.save()
        try expectAgreement(store)
        c.isActive = true
        try expectRefusal(store, index: "active", row: c.rowID, by: a.rowID)
        store.rollback()
        #expect(try store.count(of: Member.self) == 3)
    }

    @Test("two new objects of one save with equal keys are refused")
    func withinOneSave() throws {
        let store = try Store(inMemory: [Member.self])
        let (a, b) = (Member("a", "x"), Member("b", "x"))
        [a, b].forEach(store.insert)
        try expectRefusal(store, index: "email", row: b.rowID, by: a.rowID)
        try store.delete(a)
        try store.save()
        let (c, d) = (Member("c", "y"), Member("d", "z"))
        [c, d].forEach(store.insert)
        try store.save()
        (c.email, d.email) = ("w", "w")
        #expect(throws: StoreError.self) { try store.save() }
        d.email = "v"
        try store.save()
        try expectAgreement(store)
    }

    @Test("objects may pass keys on within one save", arguments: IndexScene.Engine.allCases)
    func passingOn(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        let store = try scene.open([Member.self])
        let members = (0..<4).map { Member("\($0)", "\($0)@x") }
        for member in members { store.insert(member) }
        try store.save()
        // A swap, a cycle, a key of a deleted object, both ways round.
        (members[0].email, members[1].email) = (members[1].email, members[0].email)
        try store.save()
        let emails = members.map(\.email)
        for (number, member) in members.enumerated() { member.email = emails[(number + 1) % 4] }
        try store.save()
        try expectAgreement(store)
        let first = members[0].email
        try store.delete(members[0])
        let heir = Member("heir", first)
        store.insert(heir)
        try store.save()
        members[3].email = heir.email
        try store.delete(heir)
        try store.save()
        try expectAgreement(store)
        #expect(try store.count(of: Member.self) == 3)
    }

    @Test("nil and NaN equal nothing")
    func nothing() throws {
        let store = try Store(inMemory: [Member.self])
        for number in 0..<6 {
            let member = Member("\(number)", nil)
            member.score = number < 3 ? nil : .nan
            store.insert(member)
        }
        try store.save()
        let member = Member("zero", "z")
        member.score = 0
        store.insert(member)
        try store.save()
        let other = Member("minus", "m")
        other.score = -0.0
        store.insert(other)
        try expectRefusal(store, index: "score", row: other.rowID, by: member.rowID)
        other.score = 1
        try store.save()
        try expectAgreement(store)
    }

    @Test("a key that is too long is refused")
    func tooLong() throws {
        let store = try Store(inMemory: [Member.self])
        let member = Member("long", String(repeating: "x", count: 2_000))
        store.insert(member)
        #expect(
            throws: StoreError.keyTooLong(class: "Member", index: "email", row: member.rowID)
        ) { try store.save() }
        member.email = "short"
        try store.save()
        try expectAgreement(store)
    }

    @Test(
        "of two stores that save one key, the second is refused",
        arguments: IndexScene.Engine.allCases)
    func racing(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        let (one, two) = (try scene.open([Member.self]), try scene.open([Member.self]))
        let (a, b) = (Member("a", "same"), Member("b", "same"))
        one.insert(a)
        two.insert(b)
        try one.save()
        let error = #expect(throws: StoreError.self) { try two.save() }
        #expect(
            error == .notUnique(class: "Member", index: "email", row: b.rowID, by: a.rowID))
        b.email = "other"
        try two.save()
        try one.refresh()
        try expectAgreement(one)
        try expectAgreement(two)
        #expect(try one.count(of: Member.self) == 2)
    }

    @Test(
        "many stores that race for few keys leave each key once",
        arguments: IndexScene.Engine.allCases)
    func manyRacing(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        let backend = scene.backend
        let keeper = try scene.open([Member.self])
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            do {
                let store = try Store(backend: backend, classes: [Member.self])
                for key in 0..<20 {
                    store.insert(Member("\(thread) \(key)", "\(key)"))
                    do { try store.save() } catch StoreError.notUnique { store.rollback() }
                }
                try store.close()
            } catch { Issue.record(error) }
        }
        try keeper.refresh()
        let emails = try keeper.objects(of: Member.self).compactMap(\.email)
        #expect(emails.count == 20 && Set(emails).count == 20)
        try expectAgreement(keeper)
    }

    final class Seat: StoredObject {
        @Field var hall = ""
        @Field var row = 0
        @Field var number = 0
        @Field var day = 0

        override class var indexes: [Index] {
            [.unique(\Seat.hall, \Seat.row, \Seat.number, \Seat.day)]
        }
    }

    @Test("four properties are unique together")
    func fourColumns() throws {
        let store = try Store(inMemory: [Seat.self])
        for day in 0..<2 {
            let seat = Seat()
            seat.day = day
            store.insert(seat)
        }
        try store.save()
        let third = Seat()
        store.insert(third)
        #expect(throws: StoreError.self) { try store.save() }
        third.number = 1
        try store.save()
    }

    @Test(
        "upsert finds saved and pending objects, and makes the others",
        arguments: IndexScene.Engine.allCases)
    func upserting(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        let store = try scene.open([Member.self])
        let a = try store.upsert(Member.self, by: \.email, "a") { $0.name = "A" }
        #expect(try store.upsert(Member.self, by: \.email, "a") === a)
        try store.save()
        #expect(try store.upsert(Member.self, by: \.email, "a") { $0.name = "B" } === a)
        a.email = "b"
        let other = try store.upsert(Member.self, by: \.email, "a")
        #expect(other !== a && other.email == "a")
        other.name = "other"
        #expect(try store.upsert(Member.self, by: \.email, "b") === a)
        try store.save()
        try store.delete(a)
        #expect(try store.upsert(Member.self, by: \.email, "b") { $0.name = "C" } !== a)
        #expect(try store.upsert(Member.self, by: \.email, nil) { $0.name = "D" } !== other)
        try store.save()
        #expect(try store.count(of: Member.self) == 3)
        try expectAgreement(store)
        let again = try scene.open([Member.self])
        #expect(try again.upsert(Member.self, by: \.email, "a").name == "other")
        #expect(throws: StoreError.self) { try store.upsert(Member.self, by: \.name, "a") }
    }
}
