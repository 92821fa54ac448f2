import CabinetBackend
import Testing

@testable import Cabinet

/// A view of an arrangement that applies changes as table views do, and refuses those that are illegal.
struct GroupModel<Key: Hashable & OrderedKeyValue, Object: StoredObject> {
    struct Illegal: Error, CustomStringConvertible { let description: String }

    typealias Section = (key: Key, rows: [UInt64])

    private var sections: [Section]
    private var position: ChangePosition
    private(set) var changes = 0
    private(set) var resets = 0

    init(_ arrangement: ArrangedObjects<Key, Object>, _ saved: ArrangedObjects<Key, Object>) throws
    {
        position = try arrangement.position()
        sections = try Self.list(saved)
    }

    /// What an arrangement has.
    static func list(_ saved: ArrangedObjects<Key, Object>) throws -> [Section] {
        try saved.groups().map { group in
            (
                group.key,
                try saved.objects(in: group.key).compactMap {
                    $0.storedClass?.liveNumber(of: $0.rowID)
                }
            )
        }
    }

    /// Takes what has changed; then it must be as `saved`, which gives the same without pending changes.
    mutating func follow(
        _ arrangement: ArrangedObjects<Key, Object>, _ saved: ArrangedObjects<Key, Object>
    ) throws {
        let change = try arrangement.changes(since: position)
        let now = try Self.list(saved)
        try require(change.groups.map(\.key) == now.map(\.key), "other groups")
        try require(change.groups.map(\.count) == now.map(\.rows.count), "other sizes")
        if change.isReset {
            resets += 1
        } else {
            changes += 1
            try apply(change, now)
        }
        sections = now
        position = try arrangement.position()
    }

    private mutating func apply(_ change: ArrangementChange<Key>, _ now: [Section]) throws {
        let old = sections
        let leaving = change.deletions + change.moves.map(\.from)
        let entering = change.insertions + change.moves.map(\.to)
        try require(Set(leaving).count == leaving.count, "an object leaves twice")
        try require(Set(entering).count == entering.count, "a place is taken twice")
        try require(
            leaving.allSatisfy { place in
                old.indices.contains(place.section)
                    && old[place.section].rows.indices.contains(place.index)
                    && !change.groupDeletions.contains(place.section)
            }, "an object leaves that is not there")
        let moved = change.moves.map { ($0.to, old[$0.from.section].rows[$0.from.index]) }
        for place in leaving.sorted(by: { ($0.section, $0.index) > ($1.section, $1.index) }) {
            sections[place.section].rows.remove(at: place.index)
        }
        for index in change.groupDeletions.reversed() { sections.remove(at: index) }
        for index in change.groupInsertions {
            try require(index <= sections.count, "a gap before a group")
            sections.insert(now[index], at: index)
        }
        let places = moved + change.insertions.map { ($0, now[$0.section].rows[$0.index]) }
        for (place, row) in places.sorted(by: {
            ($0.0.section, $0.0.index) < ($1.0.section, $1.0.index)
        }) {
            try require(!change.groupInsertions.contains(place.section), "a new group is filled")
            try require(place.index <= sections[place.section].rows.count, "a gap in a group")
            sections[place.section].rows.insert(row, at: place.index)
        }
        try require(
            sections.map(\.key) == now.map(\.key) && sections.map(\.rows) == now.map(\.rows),
            "the groups are others: \(sections), and not \(now)")
        let known = Set(old.flatMap(\.rows))
        for place in change.updates {
            try require(
                now.indices.contains(place.section)
                    && now[place.section].rows.indices.contains(place.index)
                    && known.contains(now[place.section].rows[place.index]),
                "an update of what was not there")
        }
    }

    private func require(_ holds: Bool, _ text: String) throws {
        if !holds { throw Illegal(description: text) }
    }
}
