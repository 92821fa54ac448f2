extension RandomAccessCollection where Index == Int {
    /// The place of the first element of which `isBehind` is true, by halving; the end if there is none. It is
    /// true of all elements behind that one.
    @inlinable
    package func partitioningIndex(where isBehind: (Element) throws -> Bool) rethrows -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if try isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
