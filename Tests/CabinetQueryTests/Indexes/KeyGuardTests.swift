import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// A unique index that was declared over records with equal keys: it holds nothing, yet no other key is given
/// twice.
@Suite("Indexes: unique over records with equal keys")
struct KeyGuardTests {
    final class OlderMember: StoredObject {
        @Field var name = ""
        @Field var email: String?

        override class var storageName: String { "Member" }
    }

    final class Member: StoredObject {
        @Field var name = ""
        @Field var email: String?

        convenience init(_ email: String?) {
            self.init()
            self.email = email
        }

        override class var storageName: String { "Member" }
        override class var indexes: [Index] { [.unique(\Member.email)] }
    }

    /// Saves members by a program without the index.
    private func fill(_ scene: IndexScene, _ emails: [String?]) throws {
        let store = try scene.open([OlderMember.self])
        for email in emails {
            let member = OlderMember()
            member.email = email
            store.insert(member)
        }
        try store.save()
        try store.close()
    }

    private func expectRefusal(_ store: Store, _ row: RowID) {
        let error = #expect(throws: StoreError.self) { try store.save() }
        guard case .notUnique("Member", "email", row, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "no key is given twice, also of an index that was refused",
        arguments: IndexScene.Engine.allCases)
    func refused(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        try fill(scene, ["a", "a", "b", nil])
        let store = try scene.open([Member.self])
        let error = #expect(throws: StoreError.self) { try store.indexes.require() }
        guard case .notUnique("Member", "email", _, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(store.debugReport.incompleteIndexes == ["Member.email"])
        for email in ["a", "b"] {
            let another = Member(email)
            store.insert(another)
            expectRefusal(store, another.rowID)
            store.rollback()
        }
        let members = try store.objects(of: Member.self).sorted { $0.rowID < $1.rowID }
        members[2].email = "a"
        expectRefusal(store, members[2].rowID)
        members[2].email = "c"
        // Those that had one key before may be saved with it.
        (members[0].name, members[1].name) = ("one", "two")
        let (new, twin) = (Member("d"), Member("d"))
        store.insert(new)
        try store.save()
        store.insert(twin)
        expectRefusal(store, twin.rowID)
        // A key that its object gives up is free.
        (new.email, twin.email) = ("e", "d")
        store.insert(Member(nil))
        try store.save()
        members[1].email = "f"
        try store.save()
        try store.indexes.require()
        #expect(store.debugReport.incompleteIndexes.isEmpty)
        for (name, content) in try store.indexContents(of: Member.self) {
            #expect(content.found == content.expected, "\(name)")
        }
        try store.close()
    }

    @Test(
        "of two stores that save one key, the second is refused",
        arguments: IndexScene.Engine.allCases)
    func racing(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        try fill(scene, ["a", "a"])
        let one = try scene.open([Member.self])
        #expect(throws: StoreError.self) { try one.indexes.build() }
        let two = try scene.open([Member.self])
        let (first, second) = (Member("b"), Member("b"))
        one.insert(first)
        two.insert(second)
        try one.save()
        expectRefusal(two, second.rowID)
        second.email = "c"
        try two.save()
        try one.close()
        try two.close()
    }

    @Test("indexes of a class without records lack nothing")
    func empty() throws {
        let store = try Store(inMemory: [Member.self])
        #expect(store.debugReport.incompleteIndexes.isEmpty)
        try store.indexes.require()
        store.insert(Member("a"))
        try store.save()
        try store.indexes.require()
        #expect(store.debugReport.incompleteIndexes.isEmpty)
    }

    @Test("a store that cannot save says which indexes are not complete")
    func reading() throws {
        let temporary = try TemporaryStore([OlderMember.self])
        for _ in 0..<2 {
            let member = OlderMember()
            member.email = "a"
            temporary.store.insert(member)
        }
        try temporary.store.save()
        let store = try temporary.reopen([Member.self], access: .readOnly)
        #expect(throws: StoreError.incompleteIndexes(["Member.email"])) {
            try store.indexes.require()
        }
    }

    /// What a random script may do is decided by the keys of all members, whatever state the index is in.
    @Test(
        "a save is refused if and only if it gives a key twice",
        arguments: IndexScene.Engine.allCases,
        1...12)
    func model(engine: IndexScene.Engine, seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let scene = try IndexScene(engine, chunkLimit: 4)
        let keys = ["a", "b", "c", "d", "e", "f", "g", "h"]
        func anyKey() -> String? { random.below(9) == 0 ? nil : keys[random.below(keys.count)] }
        try fill(scene, (0..<10).map { _ in anyKey() })
        var stores = [try scene.open([Member.self]), try scene.open([Member.self])]
        for step in 0..<40 {
            let store = stores[random.below(2)]
            if random.below(6) == 0 { try? store.indexes.build() }
            if random.below(9) == 0 { store.indexes.progress?.cancel() }
            try store.refresh()
            let before = Dictionary(
                uniqueKeysWithValues: try store.objects(of: Member.self).map {
                    ($0.rowID, $0.email)
                })
            for _ in 0...random.below(3) {
                let members = try store.objects(of: Member.self)
                switch random.below(5) {
                case 0: store.insert(Member(anyKey()))
                case 1:
                    if members.count > 5 { try store.delete(members[random.below(members.count)]) }
                case 2: members[random.below(members.count)].name = "\(step)"
                default: members[random.below(members.count)].email = anyKey()
                }
            }
            var owners: [String: [RowID]] = [:]
            for member in try store.objects(of: Member.self) {
                if let email = member.email { owners[email, default: []].append(member.rowID) }
            }
            let isTwice = owners.contains { email, rows in
                rows.count > 1 && rows.contains { before[$0] != email }
            }
            do {
                try store.save()
                #expect(!isTwice, "\(step)")
            } catch StoreError.notUnique {
                #expect(isTwice, "\(step)")
                store.rollback()
            }
            if random.below(12) == 0 {
                let other = random.below(2)
                try stores[other].close()
                stores[other] = try scene.open([Member.self])
            }
        }
        for store in stores { try store.close() }
    }
}
