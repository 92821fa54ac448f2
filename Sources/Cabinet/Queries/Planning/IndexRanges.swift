import CabinetBackend
import Foundation

/// The ranges of an index's keys that a condition leaves.
struct IndexRanges {
    /// More ranges than that are not asked for.
    static let most = 2000

    private(set) var ranges: [KeyRange] = []
    /// Whether the index has no other keys in the ranges than those that the limits leave.
    private(set) var isExact = true
    /// Which of the limits the ranges follow from.
    private(set) var used: [Int] = []
    /// Of how many columns, from the first one on, one value is asked.
    private(set) var equalColumns = 0
    /// The limits that the ranges follow from, in the order of columns.
    private(set) var taken: [FieldLimit] = []

    /// The key of the only entry that there may be: one of a unique index without `nil` and NaN.
    private(set) var point: [UInt8]?

    private var prefixes = [OrderedKey()]
    /// Whether a value is `nil` or NaN.
    private var hasNothing = false

    /// - Parameter limits: those of the parts of a condition.
    /// - Returns: `nil` if the index cannot narrow the query.
    init?(_ index: ClassIndex, _ limits: [FieldLimit?]) {
        guard index.index.subset == nil else { return nil }
        var builder = OrderedKeyBuilder()
        if index.index.isMultiple {
            guard takeElement(of: index, limits, &builder) else { return nil }
            return
        }
        var passed = 0
        for (column, source) in zip(index.limitedColumns, index.sources) {
            guard let column, let subject = source.subject else { break }
            let own = limits.indices.filter { limits[$0]?.subject.place == subject.place }
            if let first = own.first(where: { limits[$0]?.isEqual == true }),
                let limit = limits[first], case .equal(let values) = limit.kind
            {
                guard take(values, of: column, &builder) else { break }
                note(limit, at: first, column, column.isExactEqual)
                if values.count == 1, equalColumns == passed { equalColumns += 1 }
                passed += 1
                continue
            }
            takeIntervals(own, of: column, limits)
            break
        }
        guard !used.isEmpty else { return nil }
        if ranges.isEmpty, !isNarrowed { finish() }
        if index.index.isUnique, equalColumns == index.sources.count, prefixes.count == 1,
            !hasNothing
        {
            point = prefixes[0].bytes
        }
        ranges.removeAll { $0.isEmpty }
    }

    /// Whether intervals were taken, so that there may be no range at all.
    private var isNarrowed = false

    private mutating func note(
        _ limit: FieldLimit, at position: Int, _ column: PlannedColumn, _ isExact: Bool
    ) {
        used.append(position)
        if !isExact || !limit.isWhole { self.isExact = false }
        taken.append(limit)
    }

    /// Takes the keys of one element: each row has one of them at most.
    private mutating func takeElement(
        of index: ClassIndex, _ limits: [FieldLimit?], _ builder: inout OrderedKeyBuilder
    ) -> Bool {
        guard let column = index.sources.first.flatMap({ PlannedColumn(elementsOf: $0) }) else {
            return false
        }
        for (position, limit) in limits.enumerated()
        where limit?.subject.place == column.field?.index {
            guard let limit, case .element(let value) = limit.kind,
                take([value], of: column, &builder)
            else { continue }
            note(limit, at: position, column, column.isExactEqual)
            finish()
            return true
        }
        return false
    }

    /// Goes on behind each of `values`.
    private mutating func take(
        _ values: [Any], of column: PlannedColumn, _ builder: inout OrderedKeyBuilder
    ) -> Bool {
        guard column.collation?.mayDivideEqualTexts != true,
            values.count * prefixes.count <= Self.most
        else { return false }
        var longer: [OrderedKey] = []
        longer.reserveCapacity(values.count * prefixes.count)
        for prefix in prefixes {
            for value in values where !column.isNotANumber(value) {
                builder.removeAll()
                builder.append(prefix)
                let start = builder.size
                guard column.append(value, &builder) else { return false }
                hasNothing = hasNothing || builder.isNothing(at: start)
                longer.append(builder.key)
            }
        }
        if longer.count > 1 {
            longer.sort()
            var last: OrderedKey?
            longer.removeAll { key in
                defer { last = key }
                return key == last
            }
        }
        prefixes = longer
        return true
    }

    /// Narrows what lies behind each prefix by all intervals of a column together.
    private mutating func takeIntervals(
        _ positions: [Int], of column: PlannedColumn, _ limits: [FieldLimit?]
    ) {
        let known = positions.filter { position in
            limits[position].map { column.takes($0.kind) } ?? false
        }
        guard !known.isEmpty else { return }
        var found: [KeyRange] = []
        var areExact = true
        for prefix in prefixes {
            var left = [KeyRange(prefix: prefix.bytes)]
            for case let limit? in known.map({ limits[$0] }) {
                let part = column.ranges(of: limit.kind, behind: prefix)
                left = left.flatMap { range in part.keys.map { range.intersection($0) } }
                left.removeAll(where: \.isEmpty)
                areExact = areExact && part.isExact
            }
            found += left
        }
        ranges = found
        isNarrowed = true
        for position in known {
            if let limit = limits[position] {
                note(limit, at: position, column, areExact && column.isExactInOrder)
            }
        }
    }

    private mutating func finish() {
        for prefix in prefixes {
            let range = PartRange(equalTo: prefix)
            isExact = isExact && range.isExact
            ranges.append(range.keys)
        }
    }
}

extension [FieldLimit] {
    /// What a plan says of the ranges that follow from them.
    var text: String {
        map { "\($0.subject.name) \(FieldLimit.text(of: $0.kind))" }.joined(separator: ", ")
    }
}

extension FieldLimit {
    fileprivate var isEqual: Bool { if case .equal = kind { true } else { false } }
}

extension KeyRange {
    /// Whether no key can lie in it.
    var isEmpty: Bool {
        guard let lower, let upper else { return upper?.isEmpty ?? false }
        return !lower.lexicographicallyPrecedes(upper)
    }

    func contains(_ key: [UInt8]) -> Bool {
        if let lower, key.lexicographicallyPrecedes(lower) { return false }
        return upper.map { key.lexicographicallyPrecedes($0) } ?? true
    }

    /// What lies in both.
    func intersection(_ other: KeyRange) -> KeyRange {
        var both = self
        if let lower = other.lower, both.lower.map({ $0.lexicographicallyPrecedes(lower) }) ?? true
        {
            both.lower = lower
        }
        if let upper = other.upper, both.upper.map({ upper.lexicographicallyPrecedes($0) }) ?? true
        {
            both.upper = upper
        }
        return both
    }
}
