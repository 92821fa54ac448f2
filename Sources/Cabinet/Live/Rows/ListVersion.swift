/// A live list as of one change: which rows it has kept, and which of them the query gives.
struct ListVersion {
    var rows = RowTree()
    /// What limit and offset leave of them.
    var window = 0..<0

    var count: Int { window.count }

    func withEach(_ body: (Int, UInt64) -> Void) {
        var index = 0
        rows.forEach(in: window) {
            body(index, $0)
            index += 1
        }
    }

    /// The numbers of the objects, in their order.
    var numbers: [UInt64] {
        var numbers: [UInt64] = []
        numbers.reserveCapacity(count)
        rows.forEach(in: window) { numbers.append($0) }
        return numbers
    }

    /// The objects at some places of ``rows``.
    func numbers(at places: Range<Int>) -> [UInt64] {
        var numbers: [UInt64] = []
        rows.forEach(in: places) { numbers.append(ListEdits.object($0)) }
        return numbers
    }

    private var isWhole: Bool { window == 0..<rows.count }

    /// What leads from this version to `next`, where the objects of `changed` have other content.
    ///
    /// Cost: what stands in nodes that the two do not share; with a window, what stands in it.
    /// - Parameter index: where an object stands in `next`; asked of objects in shared nodes.
    func edits(
        to next: ListVersion, changed: NumberSet, index: (UInt64) -> Int? = { _ in nil }
    ) -> ListEdits {
        var (old, new): ([ListEdits.Placed], [ListEdits.Placed]) = ([], [])
        func before(_ index: Int, _ number: UInt64) {
            old.append(ListEdits.Placed(index: index, number: number))
        }
        func after(_ index: Int, _ number: UInt64) {
            new.append(ListEdits.Placed(index: index, number: number))
        }
        if isWhole, next.isWhole {
            rows.forEach(notSharedWith: next.rows, before)
            next.rows.forEach(notSharedWith: rows, after)
        } else {
            withEach(before)
            next.withEach(after)
        }
        var edits = ListEdits(from: old, to: new, changed: changed)
        if new.count < next.count {
            let met = Set(new.map(\.index))
            edits.add(updatesAt: changed.all.compactMap(index).filter { !met.contains($0) })
        }
        return edits
    }
}
