/// What is kept of a list while an object that is in no store changes it in place: enough to tell
/// where to look for newcomers without comparing all of it.
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

    /// Where in the list, as it is now, objects may stand that did not stand there before.
    ///
    /// Appending moves the list seldom, so a loop of appends looks at each newcomer a few times. Of
    /// a list that became shorter where it lies, 512 objects at either end are looked at: all of it
    /// would make a loop that removes one at a time quadratic.
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
