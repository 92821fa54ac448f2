import CabinetBackend

/// Sorted terms, one after the other in one block of memory, each once. `Sendable`: a value.
package struct TermList: Sendable {
    @usableFromInline
    private(set) var bytes: [UInt8] = []
    /// Where each term begins, and where the last one ends.
    @usableFromInline
    private(set) var starts: [UInt32] = [0]
    /// How many bytes each term has in common with the one before it; at most 255 are counted.
    private var common: [UInt8] = []

    package init() {}

    package var count: Int { common.count }
    /// About how many bytes of memory the list takes.
    var size: Int { bytes.count + common.count * 5 }

    /// Adds a term behind all others. One that is not behind them is left out, and so is all beyond
    /// 4 GiB.
    package mutating func append(_ term: UnsafeRawBufferPointer) {
        var shared = 0
        if count > 0 {
            let isBehind = withBytes(of: count - 1) { last in
                shared = Self.common(last, term)
                return Self.precedes(last, term)
            }
            guard isBehind else { return }
        }
        guard bytes.count + term.count <= Int(UInt32.max) else { return }
        bytes.append(contentsOf: term)
        starts.append(UInt32(bytes.count))
        common.append(UInt8(min(shared, 255)))
    }

    private static func common(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Int {
        let end = min(one.count, other.count)
        var shared = 0
        while shared < end, one[shared] == other[shared] { shared += 1 }
        return shared
    }

    private static func precedes(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Bool {
        let shared = common(one, other)
        if shared == one.count { return shared < other.count }
        return shared < other.count && one[shared] < other[shared]
    }

    /// The bytes of the term in that place.
    @inlinable
    package func withBytes<Result>(
        of term: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try bytes.withUnsafeBytes { bytes in
            let range = Int(starts[term])..<Int(starts[term + 1])
            return try body(UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }

    /// The place of the first term that is not before `key`.
    package func place(of key: [UInt8]) -> Int {
        key.withUnsafeBytes { key in
            (0..<count).partitioningIndex { !withBytes(of: $0) { Self.precedes($0, key) } }
        }
    }

    /// The place of the first term behind `term` that does not share its first `shared` bytes; more
    /// than 255 may count as shared.
    func placeBehind(_ term: Int, sharing shared: Int) -> Int {
        let limit = UInt8(min(shared, 255))
        return common.withUnsafeBufferPointer { common in
            var place = term + 1
            let wide = SIMD16<UInt8>(repeating: limit)
            while place + 16 <= common.count, let base = common.baseAddress {
                let next = UnsafeRawPointer(base + place)
                    .loadUnaligned(as: SIMD16<UInt8>.self)
                if any(next .< wide) { break }
                place += 16
            }
            while place < common.count, common[place] >= limit { place += 1 }
            return place
        }
    }

    /// How many bytes a term has in common with the one before it, as far as 255 are.
    func shared(by term: Int) -> Int { Int(common[term]) }
}

extension TermList {
    /// The terms of several lists, each once.
    package init(merging lists: [TermList]) {
        if lists.count == 1 {
            self = lists[0]
            return
        }
        self.init()
        var places = Array(repeating: 0, count: lists.count)
        while true {
            var least: Int?
            for (list, place) in places.enumerated() where place < lists[list].count {
                guard let other = least else {
                    least = list
                    continue
                }
                let isBefore = lists[list].withBytes(of: place) { one in
                    lists[other].withBytes(of: places[other]) { Self.precedes(one, $0) }
                }
                if isBefore { least = list }
            }
            guard let least else { return }
            // A term that several lists have is left out when it comes again.
            lists[least].withBytes(of: places[least]) { append($0) }
            places[least] += 1
        }
    }
}
