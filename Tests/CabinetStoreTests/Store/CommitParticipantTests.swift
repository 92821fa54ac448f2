import CabinetBackend
import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// A participant of commits gets every record, on every path.
struct CommitParticipantTests {
    @Test(arguments: 200..<212 as Range<UInt64>)
    func aMirrorEqualsTheStoreAfterAnyHistory(_ seed: UInt64) throws {
        let history = try RandomHistory(seed: seed)
        let mirror = try RecordMirror(history.backend)
        try mirror.register(with: history.store)
        #expect(try history.play(turns: 120) == 120)
        try history.store.save()
        #expect(try mirror.isUpToDate())
    }

    @Test(arguments: 300..<306 as Range<UInt64>, [true, false])
    func aMirrorHearsOfOtherSides(_ seed: UInt64, _ isEager: Bool) throws {
        let history = try RandomListHistory(seed: seed, isEager: isEager)
        let mirror = try RecordMirror(history.store.backend)
        try mirror.register(with: history.store)
        #expect(try history.play(turns: 200) == 200)
        try history.store.save()
        #expect(try mirror.isUpToDate())
    }

    @Test(arguments: [RecordEvent.Kind.inserted, .updated, .deleted])
    func aKindThatIsMissedIsFound(_ kind: RecordEvent.Kind) throws {
        let backend = MemoryBackend()
        let store = try Store(backend: backend, classes: [Song.self])
        let songs = [Song("one"), Song("two"), Song("three")]
        songs[..<2].forEach(store.insert)
        try store.save()
        let mirror = try RecordMirror(backend, ignoring: kind)
        try mirror.register(with: store)
        songs[0].title = "changed"
        try store.delete(songs[1])
        store.insert(songs[2])
        try store.save()
        #expect(try !mirror.isUpToDate())
    }

    // MARK: Upgrades

    enum Before {
        final class Item: StoredObject {
            @Field var number = 0
            override class var storageName: String { "Item" }
        }
        final class ByHand: StoredObject {
            var number: Int32 = 0
            override class var storageName: String { "ByHand" }
            override func writeContent(to buffer: DataBuffer) { buffer.writeInt32(number) }
            override func readContent(from buffer: DataBuffer) throws {
                number = try buffer.readInt32()
            }
        }
    }
    enum After {
        final class Item: StoredObject {
            @Field var number = 0
            @Field var double = 0
            @One var partner: Item?
            override class var storageName: String { "Item" }
            override class var version: UInt8 { 2 }
            override func upgrade(from record: RawRecord) throws {
                double = number * 2
                if number % 10 == 0 {
                    let other = Item()
                    other.number = -number
                    partner = other
                }
            }
        }
        final class ByHand: StoredObject {
            var number: Int32 = 0
            override class var storageName: String { "ByHand" }
            override class var version: UInt8 { 2 }
            override func writeContent(to buffer: DataBuffer) { buffer.writeInt64(Int64(number)) }
            override func readContent(from buffer: DataBuffer) throws {
                number =
                    buffer.versionOfData == 2
                    ? Int32(truncatingIfNeeded: try buffer.readInt64()) : try buffer.readInt32()
            }
        }
    }

    @Test func upgradesAreTold() throws {
        let backend = MemoryBackend()
        do {
            let store = try Store(backend: backend, classes: [Before.Item.self])
            for number in 1...50 {
                let item = Before.Item()
                item.number = number
                store.insert(item)
            }
            try store.save()
        }
        let store = try Store(backend: backend, classes: [After.Item.self])
        let mirror = try RecordMirror(backend)
        try mirror.register(with: store)
        // One is read and pending before the others are upgraded.
        #expect(try store.object(After.Item.self, rowID: 3)?.double == 4)
        try store.upgradeAll()
        try store.save()
        #expect(try mirror.isUpToDate())
        #expect(try store.count(of: After.Item.self) == 55)
    }

    @Test func classesThatAreRewrittenAtOnceAreTold() throws {
        let backend = MemoryBackend()
        do {
            let store = try Store(
                backend: backend, classes: [Before.ByHand.self], versioning: .perClass)
            for number in 1...20 {
                let item = Before.ByHand()
                item.number = Int32(number)
                store.insert(item)
            }
            try store.save()
        }
        let store = try Store(backend: backend, classes: [After.ByHand.self])
        let mirror = try RecordMirror(backend)
        try mirror.register(with: store)
        let item = try #require(try store.object(After.ByHand.self, rowID: 4))
        item.willChange()
        item.number = 400
        try store.save()
        #expect(try mirror.isUpToDate())
        #expect(try store.objects(of: After.ByHand.self).map(\.number).reduce(0, +) == 607)
    }

    // MARK: Several stores

    @Test func whatOneStoreRegisteredAnotherKeeps() throws {
        let backend = MemoryBackend()
        let first = try Store(backend: backend, classes: [Song.self])
        let second = try Store(backend: backend, classes: [Song.self])
        let mirror = try RecordMirror(backend)
        try mirror.register(with: first)
        second.insert(Song("from the second"))
        try second.save()
        let third = try Store(backend: backend, classes: [Song.self])
        try #require(try third.objects(of: Song.self).first).title = "by the third"
        try third.save()
        #expect(try mirror.isUpToDate())
    }

    /// Its class does not say that it tracks its referrers, and the table stays right all the same.
    @Test func aStoreThatDoesNotTrackReferrersKeepsThoseOfOneThatDoes() throws {
        let backend = MemoryBackend()
        let tracking = try Store(
            backend: backend, classes: [Tracking.Target.self, Tracking.Owner.self])
        let target = Tracking.Target()
        tracking.insert(target)
        try tracking.save()
        let plain = try Store(backend: backend, classes: [Plain.Target.self, Plain.Owner.self])
        let owner = Plain.Owner()
        owner.target = try plain.objects(of: Plain.Target.self).first
        plain.insert(owner)
        try plain.save()
        try tracking.refresh()
        #expect(try tracking.referrers(of: target).count == 1)
        owner.target = nil
        try plain.save()
        try tracking.refresh()
        #expect(try tracking.referrers(of: target).isEmpty)
    }

    /// Opened between two saves of another store, it must notice the second one.
    @Test func aStoreHearsOfATableThatAnotherHasMadeSinceItsLastSave() throws {
        let backend = MemoryBackend()
        let first = try Store(backend: backend, classes: [Plain.Target.self, Plain.Owner.self])
        let (owner, goal) = (Plain.Owner(), Plain.Target())
        first.insert(owner)
        first.insert(goal)
        try first.save()
        let second = try Store(
            backend: backend, classes: [Tracking.Target.self, Tracking.Owner.self])
        owner.target = goal
        try first.save()
        #expect(try backend.tables().contains { $0.name == ReferrerTable.tableName })
        let target = try #require(try second.objects(of: Tracking.Target.self).first)
        second.insert(Tracking.Owner())
        try second.save()
        #expect(try second.referrers(of: target).count == 1)
        owner.target = nil
        try first.save()
        try second.refresh()
        #expect(try second.referrers(of: target).isEmpty)
    }

    /// Between, a program that does not track the class deletes an owner, twice opened so that it
    /// knows nothing of the table any more.
    @Test func aClassThatIsTrackedAgainHasNoReferrersThatAreGone() throws {
        let backend = MemoryBackend()
        func open(_ classes: [StoredObject.Type]) throws -> Store {
            try Store(backend: backend, classes: classes)
        }
        let tracking: [StoredObject.Type] = [Tracking.Target.self, Tracking.Owner.self]
        let plain: [StoredObject.Type] = [Plain.Target.self, Plain.Owner.self]
        try { () throws in
            let store = try open(tracking)
            let target = Tracking.Target()
            for _ in 0..<2 {
                let owner = Tracking.Owner()
                owner.target = target
                store.insert(owner)
            }
            try store.save()
        }()
        try { () throws in
            let store = try open(plain)
            try #require(try store.objects(of: Plain.Target.self).first).number = 1
            try store.save()
        }()
        try { () throws in
            let store = try open(plain)
            try store.delete(try #require(try store.objects(of: Plain.Owner.self).first))
            try store.save()
        }()
        let store = try open(tracking)
        let target = try #require(try store.objects(of: Tracking.Target.self).first)
        target.number = 2
        try store.save()
        #expect(try store.referrers(of: target).count == 1)
    }

    enum Tracking {
        final class Target: StoredObject {
            @Field var number = 0
            override class var storageName: String { "Target" }
            override class var tracksReferrers: Bool { true }
        }
        final class Owner: StoredObject {
            @One var target: Target?
            override class var storageName: String { "Owner" }
        }
    }
    enum Plain {
        final class Target: StoredObject {
            @Field var number = 0
            override class var storageName: String { "Target" }
        }
        final class Owner: StoredObject {
            @One var target: Target?
            override class var storageName: String { "Owner" }
        }
    }

    @Test func theLastStoreThatIsClosedClosesTheBackend() throws {
        let backend = MemoryBackend()
        let first = try Store(backend: backend, classes: [Song.self])
        var second: Store? = try Store(backend: backend, classes: [Song.self])
        try first.close()
        try first.close()
        second?.insert(Song("still open"))
        try second?.save()
        let third = try Store(backend: backend, classes: [Song.self])
        // A store that is freed without being closed leaves the backend open for its other holders.
        second = nil
        #expect(try third.count(of: Song.self) == 1)
        try third.close()
        #expect(throws: BackendError.closed) { try backend.tables() }
    }
}
