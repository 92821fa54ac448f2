import Foundation
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// What a disc is in.
final class DescribedSleeve: StoredObject {
    @Field var name = ""

    override class var storageName: String { "Sleeve" }
    override class var indexes: [Index] { [.unique(\DescribedSleeve.name)] }
}

enum DescribedKind: Int32, CaseIterable, Codable, OrderedKeyValue {
    case single, album, live
}

/// A class with an index and a text index of every kind.
final class DescribedDisc: StoredObject {
    @Field var title = ""
    @Field var notes: String?
    @Field var year = 0
    @Field var rating = 0.0
    @Field var level: Float?
    @Field var released: Date?
    @Field var number: UInt128 = 0
    @Field var price: Decimal = 0
    @Field var kind = DescribedKind.album
    @Field var isLive = false
    @Field var code: UUID?
    @Field var tags: [String] = []
    @One var sleeve: DescribedSleeve?

    override class var storageName: String { "Disc" }

    override class var indexes: [Index] {
        [
            .ordered(\DescribedDisc.title, \DescribedDisc.year),
            .ordered(\DescribedDisc.title, collation: .caseInsensitive),
            .ordered(\DescribedDisc.notes, collation: .numeric),
            .ordered(\DescribedDisc.notes),
            .ordered(\DescribedDisc.rating),
            .ordered(\DescribedDisc.level, \DescribedDisc.isLive, \DescribedDisc.kind),
            .ordered(\DescribedDisc.released),
            .ordered(\DescribedDisc.price),
            .unique(\DescribedDisc.number),
            .unique(\DescribedDisc.code),
            .ordered(\DescribedDisc.sleeve),
            .elements(of: \DescribedDisc.tags),
            .ordered(\DescribedDisc.year, named: "late", where: { $0.year > 2000 }),
            .computed(named: "decade") { (disc: DescribedDisc) in disc.year / 10 },
        ]
    }

    override class var textIndexes: [TextIndex] {
        [
            .text(\DescribedDisc.title), .text(\DescribedDisc.notes, tokenizer: .substring),
            .computed(named: "both") { (disc: DescribedDisc) in disc.title + (disc.notes ?? "") },
        ]
    }

    static let shared = SharedIndex<String>(named: "media")
        .including(DescribedDisc.self) { $0.title }
        .including(DescribedSleeve.self) { $0.name }

    // MARK: Random content

    static let numbers: [Double] = [-3, -1, -0.0, 0, 0.5, 1, 2, 1e9, .infinity, -.infinity, .nan]
    static let dates = numbers.map { Date(timeIntervalSinceReferenceDate: $0) }
    static let prices: [Decimal] = [-1, 0, 0.1, 1, 25, .nan]
    static let names = ["", "a", "B", "b", "é", "e\u{301}", "É", "10", "9", "blue train"]

    func fill(_ random: inout SeededRandom, _ sleeves: [DescribedSleeve]) {
        func pick<Value>(_ pool: [Value]) -> Value { pool[random.below(pool.count)] }
        func maybe<Value>(_ value: Value) -> Value? { random.once(in: 4) ? nil : value }
        title = random.once(in: 3) ? pick(Self.names) : SearchWords.text(&random, upTo: 3)
        notes = maybe(random.once(in: 2) ? pick(Self.names) : SearchWords.text(&random, upTo: 4))
        year = random.below(12) - 4
        rating = pick(Self.numbers)
        level = maybe(Float(pick(Self.numbers)))
        released = maybe(pick(Self.dates))
        price = pick(Self.prices)
        kind = pick(DescribedKind.allCases)
        isLive = random.once(in: 2)
        code = maybe(UUID())
        tags = (0..<random.below(3)).map { _ in pick(Self.names) }
        sleeve = maybe(pick(sleeves))
    }

    static func insertMany(_ random: inout SeededRandom, into store: Store) throws {
        // Two of the names are equal.
        let sleeves = Set(names).sorted().map { name in
            let sleeve = DescribedSleeve()
            sleeve.name = name
            store.insert(sleeve)
            return sleeve
        }
        for number in 0..<300 {
            let disc = DescribedDisc()
            disc.fill(&random, sleeves)
            disc.number =
                UInt128(number) << UInt128(random.below(100))
                | UInt128(number) << 1
            store.insert(disc)
        }
        try saveUnique(store)
    }

    /// Changes and deletes some, sleeves too: what refers to these is loose.
    static func change(_ random: inout SeededRandom, in store: Store) throws {
        let sleeves = try store.objects(of: DescribedSleeve.self)
        if sleeves.count > 4 { try store.delete(sleeves[random.below(sleeves.count)]) }
        let left = try store.objects(of: DescribedSleeve.self)
        for disc in try store.objects(of: DescribedDisc.self) where random.once(in: 6) {
            if random.once(in: 3) { try store.delete(disc) } else { disc.fill(&random, left) }
        }
        try saveUnique(store)
    }

    /// Numbers are made different first.
    private static func saveUnique(_ store: Store) throws {
        var seen = Set<UInt128>()
        for disc in try store.objects(of: DescribedDisc.self) {
            while !seen.insert(disc.number).inserted { disc.number += 1 }
        }
        try store.save()
        try store.indexes.build()
    }

    // MARK: Random queries

    static func query(_ random: inout SeededRandom) -> QueryText {
        var parameters: [any QueryParameter] = []
        var text = condition(&random, &parameters, depth: 2)
        if random.once(in: 8) { (text, parameters) = ("", []) }
        let orders = (0..<random.below(3)).map { _ in
            orderFields[random.below(orderFields.count)] + (random.once(in: 2) ? " DESC" : "")
        }
        if !orders.isEmpty { text += " ORDER BY " + orders.joined(separator: ", ") }
        if random.once(in: 2) { text += " LIMIT \(random.below(20))" }
        if random.once(in: 4), text.contains("LIMIT") { text += " OFFSET \(random.below(10))" }
        return QueryText(text, parameters: parameters)
    }

    private static let orderFields = [
        "title", "notes", "year", "rating", "level", "released", "number", "price", "kind",
        "isLive", "code", "sleeve.name",
    ]

    private static func condition(
        _ random: inout SeededRandom, _ parameters: inout [any QueryParameter], depth: Int
    ) -> String {
        if depth > 0, random.once(in: 2) {
            let parts = (0..<2).map { _ in condition(&random, &parameters, depth: depth - 1) }
            let joined = parts.joined(separator: random.once(in: 2) ? " AND " : " OR ")
            return random.once(in: 6) ? "NOT (\(joined))" : "(\(joined))"
        }
        func pick<Value>(_ pool: [Value]) -> Value { pool[random.below(pool.count)] }
        func compare(_ name: String, _ value: any QueryParameter) -> String {
            parameters.append(value)
            return "\(name) \(pick(["=", "=", "!=", "<", "<=", ">", ">="])) ?"
        }
        switch random.below(16) {
        case 0, 1: return compare("title", pick(names))
        case 2: return compare("notes", pick(names))
        case 3: return compare("year", random.below(12) - 4)
        case 4: return compare("rating", pick(numbers))
        case 5: return compare("level", Float(pick(numbers)))
        case 6: return compare("released", pick(dates))
        case 7: return compare("price", pick(prices))
        case 8: return compare("kind", Int32(random.below(4)))
        case 9: return compare("number", random.below(600))
        case 10: return compare("sleeve.name", pick(names))
        case 11: return pick(["isLive", "NOT isLive", "sleeve IS NULL", "sleeve IS NOT NULL"])
        case 12: return "\(pick(["notes", "level", "released", "code"])) IS NULL"
        case 13:
            parameters.append(pick(names))
            return "\(pick(["title", "notes"])) BEGINSWITH ?"
        case 14:
            parameters.append(pick(names))
            return "\(pick(["title", "tags"])) CONTAINS ?"
        default:
            parameters += [random.below(8) - 4, random.below(8)] as [any QueryParameter]
            return "year BETWEEN ? AND ?"
        }
    }
}

/// A class before and after a field was widened, and others were added.
final class DescribedEarlier: StoredObject {
    @Field var number: Int32 = 0
    @Field var name = ""

    override class var storageName: String { "Item" }
    override class var indexes: [Index] { [.ordered(\DescribedEarlier.number)] }
}

final class DescribedLater: StoredObject {
    @Field var number: Int64 = 0
    @Field var grade = 3
    @Field var name = ""
    @Field var note: String?

    override class var storageName: String { "Item" }
    override class var indexes: [Index] {
        [.ordered(\DescribedLater.number), .ordered(\DescribedLater.grade)]
    }
    override class var textIndexes: [TextIndex] { [.text(\DescribedLater.name)] }
}
