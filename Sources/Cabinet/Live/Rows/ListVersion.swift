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

    private var isWhole: Bool { window == 0..<rows.count }

    /// What leads from this version to `next`, where the objects of `changed` have other content.
    ///
    /// Cost: what stands in nodes that the two do not share; with a window, what stands in it.
    /// - Parameter index: where an object stands in `next`; asked of objects in shared nodes.
    func edits(
        to next: ListVersion, changed: Set<UInt64>, index: (UInt64) -> Int? = { _ in nil }
    ) -> ListEdits {
        var touched: [UInt64: ListEdits.Touched] = [:]
        func isChanged(_ id: UInt64) -> Bool { changed.contains(id & 0xFF_FFFF_FFFF) }
        func before(_ index: Int, _ id: UInt64) {
            touched[id] = .init(old: index, isChanged: isChanged(id))
        }
        func after(_ index: Int, _ id: UInt64) {
            touched[id, default: .init(isChanged: isChanged(id))].new = index
        }
        if isWhole, next.isWhole {
            rows.forEach(notSharedWith: next.rows, before)
            next.rows.forEach(notSharedWith: rows, after)
        } else {
            withEach(before)
            next.withEach(after)
        }
        var edits = ListEdits(Array(touched.values))
        edits.add(updatesAt: changed.filter { touched[$0] == nil }.compactMap(index))
        return edits
    }
}
