import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Two stores with the same values, one with indexes that answer whatever they can, and what plain Swift says.
struct EdgeBench<Value: EdgeValue> {
    typealias Row<Kind: EdgeIndexing> = EdgeRow<Value, Kind>

    let rows: [(value: Value, maybe: Value?)]
    let indexed: Store
    let scanned: Store
    /// Over the same, those of programs without the class: with its indexes, and without.
    private let described: (indexed: [Store], scanned: [Store])

    init(_ rows: [(value: Value, maybe: Value?)]) throws {
        self.rows = rows
        indexed = try Store(inMemory: [Row<Indexed>.self])
        scanned = try Store(inMemory: [Row<Scanned>.self])
        try Self.fill(indexed, Row<Indexed>.self, rows)
        try Self.fill(scanned, Row<Scanned>.self, rows)
        indexed.reckonWithDearScans()
        described = (try Self.describing(indexed), try Self.describing(scanned))
    }

    private static func describing(_ store: Store) throws -> [Store] {
        try [true, false].map {
            try Store(
                describedBy: StoreSchema(store.backend), reading: store.backend,
                over: store.backend, usesIndexes: $0)
        }
    }

    private static func fill<Kind>(
        _ store: Store, _ type: Row<Kind>.Type, _ rows: [(value: Value, maybe: Value?)]
    ) throws {
        for (number, (value, maybe)) in rows.enumerated() {
            let row = type.init()
            (row.number, row.value, row.maybe) = (number, value, maybe)
            store.insert(row)
        }
        try store.save()
    }

    // MARK: Conditions

    private static func comparing<Kind>(
        _ relation: String, _ bound: Value, _ type: Row<Kind>.Type
    ) -> Predicate<Row<Kind>> {
        typealias Build = PredicateExpressions
        return Predicate { row in
            let field = Build.build_KeyPath(root: Build.build_Arg(row), keyPath: \.value)
            let bound = Build.build_Arg(bound)
            switch relation {
            case "=": return Build.build_Equal(lhs: field, rhs: bound)
            case "!=": return Build.build_NotEqual(lhs: field, rhs: bound)
            case "<": return Build.build_Comparison(lhs: field, rhs: bound, op: .lessThan)
            case "<=": return Build.build_Comparison(lhs: field, rhs: bound, op: .lessThanOrEqual)
            case ">": return Build.build_Comparison(lhs: field, rhs: bound, op: .greaterThan)
            default: return Build.build_Comparison(lhs: field, rhs: bound, op: .greaterThanOrEqual)
            }
        }
    }

    private static func comparingMaybe<Kind>(
        _ relation: String, _ bound: Value, or fallback: Value, _ type: Row<Kind>.Type
    ) -> Predicate<Row<Kind>> {
        typealias Build = PredicateExpressions
        return Predicate { row in
            let field = Build.build_NilCoalesce(
                lhs: Build.build_KeyPath(root: Build.build_Arg(row), keyPath: \.maybe),
                rhs: Build.build_Arg(fallback))
            let bound = Build.build_Arg(bound)
            switch relation {
            case "=": return Build.build_Equal(lhs: field, rhs: bound)
            case "!=": return Build.build_NotEqual(lhs: field, rhs: bound)
            case "<": return Build.build_Comparison(lhs: field, rhs: bound, op: .lessThan)
            case "<=": return Build.build_Comparison(lhs: field, rhs: bound, op: .lessThanOrEqual)
            case ">": return Build.build_Comparison(lhs: field, rhs: bound, op: .greaterThan)
            default: return Build.build_Comparison(lhs: field, rhs: bound, op: .greaterThanOrEqual)
            }
        }
    }

    /// What a message calls a value: Foundation does not describe every date.
    private static func name(_ value: Value) -> String {
        (value as? Date).map { "\($0.timeIntervalSinceReferenceDate)" } ?? String(describing: value)
    }

    private static func holds(_ relation: String, _ one: Value, _ other: Value) -> Bool {
        // Dates are in the order of their numbers: a NaN is in none, whatever Foundation makes of it.
        if one is Date, one.isNothing || other.isNothing { return relation == "!=" }
        return switch relation {
        case "=": one == other
        case "!=": one != other
        case "<": one < other
        case "<=": one <= other
        case ">": one > other
        default: one >= other
        }
    }

    private func numbers(where isIncluded: ((value: Value, maybe: Value?)) -> Bool) -> [Int] {
        rows.indices.filter { isIncluded(rows[$0]) }
    }

    private func answers<Kind>(
        _ store: Store, _ type: Row<Kind>.Type, _ relation: String, _ bound: Value,
        _ fallback: Value
    ) throws -> [[Int]] {
        let predicate = Self.comparing(relation, bound, type)
        let byCount = try store.count(of: type, where: predicate)
        let maybe = Self.comparingMaybe(relation, bound, or: fallback, type)
        let text = QueryText("value " + relation + " ?")
        let ofMaybe = QueryText("maybe " + relation + " ?")
        return [
            try store.fetch(type, where: predicate).map(\.number), [byCount],
            try store.fetch(type, where: maybe).map(\.number),
            try store.query(type).filter(text: text, bound).objects().map(\.number).sorted(),
            try store.query(type).filter(text: ofMaybe, bound).objects().map(\.number).sorted(),
            try recorded(store, type, text, bound, usesIndexes: true),
            try recorded(store, type, text, bound, usesIndexes: false),
        ]
    }

    /// What a program without the class finds.
    private func recorded<Kind>(
        _ store: Store, _ type: Row<Kind>.Type, _ text: QueryText, _ bound: Value,
        usesIndexes: Bool
    ) throws -> [Int] {
        let stores = store === indexed ? described.indexed : described.scanned
        let rows = try stores[usesIndexes ? 0 : 1].rows(of: type.storageName, text.adding([bound]))
        return rows.map {
            Int($0.rawValue) - Int(RowID.first.rawValue)
        }
    }

    func compareConditions(_ bounds: [Value]) throws {
        for (place, bound) in bounds.enumerated() {
            let fallback = bounds[(place + 1) % bounds.count]
            for relation in ["=", "!=", "<", "<=", ">", ">="] {
                let found = numbers { Self.holds(relation, $0.value, bound) }
                let wanted = [
                    found, [found.count],
                    numbers { Self.holds(relation, $0.maybe ?? fallback, bound) }, found,
                    numbers {
                        $0.maybe.map { Self.holds(relation, $0, bound) } ?? (relation == "!=")
                    },
                    found, found,
                ]
                let label = "\(Value.self) \(relation) \(Self.name(bound).prefix(40))"
                let byIndex = try answers(indexed, Row<Indexed>.self, relation, bound, fallback)
                #expect(byIndex.map { $0.sorted() } == wanted, "by index, \(label)")
                let byScan = try answers(scanned, Row<Scanned>.self, relation, bound, fallback)
                #expect(byScan.map { $0.sorted() } == wanted, "by scan, \(label)")
            }
            // Foundation makes a range of a date that is no number, too.
            if bound <= fallback { try compare(bound...fallback) }
        }
    }

    private func compare(_ range: ClosedRange<Value>) throws {
        let wanted = numbers {
            Self.holds(">=", $0.value, range.lowerBound)
                && Self.holds("<=", $0.value, range.upperBound)
        }
        let ends = [range.lowerBound, range.upperBound].map { Self.name($0).prefix(40) }
        func found<Kind>(_ store: Store, _ type: Row<Kind>.Type) throws -> [Int] {
            typealias Build = PredicateExpressions
            let predicate = Predicate<Row<Kind>> { row in
                Build.build_contains(
                    Build.build_Arg(range),
                    Build.build_KeyPath(root: Build.build_Arg(row), keyPath: \.value))
            }
            return try store.fetch(type, where: predicate).map(\.number).sorted()
        }
        #expect(try found(indexed, Row<Indexed>.self) == wanted, "by index, \(ends)")
        #expect(try found(scanned, Row<Scanned>.self) == wanted, "by scan, \(ends)")
    }

    // MARK: Orders

    /// NaN last, `nil` first, equal values by row.
    static func order(_ one: Value?, _ other: Value?) -> Int {
        guard let one, let other else { return (one == nil ? 0 : 1) - (other == nil ? 0 : 1) }
        if one.isNothing || other.isNothing {
            return (one.isNothing ? 1 : 0) - (other.isNothing ? 1 : 0)
        }
        return one < other ? -1 : one == other ? 0 : 1
    }

    private func orders<Kind>(_ store: Store, _ type: Row<Kind>.Type) throws -> [String: [[Int]]] {
        func all(_ query: ObjectQuery<Row<Kind>>) throws -> [[Int]] {
            var paged: [Int] = []
            var page = try store.query(query).page(limit: 5)
            paged += page.objects.map(\.number)
            while let next = page.next {
                page = try store.query(query).page(after: next, limit: 5)
                paged += page.objects.map(\.number)
            }
            var first = query
            first.limit = rows.count
            return [
                try store.fetch(query).map(\.number), try store.fetch(first).map(\.number), paged,
            ]
        }
        func inText(_ text: QueryText) throws -> [Int] {
            try store.query(type).filter(text: text).objects().map(\.number)
        }
        return [
            "value": try all(ObjectQuery(sortedBy: [.ascending(\.value)])),
            "value descending": try all(ObjectQuery(sortedBy: [.descending(\.value)])),
            "maybe": try all(ObjectQuery(sortedBy: [.ascending(\.maybe)])),
            "maybe descending": try all(ObjectQuery(sortedBy: [.descending(\.maybe)])),
            "value by text": [try inText("ORDER BY value")],
            "value descending by text": [try inText("ORDER BY value DESC LIMIT 1000")],
        ]
    }

    func compareOrders() throws {
        func sorted(_ value: (Int) -> Value?, _ sign: Int) -> [Int] {
            rows.indices.sorted {
                let order = sign * Self.order(value($0), value($1))
                return order == 0 ? $0 < $1 : order < 0
            }
        }
        let byIndex = try orders(indexed, Row<Indexed>.self)
        let byScan = try orders(scanned, Row<Scanned>.self)
        for (name, found) in byIndex {
            let wanted = sorted(
                { name.hasPrefix("maybe") ? rows[$0].maybe : rows[$0].value },
                name.contains("descending") ? -1 : 1)
            for answer in found { #expect(answer == wanted, "\(Value.self) \(name) by index") }
            for answer in byScan[name] ?? [] {
                #expect(answer == wanted, "\(Value.self) \(name) by scan")
            }
        }
    }

    // MARK: Results

    private func results<Kind>(_ store: Store, _ type: Row<Kind>.Type) throws -> [[Value?]] {
        [
            [try store.query(type).minimum(\.value), try store.query(type).maximum(\.value)],
            [try store.query(type).minimum(\.maybe), try store.query(type).maximum(\.maybe)],
            try store.query(type).groups(by: \.value, .count, .count)
                .flatMap { Array(repeating: Optional($0.key), count: $0.results.0) },
            try store.query(type).groups(by: \.maybe, .count, .count)
                .flatMap { Array(repeating: $0.key, count: $0.results.0) },
            try store.query(type).distinctValues(of: \.value).map(Optional.some),
        ]
    }

    func compareResults() throws {
        let values = rows.map { Optional($0.value) }.sorted { Self.order($0, $1) < 0 }
        let maybes = rows.map(\.maybe).sorted { Self.order($0, $1) < 0 }
        let some = maybes.filter { $0 != nil }
        var groups: [Value: Int] = [:]
        var apart = 0
        for row in rows {
            if row.value == row.value { groups[row.value, default: 0] += 1 } else { apart += 1 }
        }
        for (name, found) in [
            ("index", try results(indexed, Row<Indexed>.self)),
            ("scan", try results(scanned, Row<Scanned>.self)),
        ] {
            let wanted = [
                [values[0], values[values.count - 1]], [some.first ?? nil, some.last ?? nil],
                values, maybes,
            ]
            for (one, other) in zip(found, wanted) {
                #expect(
                    one.count == other.count
                        && zip(one, other).allSatisfy { Self.order($0, $1) == 0 },
                    "\(Value.self) by \(name)")
            }
            #expect(found[4].count == groups.count + apart, "\(Value.self) by \(name)")
        }
    }
}
