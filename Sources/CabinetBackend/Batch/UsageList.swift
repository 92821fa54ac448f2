/// What the tables of a batch get, in the order in which the batch first changed them. The first
/// two lie beside each other: most saves change no more, and lists took a third of what a key added
/// to a small save.
struct UsageList {
    private(set) var count = 0
    private var first = WriteBatch.TableUsage()
    private var second = WriteBatch.TableUsage()
    private var more: [WriteBatch.TableUsage] = []
    /// By table number the index in ``more`` plus 1; 0 for none.
    private var places: [Int32] = []

    /// - Precondition: `index` is less than ``count``.
    subscript(index: Int) -> WriteBatch.TableUsage {
        switch index {
        case 0: first
        case 1: second
        default: more[index - 2]
        }
    }

    /// Empty if the batch has not changed the table. Takes the same time for any number of tables.
    subscript(table: TableNumber) -> WriteBatch.TableUsage {
        if count > 0, first.table == table { return first }
        if count > 1, second.table == table { return second }
        let index = table.index
        if index < places.count, places[index] > 0 { return more[Int(places[index]) - 1] }
        var none = WriteBatch.TableUsage()
        none.table = table
        return none
    }

    @inline(__always)
    mutating func add(_ use: WriteBatch.TableUsage) {
        if count == 0 {
            first = use
            count = 1
        } else if first.table == use.table {
            first.add(use)
        } else if count == 1 {
            second = use
            count = 2
        } else if second.table == use.table {
            second.add(use)
        } else {
            addToMore(use)
        }
    }

    @inline(never)
    private mutating func addToMore(_ use: WriteBatch.TableUsage) {
        let index = use.table.index
        if index >= places.count {
            // At once for as many tables as most stores have.
            let missing = max(index + 1, 16) - places.count
            places.append(contentsOf: repeatElement(0, count: missing))
        }
        if places[index] > 0 {
            more[Int(places[index]) - 1].add(use)
        } else {
            more.append(use)
            count += 1
            places[index] = Int32(truncatingIfNeeded: more.count)
        }
    }

    /// Keeps its memory.
    mutating func removeAll() {
        count = 0
        guard !more.isEmpty else { return }
        for use in more { places[use.table.index] = 0 }
        more.removeAll(keepingCapacity: true)
    }
}
