import Cabinet
import Foundation

/// An enum that records keep by its raw value.
package enum SpecimenKind: Int32, CaseIterable, Codable, Sendable, OrderedKeyValue {
    case plain, odd, rare
}

/// Where a specimen comes from.
package final class SpecimenSource: StoredObject {
    @Field package var name = ""

    override package class var indexes: [Index] { [.ordered(\SpecimenSource.name)] }
}

/// An object with fields of all kinds that queries may ask for.
package final class Specimen: StoredObject {
    @Field package var title = ""
    @Field package var subtitle: String?
    @Field package var year = 0
    @Field package var rating: Int32 = 0
    @Field package var code: UInt8 = 0
    @Field package var weight: Int64 = 0
    @Field package var plays: UInt64?
    @Field package var score = 0.0
    @Field package var tempo: Float = 0
    @Field package var level: Double?
    @Field package var released = Date(timeIntervalSinceReferenceDate: 0)
    @Field package var seen: Date?
    @Field package var isLive = false
    @Field package var kind = SpecimenKind.plain
    @Field package var tags: [String] = []
    @Field package var number = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    @Field package var price: Decimal = 0
    @Field package var bytes = Data()
    @One package var source: SpecimenSource?
    @Many package var friends: [SpecimenSource]

    // Of every kind, so that each condition and each order finds some that it may or may not use.
    override package class var indexes: [Index] {
        [
            .ordered(\Specimen.title, \Specimen.year),
            .ordered(\Specimen.title, collation: .caseInsensitive),
            .ordered(\Specimen.title, collation: .binary),
            .ordered(\Specimen.subtitle, \Specimen.score),
            .ordered(\Specimen.subtitle, collation: .numeric),
            .ordered(\Specimen.year),
            .ordered(\Specimen.isLive, \Specimen.rating, \Specimen.code),
            .ordered(\Specimen.weight),
            .ordered(\Specimen.plays, \Specimen.level),
            .ordered(\Specimen.score),
            .ordered(\Specimen.tempo, \Specimen.title),
            .ordered(\Specimen.level),
            .ordered(\Specimen.released, \Specimen.seen),
            .ordered(\Specimen.seen),
            .ordered(\Specimen.kind),
            .ordered(\Specimen.number, \Specimen.price, \Specimen.bytes),
            .ordered(\Specimen.price),
            .ordered(\Specimen.rating, named: "rated", where: { $0.rating > 0 }),
            .elements(of: \Specimen.tags),
            .ordered(\Specimen.source),
            .elements(of: \Specimen.friends),
        ]
    }

    /// No field, though it reads one.
    package var loudTitle: String {
        get { title + "!" }
        set { title = newValue }
    }
}

/// The content of a specimen, as plain values.
package struct SpecimenValues: Hashable, Sendable {
    var title = ""
    var subtitle: String?
    var year = 0
    var rating: Int32 = 0
    var code: UInt8 = 0
    var weight: Int64 = 0
    var plays: UInt64?
    var score = 0.0
    var tempo: Float = 0
    var level: Double?
    var released = Date(timeIntervalSinceReferenceDate: 0)
    var seen: Date?
    var isLive = false
    var kind = SpecimenKind.plain
    var tags: [String] = []
    var number = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var price: Decimal = 0
    var bytes = Data()
    var source: String?
    var friends: Set<String> = []

    /// Random values, from small pools, so that conditions find something.
    init(_ random: inout SeededRandom) {
        func pick<Value>(_ pool: [Value]) -> Value { pool[random.below(pool.count)] }
        title = pick(SpecimenPools.texts)
        subtitle = random.once(in: 3) ? nil : pick(SpecimenPools.texts)
        year = pick(SpecimenPools.years)
        rating = pick(SpecimenPools.ratings)
        code = pick(SpecimenPools.codes)
        weight = pick(SpecimenPools.weights)
        plays = random.once(in: 3) ? nil : pick(SpecimenPools.plays)
        score = pick(SpecimenPools.scores)
        tempo = pick(SpecimenPools.tempos)
        level = random.once(in: 3) ? nil : pick(SpecimenPools.scores)
        released = pick(SpecimenPools.dates)
        seen = random.once(in: 3) ? nil : pick(SpecimenPools.dates)
        isLive = random.once(in: 2)
        kind = pick(SpecimenKind.allCases)
        tags = (0..<random.below(3)).map { _ in pick(SpecimenPools.texts) }
        number = pick(SpecimenPools.numbers)
        price = pick(SpecimenPools.prices)
        bytes = pick(SpecimenPools.bytes)
        source = random.once(in: 3) ? nil : pick(SpecimenPools.sources)
        friends = Set((0..<random.below(3)).map { _ in pick(SpecimenPools.sources) })
    }

    /// Gives `object` the values, and one of `sources`.
    func set(_ object: Specimen, _ sources: [String: SpecimenSource]) {
        object.title = title
        object.subtitle = subtitle
        object.year = year
        object.rating = rating
        object.code = code
        object.weight = weight
        object.plays = plays
        object.score = score
        object.tempo = tempo
        object.level = level
        object.released = released
        object.seen = seen
        object.isLive = isLive
        object.kind = kind
        object.tags = tags
        object.number = number
        object.price = price
        object.bytes = bytes
        object.source = source.flatMap { sources[$0] }
        object.friends = friends.sorted().compactMap { sources[$0] }
    }
}

/// What random values and the constants of conditions are taken from.
enum SpecimenPools {
    static let texts = [
        "", "a", "A", "b", "ab", "abc", "Track 9", "Track 10", "é", "e\u{301}", "e", "\u{212A}",
        "K", "k", "日本", "z\u{301}\u{323}", "z\u{323}\u{301}", "~", "\u{37E}", ";",
        "a text that takes more than fifteen bytes", "a text that takes more than fifteen bytez",
    ]
    static let years = [-5, 0, 1, 1949, 1950, 1960, 1961, 1999, 2000, 3000]
    static let ratings: [Int32] = [.min, -1, 0, 1, 2, 3, .max]
    static let codes: [UInt8] = [0, 1, 127, 128, 255]
    static let weights: [Int64] = [.min, -1, 0, 1, 1 << 40, 1 << 53 + 1, .max]
    static let plays: [UInt64] = [0, 1, 2, 1 << 63, .max]
    static let scores: [Double] = [
        .nan, -.infinity, -1, -0.0, 0, 0.1, 1, 1.5, 0x1p53, 0x1p63, .infinity,
    ]
    static let tempos: [Float] = [.nan, -.infinity, -0.0, 0, 0.1, 1.5, 1e30]
    static let dates = [-1e9, -1, 0, 0.5, 1, 1e9].map { Date(timeIntervalSinceReferenceDate: $0) }
    static let numbers = (0..<4).map { number in
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
    }
    static let prices = [0, 1, -1, 10].map { Decimal($0) / 4 }
    static let bytes = [Data(), Data([0]), Data([0, 1]), Data([255])]
    static let sources = ["Ann", "Bob", "Cid", "Dan"]
}
