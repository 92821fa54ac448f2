import Cabinet
import Foundation
import TrustSupport

@testable import CabinetTestModel

/// A graph of any shape, with every kind of relationship, and what it looks like by names alone.
final class Knot: StoredObject {
    @Field var name = ""
    @Field var weight = 0.0
    @Field var seen: Date?
    @One var next: Knot?
    @Many var loose: [Knot]
    @Many(inverse: \Knot.groups) var members: [Knot]
    @Many var groups: [Knot]
    @One var parent: Knot?
    @Many(inverse: \Knot.parent) var children: [Knot]
    @One var thing: StoredThing?
}

class StoredThing: StoredObject {
    @Field var label = ""
    @Many(inverse: \Knot.thing) var knots: [Knot]
}
final class HeavyThing: StoredThing {
    @Field var tons: Int128 = 0
}

let exchangeClasses: [StoredObject.Type] = [
    Knot.self, StoredThing.self, HeavyThing.self, Everything.self, Sampler.self,
]

enum ExchangedGraph {
    /// Fills `store` with a graph that is the same for the same seed; some of it is saved, deleted,
    /// or pending.
    static func fill(_ store: Store, seed: UInt64, count: Int = 40) throws {
        var random = SeededRandom(seed: seed)
        var knots: [Knot] = []
        var things: [StoredThing] = []
        for number in 0..<count {
            let knot = Knot()
            knot.name = "knot \(number)"
            knot.weight = [0.1, -0.0, 1e300, .infinity, 1.0 / 3][number % 5]
            knot.seen =
                number % 3 == 0
                ? nil
                : Date(
                    timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random))
            store.insert(knot)
            knots.append(knot)
            let thing = number % 2 == 0 ? StoredThing() : HeavyThing()
            thing.label = "thing \(number) \"\\ \u{1} ä 🎵"
            (thing as? HeavyThing)?.tons = .max - Int128(number)
            store.insert(thing)
            things.append(thing)
        }
        func some() -> [Knot] {
            Array(knots.shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)))
        }
        for knot in knots {
            knot.next = knots.randomElement(using: &random)
            knot.loose = some() + some()
            knot.members = some()
            knot.children.append(contentsOf: some().prefix(1))
            knot.thing = things.randomElement(using: &random)
            if Bool.random(using: &random) { knot.groups.shuffle(using: &random) }
        }
        for index in 0..<count / 10 { try store.delete(knots[index * 7 % count]) }
        if Bool.random(using: &random) { try store.save() }
        for knot in some() where !knot.isDeleted { try store.delete(knot) }
        let everything = Everything()
        everything.fill()
        store.insert(everything)
        store.insert(Everything())
        store.insert(sampler())
    }

    private static func sampler() -> Sampler {
        let one = Sampler()
        (one.uint, one.uint128, one.int64, one.int128) = (.max, .max, .min, .min)
        (one.flag, one.float, one.bytes) = (false, -0.0, Data())
        one.amount = Decimal(string: "0.1")
        (one.key, one.other, one.keys) = (.major, .minor, [.major, .minor])
        (one.keySet, one.byKey, one.named) = ([.major], [.minor: 7], ["a\"": .major])
        (one.tempo, one.tempi, one.maybe) = (.fast, [.fast], [nil, .slow])
        one.byTempo = [.slow: [.fast, .slow]]
        one.dates = [Date(timeIntervalSinceReferenceDate: 0.25), .distantPast, .distantFuture]
        one.links = [URL(string: "https://example.org/ä?b")].compactMap { $0 }.reduce(into: []) {
            $0.insert($1)
        }
        one.table = [
            UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID(): [nil, 1.5]
        ]
        return one
    }

    /// All that can be seen of the objects, without rows.
    static func summary(_ store: Store) throws -> [String] {
        // A reference to an object whose delete is pending is not written.
        func names(_ knots: [Knot]) -> String {
            knots.filter { !$0.isDeleted }.map(\.name).joined(separator: ",")
        }
        var lines = try store.objects(of: Knot.self).map { knot in
            "\(knot.name) \(knot.weight) \(knot.seen?.timeIntervalSinceReferenceDate as Any) "
                + "next \(names(knot.next.map { [$0] } ?? [])) loose \(names(knot.loose)) "
                + "members \(names(knot.members)) groups \(names(knot.groups)) "
                + "parent \(knot.parent?.name as Any) children \(names(knot.children)) "
                + "thing \(knot.thing?.label as Any)"
        }
        lines += try store.objects(of: StoredThing.self).map {
            "\($0.label) \(names($0.knots))"
        }
        lines += try store.objects(of: HeavyThing.self).map {
            "\($0.label) \($0.tons) \(names($0.knots))"
        }
        lines += try store.objects(of: Everything.self).map { one in
            "\(one.bool) \(one.int8) \(one.uint64) \(one.int) \(one.float) \(one.double) \(one.text) "
                + "\(Array(one.data)) \(one.date.timeIntervalSinceReferenceDate) "
                + "\(one.uuid as Any) \(one.url as Any) \(one.decimal) \(one.genre) "
                + "\(one.mood as Any) \(one.moods) \(one.price) \(one.prices) \(one.place) "
                + "\(one.birthplace as Any) \(one.places) \(one.numbers) \(one.tags.sorted()) "
                + "\(one.counts.sorted { $0.key < $1.key })"
        }
        lines += try store.objects(of: Sampler.self).map { one in
            "\(one.uint) \(one.uint128) \(one.int64) \(one.int128) \(one.flag as Any) "
                + "\(one.float as Any) \(one.bytes as Any) \(one.amount as Any) \(one.key) "
                + "\(one.other as Any) \(one.keys) \(one.keySet) \(one.byKey) \(one.named) "
                + "\(one.tempo) \(one.tempi) \(one.maybe) \(one.byTempo) "
                + "\(one.dates.map(\.timeIntervalSinceReferenceDate)) \(one.links) \(one.table)"
        }
        return lines.sorted()
    }
}
