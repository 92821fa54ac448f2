import CRivals
import Cabinet
import Foundation

/// A query whose plan is compared with a scan.
struct PlanQuery: Sendable {
    /// What is wanted of what the query finds.
    enum Wanted: CaseIterable, Sendable {
        case objects, rows, count, sum, exists, firstByCode, pageByTitle, firstByMood, byRating
    }

    let name: String
    let wanted: Wanted
    private let predicate: Predicate<PlanSong>

    /// Queries of every form of condition and want: a fixed sequence for a seed.
    static func all(of objects: Int, _ count: Int) -> [PlanQuery] {
        var random = Job.seed
        func choose(_ count: Int) -> Int { Int(speed_next(&random) % UInt64(count)) }
        return (0..<count).map { place in
            // From one in a thousand to all, each about as often.
            let share = pow(10, -3 * Double(choose(1001)) / 1000)
            let wanted = Wanted.allCases[place % Wanted.allCases.count]
            let form = Form.allCases[place / Wanted.allCases.count % Form.allCases.count]
            let predicate = form.predicate(share, objects, choose)
            return PlanQuery(
                name: "\(form) of \(String(format: "%.4f", share)), \(wanted)", wanted: wanted,
                predicate: predicate)
        }
    }

    /// What the query gives, as rows or a number.
    func run(in store: Store) throws -> [Int] {
        switch wanted {
        case .objects: return try rows(store.fetch(query()))
        case .rows: return try store.query(query()).rowIDs().map { Int($0.rawValue) }
        case .count: return [try store.query(query()).count()]
        case .sum:
            return [Int(try store.query(PlanSong.self).filter(predicate).sum(\.code))]
        case .exists: return [try store.query(query()).exists() ? 1 : 0]
        case .firstByCode:
            return try rows(store.fetch(query([.ascending(\.code)], limit: 20)))
        case .pageByTitle:
            return try rows(
                store.fetch(query([.descending(\.title)], limit: 20, offset: 500)))
        case .firstByMood:
            return try rows(
                store.fetch(query([.ascending(\.mood), .ascending(\.code)], limit: 20)))
        case .byRating:
            return try store.query(query([.ascending(\.rating)])).rowIDs().map { Int($0.rawValue) }
        }
    }

    /// How the query is answered.
    func plan(in store: Store) throws -> String {
        switch wanted {
        case .firstByCode: try text(store, query([.ascending(\.code)], limit: 20))
        case .pageByTitle: try text(store, query([.descending(\.title)], limit: 20, offset: 500))
        case .firstByMood:
            try text(store, query([.ascending(\.mood), .ascending(\.code)], limit: 20))
        case .byRating: try text(store, query([.ascending(\.rating)]))
        default: try text(store, query())
        }
    }

    private func text(_ store: Store, _ query: ObjectQuery<PlanSong>) throws -> String {
        try store.query(query).explain().steps.map(\.description).joined(separator: "; ")
    }

    private func query(
        _ order: [ObjectOrder<PlanSong>] = [], limit: Int? = nil, offset: Int = 0
    ) -> ObjectQuery<PlanSong> {
        ObjectQuery(where: predicate, sortedBy: order, limit: limit, offset: offset)
    }

    private func rows(_ songs: [PlanSong]) -> [Int] { songs.map { Int($0.number) } }
}

/// What a condition is made of.
private enum Form: CaseIterable {
    case range, clustered, equalAndRange, rangeAndOther, either, eitherField, unequal, list,
        elements
    case path, pathAndRange, beginning, absent, negated, twoIndexes

    /// A condition that about the share `share` of `objects` songs meet, where the form can do that.
    func predicate(
        _ share: Double, _ objects: Int, _ choose: (Int) -> Int
    ) -> Predicate<PlanSong> {
        let count = max(Int(Double(objects) * share), 1)
        let first = UInt32(choose(max(objects - count, 0) + 1))
        let end = first + UInt32(count)
        let (genre, artist, mood) = (choose(10), choose(1000), choose(10))
        let tag = "t\(choose(100))"
        switch self {
        case .range: return #Predicate { $0.code >= first && $0.code < end }
        case .clustered: return #Predicate { $0.number >= first && $0.number < end }
        case .equalAndRange:
            return #Predicate { $0.artist == artist && $0.code >= first && $0.code < end }
        case .rangeAndOther:
            return #Predicate { $0.code >= first && $0.code < end && $0.mood == mood }
        case .either:
            let other = UInt32(objects) - end
            return #Predicate { $0.code < end || $0.code >= other }
        case .eitherField:
            return #Predicate { $0.code >= first && $0.code < end || $0.artist == artist }
        case .unequal: return #Predicate { $0.genre != genre && $0.code < end }
        case .list:
            let artists = Set((0..<max(Int(1000 * share), 1)).map { _ in choose(1000) })
            return #Predicate { artists.contains($0.artist) }
        case .elements:
            return #Predicate { $0.tags.contains(tag) }
        case .path:
            let year = 1900 + Int(100 * share)
            return #Predicate { ($0.album?.year ?? 3000) <= year }
        case .pathAndRange:
            let year = 1900 + choose(100)
            return #Predicate { $0.album?.year == year && $0.code < end }
        case .beginning:
            let text = "Title \(choose(share > 0.05 ? 9 : 90) + 1)"
            return #Predicate { $0.title.starts(with: text) }
        case .absent: return #Predicate { $0.rating == nil && $0.code < end }
        case .negated: return #Predicate { !($0.code >= first && $0.code < end) }
        case .twoIndexes: return #Predicate { $0.genre == genre && $0.artist == artist }
        }
    }
}
