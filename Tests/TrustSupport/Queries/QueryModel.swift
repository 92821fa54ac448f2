import Cabinet
import Foundation

/// Random objects with pending changes in a store whose indexes come and go, the same as plain values, and
/// random queries of which both must give the same.
package final class QueryModel {
    /// What a store gave, and plain Swift.
    package struct Difference: Error, CustomStringConvertible {
        let what: String
        let predicate: String
        let found: String
        let expected: String

        package var description: String {
            "\(what) of \(predicate): \(found), not \(expected)"
        }
    }

    static let classes: [StoredObject.Type] = [Specimen.self, SpecimenSource.self]
    var random: SeededRandom
    var store: Store
    var sources: [String: SpecimenSource] = [:]
    /// Keeps some objects in memory.
    var held: [Specimen] = []
    var values: [RowID: SpecimenValues] = [:]
    var saved: [RowID: SpecimenValues] = [:]

    /// Whether pages are asked for: what changes meanwhile asks for none.
    var isPaging = false
    /// The last object of the page before, and what it was then.
    var last: (row: RowID, values: SpecimenValues)?

    /// Whether other stores are open beside this one.
    let isShared: Bool
    /// Whether queries use each index that they can.
    package let prefersIndexes: Bool
    /// How many queries used an index.
    package private(set) var usedIndexes = 0
    /// How many answers came from an index alone.
    package internal(set) var usedIndexesAlone = 0

    /// A store of 60 objects.
    /// - Parameter engine: makes the backend of an empty store; `nil`: in memory.
    package init(seed: UInt64, engine: (() throws -> any Backend)? = nil) throws {
        random = SeededRandom(seed: seed)
        prefersIndexes = !random.once(in: 4)
        let backend = try engine?() ?? Store(inMemory: []).backend
        isShared = !random.once(in: 5)
        // Else by an engine that can do no more than each must.
        store = try Store(
            backend: isShared ? backend : PlainBackend(backend), classes: Self.classes)
        setUp()
        for name in SpecimenPools.sources {
            let source = SpecimenSource()
            source.name = name
            store.insert(source)
            sources[name] = source
        }
        for _ in 0..<60 { insert() }
        try save()
    }

    func setUp() {
        store.undoHistory.isEnabled = true
        if prefersIndexes { store.reckonWithDearScans() }
    }

    /// Changes something, then asks some queries.
    package func step(queries: Int) throws {
        for _ in 0..<random.below(6) { try change() }
        for _ in 0..<queries { try ask() }
    }

    // MARK: Queries

    func ask() throws {
        let condition = RandomCondition.random(&random)
        let predicate = condition.predicate
        let found = values.filter { condition.holds($0.value) }
        func check<Value: Equatable>(_ what: String, _ given: Value, _ expected: Value) throws {
            try Self.check(what, predicate, given, expected)
        }
        let order = (0..<random.below(3)).map { _ in RandomOrder.random(&random) }
        let offset = random.once(in: 2) ? 0 : random.below(20)
        let limit = random.once(in: 2) ? nil : random.below(30)
        let expected = Self.window(Self.sort(found, order), offset, limit)
        let query = ObjectQuery<Specimen>(
            where: predicate, sortedBy: order.map(\.order), limit: limit, offset: offset)
        try check("rows", try store.query(query).rowIDs(), expected)
        var whole = query
        (whole.limit, whole.offset) = (nil, 0)
        try check("all rows", try store.query(whole).rowIDs(), Self.sort(found, order))
        try check("count of all", try store.query(whole).count(), found.count)
        try check("objects", try store.fetch(query).map(\.rowID), expected)
        try check("count", try store.query(query).count(), expected.count)
        if let row = someRow, let object = try store.object(Specimen.self, rowID: row) {
            try check(
                "rank", try store.query(query).rank(of: object),
                Self.sort(found, order).firstIndex(of: row))
        }
        try check("exists", try store.query(query).exists(), !expected.isEmpty)
        try check("first", try store.query(query).first()?.rowID, expected.first)
        try check(
            "years", try store.query(query).values(\.year),
            expected.compactMap { values[$0]?.year })
        try check(
            "sum", try store.query(Specimen.self).filter(predicate).sum(\.year),
            found.values.reduce(0) { $0 + $1.year })
        try check(
            "least", try store.query(Specimen.self).filter(predicate).minimum(\.title),
            found.values.map(\.title).min())
        try check(
            "greatest", try store.query(Specimen.self).filter(predicate).maximum(\.subtitle),
            found.values.compactMap(\.subtitle).max())
        try check(
            "last", try store.query(Specimen.self).filter(predicate).maximum(\.weight),
            found.values.map(\.weight).max())
        try check(
            "least level", try store.query(Specimen.self).filter(predicate).minimum(\.level)?.isNaN,
            found.values.compactMap(\.level).min { !$0.isNaN && ($1.isNaN || $0 < $1) }?.isNaN)
        try check("kinds", try kinds(predicate), Self.kinds(found))
        if random.once(in: 3) {
            try askForAggregates(#Predicate { _ in true }, values)
        } else {
            try askForAggregates(predicate, found)
        }
        if !isPaging, random.once(in: 6) {
            isPaging = true
            defer { isPaging = false }
            return try askForPages(predicate, condition.holds, order)
        }
        let plan = try store.query(query).explain()
        if plan.usesIndex { usedIndexes += 1 }
        let rows = plan.steps.last?.rows ?? 0
        // Without a condition a plan ends with the rows of the class.
        try check("rows of the plan", rows, expected.count)
        if let text = condition.text {
            let query = try ObjectQuery<Specimen>().filter(
                text: QueryText(text.0, parameters: text.1))
            try check("rows by text", try store.query(query).rowIDs(), found.keys.sorted())
        }
    }

    /// - Throws: ``Difference`` if a store gave something else than plain Swift.
    static func check<Value: Equatable>(
        _ what: String, _ predicate: Predicate<Specimen>, _ given: Value, _ expected: Value
    ) throws {
        guard given == expected else {
            throw Difference(
                what: what, predicate: "\(predicate)", found: "\(given)",
                expected: "\(expected)")
        }
    }

    private func kinds(_ predicate: Predicate<Specimen>) throws -> [Int] {
        try store.query(Specimen.self).filter(predicate).groups(by: \.code, .count)
            .flatMap { [Int($0.key), $0.results] }
    }

    private static func kinds(_ found: [RowID: SpecimenValues]) -> [Int] {
        Dictionary(grouping: found.values, by: \.code).sorted { $0.key < $1.key }
            .flatMap { [Int($0.key), $0.value.count] }
    }

    static func sort(
        _ found: [RowID: SpecimenValues], _ order: [RandomOrder]
    ) -> [RowID] {
        found.sorted { one, other in
            for part in order {
                let compared = part.compare(one.value, other.value)
                if compared != 0 { return compared < 0 }
            }
            return one.key < other.key
        }.map(\.key)
    }

    private static func window(_ rows: [RowID], _ offset: Int, _ limit: Int?) -> [RowID] {
        let rest = rows.dropFirst(offset)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }
}

extension QueryPlan {
    /// Whether some step reads an index.
    package var usesIndex: Bool {
        steps.contains { if case .index = $0.action { true } else { false } }
    }
}
