import Cabinet
import Foundation

extension QueryModel {
    /// Asks for sums, extremes, groups and single fields of the objects that meet `predicate`.
    func askForAggregates(
        _ predicate: Predicate<Specimen>, _ found: [RowID: SpecimenValues]
    ) throws {
        func check<Value: Equatable>(_ what: String, _ given: Value, _ expected: Value) throws {
            try Self.check(what, predicate, given, expected)
        }
        let all = Array(found.values)
        switch random.below(4) {
        case 0:
            let (count, sum, least, greatest) = try store.query(Specimen.self).filter(predicate)
                .aggregate(.count, .sum(\.rating), .min(\.code), .max(\.code))
            try check("count", count, all.count)
            try check("sum of ratings", sum, all.reduce(0) { $0 + Int($1.rating) })
            try check("least code", least, all.map(\.code).min())
            try check("greatest code", greatest, all.map(\.code).max())
            try check(
                "mean code", try store.query(Specimen.self).filter(predicate).average(\.code),
                all.isEmpty
                    ? nil : Double(all.reduce(0) { $0 + Int($1.code) }) / Double(all.count))
        case 1:
            try check(
                "least subtitle",
                try store.query(Specimen.self).filter(predicate).minimum(\.subtitle),
                all.compactMap(\.subtitle).min())
            try check(
                "least plays", try store.query(Specimen.self).filter(predicate).minimum(\.plays),
                all.compactMap(\.plays).min())
            try check(
                "first seen", try store.query(Specimen.self).filter(predicate).minimum(\.seen),
                all.compactMap(\.seen).min())
            try check(
                "last seen", try store.query(Specimen.self).filter(predicate).maximum(\.seen),
                all.compactMap(\.seen).max())
            try check(
                "greatest number",
                try store.query(Specimen.self).filter(predicate).maximum(\.number),
                all.map(\.number).max())
        case 2:
            let query = ObjectQuery<Specimen>(where: predicate, sortedBy: [.descending(\.code)])
            let rows = found.sorted { ($1.value.code, $0.key) < ($0.value.code, $1.key) }
            let values = try store.query(query).values(\.isLive, \.rating, \.code)
            try check("lives", values.map(\.0), rows.map(\.value.isLive))
            try check("ratings", values.map(\.1), rows.map(\.value.rating))
            try check("codes", values.map(\.2), rows.map(\.value.code))
            try note(store.query(query).explainValues(\.isLive, \.rating, \.code, running: false))
        default: break
        }
        switch random.below(5) {
        case 0: try askForGroups(by: \.title, \.title, predicate, all)
        case 1: try askForGroups(by: \.year, \.year, predicate, all)
        case 2: try askForGroups(by: \.weight, \.weight, predicate, all)
        case 3: try askForGroups(by: \.rating, \.rating, predicate, all)
        default: try askForOptionalGroups(predicate, all)
        }
    }

    private func askForGroups<Key: Hashable & Comparable & Sendable>(
        by path: SpecimenPath<Key>, _ plain: (SpecimenValues) -> Key,
        _ predicate: Predicate<Specimen>, _ all: [SpecimenValues]
    ) throws {
        let expected = Dictionary(grouping: all, by: plain).sorted { $0.key < $1.key }
        let groups = try store.query(Specimen.self).filter(predicate).groups(
            by: path, .count, .sum(\.year))
        try Self.check("keys", predicate, groups.map(\.key), expected.map(\.key))
        try Self.check(
            "counts", predicate, groups.map(\.results.0), expected.map(\.value.count))
        try Self.check(
            "sums", predicate, groups.map(\.results.1),
            expected.map { $0.value.reduce(0) { $0 + $1.year } })
        try Self.check(
            "counts of values", predicate,
            try store.query(Specimen.self).filter(predicate).groups(by: path, .count).map(
                \.results),
            expected.map(\.value.count))
        try Self.check(
            "values", predicate,
            try store.query(Specimen.self).filter(predicate).distinctValues(of: path),
            expected.map(\.key))
        try note(store.query(Specimen.self).filter(predicate).explainGroups(by: path, .count))
    }

    private func askForOptionalGroups(
        _ predicate: Predicate<Specimen>, _ all: [SpecimenValues]
    ) throws {
        let expected = Dictionary(grouping: all, by: \.plays).sorted {
            $0.key ?? 0 < $1.key ?? 0 || $0.key == nil && $1.key == 0
        }
        let groups = try store.query(Specimen.self).filter(predicate).groups(by: \.plays, .count)
        try Self.check("plays", predicate, groups.map(\.key), expected.map(\.key))
        try Self.check(
            "counts of plays", predicate, groups.map(\.results), expected.map(\.value.count))
        let subtitles = try store.query(Specimen.self).filter(predicate).distinctValues(
            of: \.subtitle)
        let hasNone = all.contains { $0.subtitle == nil }
        try Self.check(
            "subtitles", predicate, subtitles,
            (hasNone ? [nil] : []) + Set(all.compactMap(\.subtitle)).sorted().map { $0 })
    }

    private func note(_ plan: QueryPlan) {
        let isAlone = plan.steps.contains {
            if case .indexAlone = $0.action { true } else { false }
        }
        if isAlone { usedIndexesAlone += 1 }
    }
}
