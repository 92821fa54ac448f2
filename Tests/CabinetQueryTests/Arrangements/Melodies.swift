import CabinetBackend
import Testing
import TrustSupport

@testable import Cabinet

/// With arrangements that a subclass inherits.
class Melody: StoredObject {
    @Field var title = ""
    @Field var artist: String?
    @Field var year = 0
    @Field var rating = 0
    @Field var plays = 0

    static let byArtist = Arrangement.arranged(
        \Melody.title, \Melody.year, groupedBy: \Melody.artist, named: "byArtist")
    static let rated = Arrangement.arranged(
        \Melody.title, collation: .caseInsensitive, groupedBy: \Melody.year,
        where: { $0.rating > 2 }, named: "rated")
    static let byDecade = Arrangement.computed(
        named: "byDecade", groupedBy: { (melody: Melody) in melody.year / 10 }, by: { $0.year })

    override class var arrangements: [Arrangement] {
        [
            byArtist, rated, byDecade,
            rated.filtered(named: "best") { (melody: Melody) in melody.rating > 4 },
        ]
    }
    override class var storageName: String { "Arranged_Melody" }
}

final class LongMelody: Melody {
    @Field var parts = 0
    override class var storageName: String { "Arranged_LongMelody" }
}

/// Another class in the arrangement `byDecade`, by properties of other names.
final class Reel: StoredObject {
    @Field var shot = 0
    @Field var length = 0.0

    override class var arrangements: [Arrangement] {
        [
            .computed(
                named: "byDecade", groupedBy: { (reel: Reel) in reel.shot / 10 }, by: { $0.shot })
        ]
    }
    override class var storageName: String { "Arranged_Reel" }
}

/// What an arrangement should be: an array of all objects, sorted and grouped by plain Swift.
struct ArrangementTruth<Key: Hashable & OrderedKeyValue, Object: StoredObject> {
    let groups: [(key: Key, objects: [Object])]

    init(
        _ objects: [Object], groupedBy group: (Object) -> Key, in before: (Key, Key) -> Bool,
        by isBefore: (Object, Object) -> Bool?
    ) {
        let sorted = objects.sorted { one, other in
            isBefore(one, other) ?? (one.place < other.place)
        }
        groups = Dictionary(grouping: sorted, by: group).sorted { before($0.key, $1.key) }
            .map { ($0.key, $0.value) }
    }

    /// Expects the same of every question to an arrangement.
    func expect(
        _ found: ArrangedObjects<Key, Object>, _ random: inout SeededRandom,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let listed = try found.groups()
        #expect(listed.map(\.key) == groups.map(\.key), sourceLocation: sourceLocation)
        #expect(
            listed.map(\.count) == groups.map(\.objects.count), sourceLocation: sourceLocation)
        #expect(
            try found.count() == groups.reduce(0) { $0 + $1.objects.count },
            sourceLocation: sourceLocation)
        for (key, objects) in groups {
            #expect(try found.objects(in: key) == objects, sourceLocation: sourceLocation)
            guard random.once(in: 3) else { continue }
            #expect(try found.count(in: key) == objects.count, sourceLocation: sourceLocation)
            #expect(try found.first(in: key) == objects.first, sourceLocation: sourceLocation)
            #expect(try found.last(in: key) == objects.last, sourceLocation: sourceLocation)
            let place = random.below(objects.count + 1)
            #expect(
                try found.object(at: place, in: key)
                    == (place < objects.count ? objects[place] : nil),
                sourceLocation: sourceLocation)
            let end = place + random.below(4)
            #expect(
                try found.objects(in: key, at: place..<end)
                    == Array(objects.dropFirst(place).prefix(end - place)),
                sourceLocation: sourceLocation)
            guard place < objects.count else { continue }
            let index = try found.index(of: objects[place])
            #expect(
                index?.group == key && index?.index == place, "\(String(describing: index))",
                sourceLocation: sourceLocation)
        }
    }
}

extension StoredObject {
    /// The row, and the class for rows that are equal.
    fileprivate var place: UInt64 {
        UInt64(rowID.rawValue) << 8 | UInt64(storedClass?.number ?? 0)
    }
}

extension Store {
    var melodies: [Melody] {
        get throws { try fetch(ObjectQuery<Melody>(includingSubclasses: true)) }
    }

    func byArtist() throws -> ArrangedObjects<String?, Melody> {
        try indexes.arrangement("byArtist", of: Melody.self, groupedBy: String?.self)
    }

    /// Expects that all arrangements of melodies and reels are as fetches say.
    func expectArrangements(
        _ random: inout SeededRandom, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let melodies = try melodies
        func optional(_ one: String?, _ other: String?) -> Bool {
            other.map { other in one.map { $0 < other } ?? true } ?? false
        }
        try ArrangementTruth(melodies, groupedBy: \.artist, in: optional) { one, other in
            one.title != other.title
                ? one.title < other.title : one.year != other.year ? one.year < other.year : nil
        }.expect(byArtist(), &random, sourceLocation: sourceLocation)
        for (name, least) in [("rated", 3), ("best", 5)] {
            let rated = melodies.filter { $0.rating >= least }
            try ArrangementTruth(rated, groupedBy: \.year, in: <) { one, other in
                let (left, right) = (one.title.lowercased(), other.title.lowercased())
                return left == right ? nil : left < right
            }.expect(
                indexes.arrangement(name, of: Melody.self, groupedBy: Int.self), &random,
                sourceLocation: sourceLocation)
        }
        let all: [StoredObject] = try fetch(Melody.self) + fetch(Reel.self)
        func year(_ object: StoredObject) -> Int {
            (object as? Melody)?.year ?? (object as? Reel)?.shot ?? 0
        }
        try ArrangementTruth(all, groupedBy: { year($0) / 10 }, in: <) {
            year($0) == year($1) ? nil : year($0) < year($1)
        }.expect(
            indexes.arrangement(
                "byDecade", ofClasses: [Melody.self, Reel.self], groupedBy: Int.self),
            &random, sourceLocation: sourceLocation)
    }
}
