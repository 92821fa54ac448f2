import CabinetBackend

/// What the objects of a live list are sorted by: their values in the columns of the query's order,
/// each in a slot of its own.
final class RowKeys {
    let columns: [SortColumn]
    /// The object of each slot, also of slots that are of no use any more.
    private var numbers: [UInt64]
    /// The slots of the objects in the list.
    private(set) var slots: NumberTable
    /// What is not in the list stands behind it; `nil` if the list is complete.
    private(set) var boundary: Int?

    /// - Parameters:
    ///   - columns: with the values of each of `numbers`, in their order.
    ///   - isComplete: whether these are all objects.
    init(_ columns: [SortColumn], of numbers: [UInt64], isComplete: Bool) {
        self.columns = columns
        self.numbers = numbers
        slots = NumberTable(capacity: numbers.count)
        for (slot, number) in numbers.enumerated() { slots[number] = slot }
        boundary = isComplete ? nil : numbers.indices.last
    }

    /// Adds the values of the object that `cursor` stands at, and gives their slot.
    func append(_ cursor: RowCursor, _ number: UInt64) throws -> Int {
        for (index, column) in columns.enumerated() {
            do {
                column.turn(to: cursor.fields)
                try column.append(cursor)
            } catch {
                for earlier in columns[..<index] { earlier.removeLast() }
                throw error
            }
        }
        numbers.append(number)
        return numbers.count - 1
    }

    /// Takes back what was added last.
    func removeLast() {
        for column in columns { column.removeLast() }
        numbers.removeLast()
    }

    func isBefore(_ one: Int, _ other: Int) -> Bool {
        let order = order(one, other)
        return order == 0 ? numbers[one] < numbers[other] : order < 0
    }

    /// As the columns have it: 0 for values that are equal in all of them.
    func order(_ one: Int, _ other: Int) -> Int {
        for column in columns {
            let order = column.order(one, other)
            if order != 0 { return order }
        }
        return 0
    }

    /// Where the object in a slot stands in `rows`, or would.
    func index(of slot: Int, in rows: RowTree) -> Int {
        rows.partition { slots[$0].map { isBefore($0, slot) } ?? false }
    }

    func isBehindBoundary(_ slot: Int) -> Bool { boundary.map { isBefore($0, slot) } ?? false }

    /// The object is in the list now, with the values in a slot, or, `nil`, is not.
    func set(_ number: UInt64, to slot: Int?) { slots[number] = slot }

    /// The list ends with `last`, and others may stand behind it.
    func end(at last: UInt64) { boundary = slots[last] }

    /// Gives up slots that are of no use, if they are the greater part.
    func compact() {
        guard numbers.count > 2 * slots.count + 1024 else { return }
        var kept: [Int] = []
        slots.withEach { kept.append($1) }
        if let boundary, slots[numbers[boundary]] != boundary { kept.append(boundary) }
        kept.sort()
        for column in columns { column.keep(kept) }
        numbers = kept.map { numbers[$0] }
        func place(of slot: Int) -> Int { kept.partitioningIndex { $0 >= slot } }
        var places = NumberTable(capacity: slots.count)
        slots.withEach { places[$0] = place(of: $1) }
        slots = places
        boundary = boundary.map(place)
    }
}
