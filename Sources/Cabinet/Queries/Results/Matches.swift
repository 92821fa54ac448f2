import CabinetBackend

/// What a query has found: where each match stands, what it is sorted by, and what else is wanted
/// of it.
final class Matches {
    /// Where a match stands: its class among those of the query, and its row.
    struct Place: Hashable {
        let storedClass: Int
        let row: RowID

        /// In the order of places.
        var number: UInt64 { UInt64(storedClass) << 32 | UInt64(row.rawValue) }
    }

    // Unchecked, because no code of the caller calls back into matches.

    @exclusivity(unchecked) private(set) var places: [Place] = []
    private let order: [SortColumn]
    private let wanted: [MatchColumn]
    /// How many of the first matches count; `nil` for all.
    private let bound: Int?
    /// The last match that counts, if there are enough of them.
    @exclusivity(unchecked) private var last: Int?
    private var storedClass = 0
    /// Whether the matches come in their order.
    private let areInOrder: Bool
    /// Whether the matches came in the order of their places so far.
    @exclusivity(unchecked) private var isInPlace = true

    /// - Parameters:
    ///   - order: what the matches are sorted by before their place.
    ///   - wanted: other columns.
    ///   - bound: how many of the first matches count.
    ///   - areInOrder: whether they are added in their order, so that nothing sorts them.
    init(
        by order: [SortColumn] = [], wanted: [MatchColumn] = [], bound: Int? = nil,
        areInOrder: Bool = false
    ) {
        self.areInOrder = areInOrder
        self.order = order
        self.wanted = wanted
        self.bound = bound
    }

    /// The next matches are objects of that class.
    func turn(to fields: ClassFields, at index: Int) {
        storedClass = index
        for column in order { column.turn(to: fields) }
        for column in wanted { column.turn(to: fields) }
    }

    /// About `count` matches are going to be added.
    func reserve(_ count: Int) {
        places.reserveCapacity(places.count + count)
        for column in wanted { column.reserve(count) }
    }

    /// Adds the object that `cursor` stands at, if it may be one of those that count.
    func append(_ cursor: RowCursor) throws {
        if bound == 0 { return }
        for (index, column) in order.enumerated() {
            do { try column.append(cursor) } catch {
                for earlier in order[..<index] { earlier.removeLast() }
                throw error
            }
        }
        let place = Place(storedClass: storedClass, row: cursor.row)
        if let last = places.last, isInPlace { isInPlace = last.number < place.number }
        places.append(place)
        if let last, isBefore(last, places.count - 1) { return dropLastOfOrder() }
        for (index, column) in wanted.enumerated() {
            do { try column.append(cursor) } catch {
                for earlier in wanted[..<index] { earlier.removeLast() }
                dropLastOfOrder()
                throw error
            }
        }
        if let bound, places.count - bound >= max(bound, 1024) { sort() }
    }

    /// Adds the object of a row of which nothing else is wanted.
    func append(_ row: RowID) {
        let place = Place(storedClass: storedClass, row: row)
        if let last = places.last, isInPlace { isInPlace = last.number < place.number }
        places.append(place)
    }

    /// Adds the objects of rows of which nothing else is wanted.
    func append(_ rows: ArraySlice<RowID>) {
        places.reserveCapacity(places.count + rows.count)
        var last = places.last.map(\.number)
        for row in rows {
            let place = Place(storedClass: storedClass, row: row)
            isInPlace = isInPlace && last.map { $0 < place.number } ?? true
            last = place.number
            places.append(place)
        }
    }

    private func dropLastOfOrder() {
        places.removeLast()
        for column in order { column.removeLast() }
    }

    /// Puts the matches in order, and drops those that do not count.
    func sort() {
        var indices = sorted()
        if let bound, indices.count >= bound {
            indices.removeSubrange(bound...)
            last = bound - 1
        }
        isInPlace = order.isEmpty
        if indices.count < places.count || !indices.isAscending { keep(indices) }
    }

    private func sorted() -> [Int] {
        if areInOrder || order.isEmpty && isInPlace { return Array(places.indices) }
        let prefixes = order.isEmpty ? places.map(\.number) : order[0].prefixes()
        guard let prefixes else { return places.indices.sorted(by: isBefore) }
        // A number beside the index orders most of them.
        var pairs = prefixes.enumerated().map { (prefix: $1, index: $0) }
        pairs.sort {
            $0.prefix == $1.prefix ? isBefore($0.index, $1.index) : $0.prefix < $1.prefix
        }
        return pairs.map(\.index)
    }

    /// Keeps the matches of `window` alone. They are sorted.
    func keep(_ window: Range<Int>) {
        if window != 0..<places.count { keep(Array(window)) }
    }

    private func keep(_ indices: [Int]) {
        places = indices.map { places[$0] }
        for column in order { column.keep(indices) }
        for column in wanted { column.keep(indices) }
    }

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        for column in order {
            let order = column.order(one, other)
            if order != 0 { return order < 0 }
        }
        return places[one].number < places[other].number
    }
}

extension [Int] {
    fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
