extension Sequence {
    /// The elements in the order that `isBefore` says; equal ones stay as they come.
    ///
    /// For few elements, or what happens seldom: it compares by calls, and copies each element twice. Every use of
    /// `sorted(by:)` is compiled as a sort of its own, which takes the compiler 0.15 s and 3 KiB of code; all
    /// uses of this one share the sort of their places.
    package func inOrder(
        by isBefore: (Element, Element) throws -> Bool
    ) rethrows -> [Element] {
        let elements = Array(self)
        let places = try sortedPlaces(elements.count) { try isBefore(elements[$0], elements[$1]) }
        return places.map { elements[$0] }
    }
}

extension Sequence where Element: Comparable {
    /// The elements in ascending order: see ``inOrder(by:)``.
    package func inOrder() -> [Element] { inOrder(by: <) }
}

@inline(never)
private func sortedPlaces(
    _ count: Int, _ isBefore: (Int, Int) throws -> Bool
) rethrows -> [Int] {
    try (0..<count).sorted(by: isBefore)
}
