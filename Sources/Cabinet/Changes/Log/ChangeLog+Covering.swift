import CabinetBackend

/// The objects that a long log has changed, so that no search of its entries is needed.
final class CoveredObjects {
    /// Whose content without lists at the beginning of the step is known.
    @exclusivity(unchecked) fileprivate var values = KeySet()
    /// Likewise with lists.
    @exclusivity(unchecked) fileprivate var whole = KeySet()

    fileprivate func note(_ entry: UnsafePointer<ChangeLog.Entry>) {
        if entry.pointee.isWhole {
            whole.insert(entry.pointee.key)
        } else if !entry.pointee.list.isThere {
            values.insert(entry.pointee.key)
        }
    }
}

extension ChangeLog {
    /// Whether the object's content at the beginning of the step is known already, except lists.
    func covers(_ object: StoredObject, of storedClass: StoredClass) -> Bool {
        !isEmpty && covers(storedClass, object.rowID)
    }

    /// Whether what stood in the object's lists at the beginning of the step is known already.
    func coversLists(of object: StoredObject, _ storedClass: StoredClass) -> Bool {
        !isEmpty && coversLists(storedClass, object.rowID)
    }

    /// Whether the content of any object that `other` has changed is known as it was at the
    /// beginning of this step.
    func covers(anyOf other: ChangeLog) -> Bool {
        other.contains { covers($0.pointee.storedClass, $0.pointee.row) }
    }

    func covers(_ storedClass: StoredClass, _ row: RowID) -> Bool {
        if let covered {
            let key = Self.key(storedClass, row)
            return covered.values.contains(key) || covered.whole.contains(key)
        }
        return hasEntry(of: storedClass, row) { !$0.pointee.list.isThere }
    }

    func coversLists(_ storedClass: StoredClass, _ row: RowID) -> Bool {
        if let covered { return covered.whole.contains(Self.key(storedClass, row)) }
        return hasEntry(of: storedClass, row) { $0.pointee.isWhole }
    }

    /// Whether `condition` is true of an entry of the object. No entry is copied.
    @inline(__always)
    private func hasEntry(
        of storedClass: StoredClass, _ row: RowID, _ condition: (UnsafePointer<Entry>) -> Bool
    ) -> Bool {
        contains { entry in
            entry.pointee.row == row
                && entry.pointee.classReference.toOpaque()
                    == Unmanaged.passUnretained(storedClass).toOpaque()
                && condition(entry)
        }
    }

    /// The last entry is noted; the first time, all are.
    @inline(never)
    func noteCovered() {
        if let covered { return withEntry(at: count - 1) { covered.note($0) } }
        let covered = CoveredObjects()
        self.covered = covered
        forEachReversed { covered.note($0) }
    }
}
