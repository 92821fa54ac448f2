import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet

/// Programs of different versions of a class that save to one store, in any order.
struct VersionsBesideTests {
    private enum Old {
        final class Account: StoredObject {
            @Field var balance: Int64 = 0
            @Field var memo = ""
        }
        final class Price: StoredObject {
            @Field var price: Int32 = 0
        }
    }

    private enum New {
        final class Account: StoredObject {
            override class var version: UInt8 { 2 }
            @Field var balance: Int64 = 0
        }
        final class Price: StoredObject {
            override class var version: UInt8 { 2 }
            @Field var price = ""

            override func upgrade(from record: RawRecord) throws {
                price = "\(try record.value("price", as: Int32.self) ?? 0)"
            }
        }
    }

    private enum Next {
        final class Account: StoredObject {
            override class var version: UInt8 { 2 }
            @Field var balance: Int64 = 0
            @Field var memo = ""
            @Field var note = ""
        }
    }

    private let backend = MemoryBackend()

    private func open(_ type: StoredObject.Type) throws -> Store {
        try Store(backend: backend, classes: [type])
    }

    /// Once, what the older program saved read as 0 in the newer one; and what the newer one saved, in the next.
    @Test func valuesOfAnOlderProgramAreReadWhoeverSavedFirst() throws {
        var store = try open(New.Account.self)
        let first = New.Account()
        first.balance = 1
        store.insert(first)
        try store.save()
        store = try open(Old.Account.self)
        let second = Old.Account()
        (second.balance, second.memo) = (2, "two")
        store.insert(second)
        try store.save()
        store = try open(New.Account.self)
        #expect(try store.objects(of: New.Account.self).map(\.balance) == [1, 2])
        store = try open(Next.Account.self)
        let all = try store.objects(of: Next.Account.self)
        #expect(all.map(\.balance) == [1, 2] && all.map(\.memo) == ["", "two"])
        let third = Next.Account()
        third.balance = 3
        store.insert(third)
        try store.save()
        #expect(store.debugReport.unclaimedFields.isEmpty)
        store = try open(New.Account.self)
        #expect(try store.objects(of: New.Account.self).map(\.balance) == [1, 2, 3])
    }

    /// Once, its layout counted as newer, as it was saved later: an error for ever.
    @Test func recordsOfAnOlderProgramAreUpgradedWhoeverSavedFirst() throws {
        var store = try open(New.Price.self)
        let first = New.Price()
        first.price = "1"
        store.insert(first)
        try store.save()
        store = try open(Old.Price.self)
        let second = Old.Price()
        second.price = 2
        store.insert(second)
        try store.save()
        let row = second.rowID
        store = try open(New.Price.self)
        #expect(try store.objects(of: New.Price.self).map(\.price) == ["1", "2"])
        try store.upgradeAll()
        try store.save()
        store = try open(Old.Price.self)
        #expect(throws: StoreError.self) { try store.object(Old.Price.self, rowID: row) }
    }

    // MARK: Random programs

    private enum A {
        final class Part: StoredObject {
            override class var version: UInt8 { 1 }
            @Field var a = 0
            @Field var b = 0
        }
    }
    private enum B {
        final class Part: StoredObject {
            override class var version: UInt8 { 1 }
            @Field var b = 0
            @Field var c = 0
        }
    }
    private enum C {
        final class Part: StoredObject {
            override class var version: UInt8 { 2 }
            @Field var c = 0
            @Field var a = 0
            @Field var d = 0
        }
    }
    private enum D {
        final class Part: StoredObject {
            override class var version: UInt8 { 2 }
            @Field var d = 0
            @Field var b = 0
        }
    }
    private enum E {
        final class Part: StoredObject {
            override class var version: UInt8 { 3 }
            @Field var a = 0
            @Field var b = 0
            @Field var c = 0
            @Field var d = 0
        }
    }

    private static let programs: [(type: StoredObject.Type, names: [String])] = [
        (A.Part.self, ["a", "b"]), (B.Part.self, ["b", "c"]), (C.Part.self, ["c", "a", "d"]),
        (D.Part.self, ["d", "b"]), (E.Part.self, ["a", "b", "c", "d"]),
    ]

    /// What one saves under a name, each whose version is as high reads under it.
    @Test(arguments: RunSetting.seeds(400))
    func whatOneSavesOthersRead(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let backend = MemoryBackend()
        var saved: [(row: RowID, version: UInt8, values: [String: Int])] = []
        for step in 1...1 + random.below(8) {
            let program = Self.programs[random.below(Self.programs.count)]
            let store = try Store(backend: backend, classes: [program.type])
            for (row, version, values) in saved where version <= program.type.version {
                let object = try #require(try store.object(program.type, rowID: row))
                let frozen = try object.frozen()
                for name in program.names {
                    let expected = FieldValue.integer(Int128(values[name] ?? 0))
                    #expect(frozen[name] == expected, "seed \(seed), step \(step), \(name)")
                }
            }
            let (object, values) = Self.make(program.type, step)
            store.insert(object)
            try store.save()
            saved.append((object.rowID, program.type.version, values))
        }
    }

    private static func make(
        _ type: StoredObject.Type, _ step: Int
    ) -> (StoredObject, [String: Int]) {
        let (a, b, c, d) = (step * 10 + 1, step * 10 + 2, step * 10 + 3, step * 10 + 4)
        switch type.init() {
        case let part as A.Part:
            (part.a, part.b) = (a, b)
            return (part, ["a": a, "b": b])
        case let part as B.Part:
            (part.b, part.c) = (b, c)
            return (part, ["b": b, "c": c])
        case let part as C.Part:
            (part.a, part.c, part.d) = (a, c, d)
            return (part, ["a": a, "c": c, "d": d])
        case let part as D.Part:
            (part.b, part.d) = (b, d)
            return (part, ["b": b, "d": d])
        case let part as E.Part:
            (part.a, part.b, part.c, part.d) = (a, b, c, d)
            return (part, ["a": a, "b": b, "c": c, "d": d])
        case let other: return (other, [:])
        }
    }
}
