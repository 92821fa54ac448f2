import CabinetBackend

// What becomes of entries when edits and steps end.
extension ChangeLog {
    /// The first entry of the object, from `index` on, was made when it was in `state`.
    func setPriorState(
        _ state: ObjectState, of object: StoredObject, _ storedClass: StoredClass, from index: Int
    ) {
        let row = object.rowID
        for index in index..<count {
            let isFound = withEntry(at: index) { entry in
                guard entry.pointee.row == row, entry.pointee.storedClass === storedClass else {
                    return false
                }
                entry.pointee.priorState = state
                return true
            }
            if isFound { return }
        }
    }

    /// Appends the changes of a step within this one.
    func append(contentsOf inner: ChangeLog) {
        if inner.holdsRead { holdsRead = true }
        for index in 0..<inner.count {
            inner.withEntry(at: index) { entry in
                if !knows(entry) { append(Entry(copying: entry.pointee)) }
            }
        }
    }

    /// Whether what `entry` would give an object back at the beginning of the step is known.
    private func knows(_ entry: UnsafePointer<Entry>) -> Bool {
        guard entry.pointee.kind == .updated else { return false }
        let (storedClass, row) = (entry.pointee.storedClass, entry.pointee.row)
        if coversLists(storedClass, row) { return true }
        let isOfValues = !entry.pointee.list.isThere && !entry.pointee.isWhole
        return isOfValues && covers(storedClass, row)
    }

    // MARK: Edits of lists

    /// The edit with `number`, appended at `index` when it began, has made `list` of its list.
    func end(_ number: UInt32, at index: Int, as list: consuming ListEdit) {
        guard let index = self.index(of: number, near: index) else { return }
        end(at: index, as: list)
    }

    /// The edit with `number`, likewise, has changed nothing.
    func remove(_ number: UInt32, at index: Int) {
        guard let index = self.index(of: number, near: index) else { return }
        if index == count - 1 { return removeLast() }
        withEntry(at: index) { entry in
            guard let relation = entry.pointee.list.relation else { return }
            entry.pointee.list = .nothing(relation)
            entry.pointee.edit = 0
        }
        hasEmptyEdits = true
    }

    /// Where the edit with `number` stands: at `index`, unless entries went or logs were joined.
    @inline(__always)
    private func index(of number: UInt32, near index: Int) -> Int? {
        if index < count, isEntry(at: index, of: number) { return index }
        return (0..<count).last { isEntry(at: $0, of: number) }
    }

    @inline(__always)
    private func isEntry(at index: Int, of edit: UInt32) -> Bool {
        withEntry(at: index) { $0.pointee.edit == edit }
    }

    func removeEmptyEdits() {
        guard hasEmptyEdits else { return }
        hasEmptyEdits = false
        removeAll { $0.pointee.list.isNothing }
    }
}
