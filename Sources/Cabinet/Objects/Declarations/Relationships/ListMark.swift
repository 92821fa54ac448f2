/// What is kept of a list while it is changed in place: where to look for newcomers.
@frozen @usableFromInline
struct ListMark {
    @usableFromInline let base: UnsafeRawPointer?
    @usableFromInline let count: Int
    @usableFromInline let last: UnsafeRawPointer?

    private static let reach = 512

    @inlinable @inline(__always)
    init<Element: AnyObject>(_ list: [Element]) {
        (base, count, last) = list.withUnsafeBufferPointer { objects in
            let base = UnsafeRawPointer(objects.baseAddress)
            guard let base, !objects.isEmpty else { return (base, 0, nil) }
            // The list holds them: no references are counted.
            let held = base.assumingMemoryBound(to: UnsafeRawPointer.self)
            return (base, objects.count, held[objects.count - 1])
        }
    }

    /// The only object that was put at the end of what is `list` now, if nothing else was done: a
    /// replaced list lies elsewhere, and one about to grow is given room before.
    ///
    /// One access in place that exchanges an object before the last and also appends one counts as
    /// an append: all of the list would have to be compared. What was exchanged is found when the
    /// run of appends is reconciled, as of the run's beginning.
    @inlinable @inline(__always)
    func withOnlyAppended<Element: StoredObject>(
        in list: [Element], _ body: (StoredObject) -> Bool
    ) -> Bool {
        list.withUnsafeBufferPointer { objects in
            let now = UnsafeRawPointer(objects.baseAddress)
            guard let now, now == base, objects.count == count &+ 1, count > 0 else { return false }
            let held = now.assumingMemoryBound(to: UnsafeRawPointer.self)
            guard held[count &- 1] == last else { return false }
            // The list holds them: no references are counted.
            return Unmanaged<StoredObject>.fromOpaque(held[count])._withUnsafeGuaranteedRef(body)
        }
    }

    /// Where in the list objects may stand that did not stand there before. Appending moves it
    /// seldom, so a loop of appends looks at each newcomer a few times. Of a list that became
    /// shorter where it lies, 512 objects at either end are looked at: all of it would make a loop
    /// that removes one at a time quadratic.
    func newcomers(in list: [StoredObject]) -> [Range<Int>] {
        let now = ListMark(list)
        guard now.base == base, now.count != count, count > 0 else { return [0..<now.count] }
        if now.count < count {
            return now.count <= 2 * Self.reach
                ? [0..<now.count] : [0..<Self.reach, (now.count - Self.reach)..<now.count]
        }
        let isAppended = list.withUnsafeBufferPointer {
            UnsafeRawPointer($0.baseAddress)?
                .assumingMemoryBound(to: UnsafeRawPointer.self)[count - 1] == last
        }
        return [(isAppended ? count : 0)..<now.count]
    }
}
