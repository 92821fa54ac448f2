import CabinetBackend
import Testing

@testable import Cabinet

/// A view of a list that applies changes as table views do, and refuses those that are illegal.
struct TableModel {
    struct Illegal: Error, CustomStringConvertible {
        let description: String
    }

    /// What stands for objects in lists: class and row.
    private(set) var rows: [UInt64] = []
    private(set) var hasBegun = false
    mutating func apply<Object>(_ change: LiveChange<Object>) throws {
        let now = change.objects.numbers
        if change.isReset {
            try require(
                change.deletions + change.insertions + change.updates == [], "indices of a reset")
            rows = now
            hasBegun = true
            return
        }
        try require(hasBegun, "no first change")
        let leaving = change.deletions + change.moves.map(\.from)
        let entering = change.insertions + change.moves.map(\.to)
        try require(Set(leaving).count == leaving.count, "one row leaves twice")
        try require(Set(entering).count == entering.count, "one place is taken twice")
        try require(leaving.allSatisfy(rows.indices.contains), "a row that is not there leaves")
        try require(
            change.deletions == change.deletions.sorted()
                && change.insertions == change.insertions.sorted()
                && change.updates == change.updates.sorted(), "indices in disorder")
        let moved = change.moves.map { ($0.to, rows[$0.from]) }
        let gone = change.deletions.map { rows[$0] }
        let old = Set(rows)
        for index in leaving.sorted(by: >) { rows.remove(at: index) }
        var places = moved
        for index in change.insertions {
            try require(now.indices.contains(index), "an insertion beyond the end")
            places.append((index, now[index]))
        }
        for (index, row) in places.sorted(by: { $0.0 < $1.0 }) {
            try require(index <= rows.count, "a gap before a row that enters")
            rows.insert(row, at: index)
        }
        try require(rows == now, "the list is another one: \(rows), and not \(now)")
        try require(Set(rows).isDisjoint(with: gone), "what was deleted is there")
        for index in change.updates {
            try require(rows.indices.contains(index), "an update beyond the end")
            try require(old.contains(rows[index]), "an update of what has entered")
        }
        try require(
            change.insertions.allSatisfy { !old.contains(rows[$0]) }, "what was there enters")
    }

    private func require(_ holds: Bool, _ text: String) throws {
        if !holds { throw Illegal(description: text) }
    }
}

extension LiveList {
    var numbers: [UInt64] { version.numbers }
}
