import Foundation
import Testing

@testable import Cabinet

/// The kinds of one album: their order in keys is that of their raw values.
enum BindingKind: String, OrderedKeyValue, Comparable {
    case paper, cloth, leather

    static func < (one: BindingKind, other: BindingKind) -> Bool { one.rawValue < other.rawValue }
}

/// A value of two parts in a key.
struct ShelfMark: Hashable, Codable, OrderedKeyValue, Comparable {
    var room = 0
    var board = 0

    func write(to key: inout OrderedKeyBuilder) {
        key.append(room)
        key.append(board)
    }

    static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> ShelfMark {
        ShelfMark(room: try key.read(Int.self), board: try key.read(Int.self))
    }

    static func < (one: ShelfMark, other: ShelfMark) -> Bool {
        (one.room, one.board) < (other.room, other.board)
    }
}

/// An object of which every field has values that many share.
final class BoundVolume: StoredObject {
    @Field var binding = BindingKind.paper
    @Field var former: BindingKind?
    @Field var price = 0.0
    @Field var bound = Date(timeIntervalSinceReferenceDate: 0)
    @Field var rent = Decimal(0)
    @Field var mark = ShelfMark()
    @Field var year = 0

    override class var indexes: [Index] {
        [
            .ordered(\BoundVolume.binding), .ordered(\BoundVolume.former),
            .ordered(\BoundVolume.price), .ordered(\BoundVolume.bound),
            .ordered(\BoundVolume.rent), .ordered(\BoundVolume.mark),
            .ordered(\BoundVolume.year, \BoundVolume.binding),
        ]
    }
}

@Suite("Groups of every kind of value")
struct GroupKindTests {
    let store: Store

    init() throws {
        store = try Store(inMemory: [BoundVolume.self])
        let kinds: [BindingKind] = [.paper, .leather, .cloth]
        for number in 0..<3000 {
            let volume = BoundVolume()
            volume.binding = kinds[number % 3]
            volume.former = number % 4 == 0 ? nil : kinds[number % 2]
            volume.price =
                number % 10 == 0 ? (number % 20 == 0 ? -0.0 : 0.0) : Double(number % 10) / 4
            volume.bound = Date(timeIntervalSinceReferenceDate: Double(number % 7) * 86_400.5)
            volume.rent = Decimal(number % 5) / 10
            volume.mark = ShelfMark(room: number % 2, board: number % 6)
            volume.year = 1900 + number % 2
            store.insert(volume)
        }
        try store.save()
    }

    /// Expects what plain Swift makes of the objects, and that keys answer.
    private func expect<Key: Hashable & Comparable & Sendable>(
        _ path: KeyPath<BoundVolume, Key> & Sendable, isAlone: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let expected = Dictionary(grouping: try store.objects(of: BoundVolume.self)) {
            $0[keyPath: path]
        }
        let groups = try store.query(BoundVolume.self).groups(by: path, .count)
        #expect(groups.count == expected.count, sourceLocation: sourceLocation)
        for group in groups {
            #expect(
                group.results == expected[group.key]?.count, "\(group.key)",
                sourceLocation: sourceLocation)
        }
        #expect(
            Set(try store.query(BoundVolume.self).distinctValues(of: path)) == Set(expected.keys),
            sourceLocation: sourceLocation)
        let plan = try store.query(BoundVolume.self).explainGroups(by: path, .count)
        #expect(
            plan.description.contains("from the index alone") == isAlone, "\(plan)",
            sourceLocation: sourceLocation)
    }

    @Test("enums, numbers, dates, decimals and values of one's own are counted by their keys")
    func kinds() throws {
        try expect(\.binding)
        try expect(\.price)
        try expect(\.bound)
        try expect(\.rent)
        // A `Codable` value is asked of objects.
        try expect(\.mark, isAlone: false)
        let former = try store.query(BoundVolume.self).groups(by: \.former, .count)
        let all = Dictionary(grouping: try store.objects(of: BoundVolume.self), by: \.former)
        #expect(former.count == all.count)
        #expect(former.allSatisfy { $0.results == all[$0.key]?.count })
    }

    @Test("pending objects are in the groups, and 0 is as the first record has it")
    func pendingObjects() throws {
        for volume in try store.fetch(BoundVolume.self, where: #Predicate { $0.price == 0.5 })
        where volume.rowID.rawValue % 3 == 0 {
            volume.binding = .leather
            volume.price = 9
            volume.mark = ShelfMark(room: 7, board: 7)
        }
        try expect(\.binding)
        try expect(\.price)
        try expect(\.mark, isAlone: false)
        let zero = try #require(
            try store.query(BoundVolume.self).distinctValues(of: \.price).first { $0 == 0 })
        #expect(zero.sign == .minus)
    }

    @Test("a condition on an earlier column leaves groups of the next")
    func laterColumns() throws {
        let groups = try store.query(BoundVolume.self).filter(#Predicate { $0.year == 1901 })
            .groups(by: \.binding, .count)
        let expected = Dictionary(
            grouping: try store.objects(of: BoundVolume.self).filter { $0.year == 1901 },
            by: \.binding)
        #expect(groups.count == 3)
        #expect(groups.allSatisfy { expected[$0.key]?.count == $0.results })
    }

    @Test("what is no number is a group of its own each time")
    func notANumber() throws {
        let some = try store.fetch(BoundVolume.self, where: #Predicate { $0.price == 0.25 })
        for volume in some[..<3] { volume.price = .nan }
        try store.save()
        let groups = try store.query(BoundVolume.self).groups(by: \.price, .count)
        #expect(groups.count { $0.key.isNaN } == 3)
        #expect(groups.reduce(0) { $0 + $1.results } == 3000)
    }
}
