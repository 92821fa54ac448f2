import CabinetBackend

/// A walk over the entries of one layer, in both directions. Not `Sendable`. Its bytes live until
/// it moves.
///
/// After a throw the cursor is at no entry, and can seek again. Where it is at no entry, ``next()``
/// and ``previous()`` do nothing.
package class LayerCursor {
    // Unchecked, because nothing calls back into a cursor.

    @exclusivity(unchecked) package final var key = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Empty for a delete.
    @exclusivity(unchecked) package final var value = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) package final var isDelete = false
    /// +1, 0 or −1: by how much the entry changes the number of keys that the layers below give.
    /// ``Delta/unknownWeight`` in a delta that has not looked.
    @exclusivity(unchecked) package final var weight: Int8 = 0
    /// Whether there is an entry here; false before the first seek and past either end.
    @exclusivity(unchecked) package final var isAtEntry = false

    /// Goes to the first entry whose key is not before `key`; `nil`: to the first of all.
    package func seek(_ key: UnsafeRawBufferPointer?) throws(BackendError) {}

    /// Goes to the last entry whose key is before `key`; `nil`: to the last of all.
    package func seekBack(_ key: UnsafeRawBufferPointer?) throws(BackendError) {}

    package func next() throws(BackendError) {}

    package func previous() throws(BackendError) {}

    /// Adds the rows that the entries from here on end with to `run`, until it is full: at most `limit`,
    /// and only of entries before `upper`. Goes to the entry behind.
    package func takeRows(
        into run: RowRun, limit: Int, before upper: UnsafeRawBufferPointer?
    ) throws(BackendError) {
        var left = limit
        while isAtEntry, left > 0, !run.isFull {
            if let upper, KeyOrder.order(key, upper) >= 0 { return }
            left &-= takeRow(into: run)
            try next()
        }
    }

    /// Adds the row that the current entry ends with. Returns how many were added.
    @inline(__always)
    final func takeRow(into run: RowRun) -> Int {
        if isDelete { return 0 }
        run.append(key, value)
        return 1
    }
}
