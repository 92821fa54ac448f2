/// Values by row: pages of 256 rows, found through two levels of pointers, so that a row costs
/// 8 bytes beside its value however the rows are spread.
///
/// Not `Sendable`: the engine's lock guards it.
package final class RecordTable {
    private typealias Page = UnsafeMutablePointer<RecordPage>
    private typealias Shelf = UnsafeMutablePointer<Page?>

    private static let pagesOnShelf = 1024
    private static let rowsOnShelf = pagesOnShelf * RecordPage.rows

    private var shelves: [Shelf?] = []
    /// How many rows there are.
    package private(set) var count = 0

    package init() {}

    deinit {
        for case let shelf? in shelves {
            for index in 0..<Self.pagesOnShelf {
                guard let page = shelf[index] else { continue }
                page.pointee.deallocate()
                page.deallocate()
            }
            shelf.deallocate()
        }
    }

    @inline(__always)
    private func page(of row: RowID) -> Page? {
        let top = row.index / Self.rowsOnShelf
        guard top < shelves.count, let shelf = shelves[top] else { return nil }
        return shelf[row.index / RecordPage.rows % Self.pagesOnShelf]
    }

    /// The bytes live until the table changes. `nil`: there is no such row.
    package func value(of row: RowID) -> UnsafeRawBufferPointer? {
        page(of: row)?.pointee.value(at: row.index % RecordPage.rows)
    }

    package func put(_ value: UnsafeRawBufferPointer, at row: RowID) {
        let page = page(of: row) ?? makePage(for: row)
        let before = page.pointee.count
        page.pointee.put(value, at: row.index % RecordPage.rows)
        count += page.pointee.count - before
    }

    package func delete(_ row: RowID) {
        guard let page = page(of: row), page.pointee.delete(at: row.index % RecordPage.rows)
        else { return }
        count -= 1
        guard page.pointee.count == 0 else { return }
        page.pointee.deallocate()
        page.deallocate()
        shelves[row.index / Self.rowsOnShelf]?[row.index / RecordPage.rows % Self.pagesOnShelf] =
            nil
    }

    private func makePage(for row: RowID) -> Page {
        let top = row.index / Self.rowsOnShelf
        if top >= shelves.count {
            shelves.append(contentsOf: repeatElement(nil, count: top + 1 - shelves.count))
        }
        let shelf = shelves[top] ?? makeShelf(top)
        let page = Page.allocate(capacity: 1)
        page.initialize(to: RecordPage())
        shelf[row.index / RecordPage.rows % Self.pagesOnShelf] = page
        return page
    }

    private func makeShelf(_ top: Int) -> Shelf {
        let shelf = Shelf.allocate(capacity: Self.pagesOnShelf)
        shelf.initialize(repeating: nil, count: Self.pagesOnShelf)
        shelves[top] = shelf
        return shelf
    }

    /// Adds rows from `start` on to `run` until it is full. Returns where to go on, or `nil` when
    /// no row is left.
    package func fill(_ run: RecordRun, from start: Int) -> Int? {
        walk(from: start) { row, value in
            run.append(row, value)
            return !run.isFull
        }
    }

    /// The first row from `start` on; its value lives until the table changes. `nil`: none.
    func first(from start: Int) -> (row: RowID, value: UnsafeRawBufferPointer)? {
        var found: (row: RowID, value: UnsafeRawBufferPointer)?
        _ = walk(from: start) { row, value in
            found = (row, value)
            return false
        }
        return found
    }

    /// Calls `body` with rows from `start` until `false`. Returns where to go on; `nil` at the end.
    @inline(__always)
    private func walk(
        from start: Int, _ body: (RowID, UnsafeRawBufferPointer) -> Bool
    ) -> Int? {
        var row = start
        while row / Self.rowsOnShelf < shelves.count {
            guard let shelf = shelves[row / Self.rowsOnShelf] else {
                row = (row / Self.rowsOnShelf + 1) * Self.rowsOnShelf
                continue
            }
            guard let page = shelf[row / RecordPage.rows % Self.pagesOnShelf] else {
                row = (row / RecordPage.rows + 1) * RecordPage.rows
                continue
            }
            repeat {
                if let value = page.pointee.value(at: row % RecordPage.rows),
                    !body(RowID(UInt32(truncatingIfNeeded: row)), value)
                {
                    return row + 1
                }
                row += 1
            } while row % RecordPage.rows != 0
        }
        return nil
    }
}
