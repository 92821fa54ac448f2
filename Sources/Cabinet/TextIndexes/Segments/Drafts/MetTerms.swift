import CabinetTextSearch

/// Terms of texts, in the order in which they were met, that wait to be looked up together in a
/// ``TermTable``. Its owner frees it, and makes no copies.
struct MetTerms {
    /// So many terms wait at most.
    static let limit = 256

    let keys = UnsafeMutablePointer<TermKey>.allocate(capacity: limit)
    /// Where the terms stand in their texts.
    let positions = UnsafeMutablePointer<UInt32>.allocate(capacity: limit)
    /// Their numbers in the table, once they are looked up.
    let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: limit)
    private let starts = UnsafeMutablePointer<UInt32>.allocate(capacity: limit)
    /// The bytes of terms of more than 8.
    private var long = PlainList<UInt8>()
    private(set) var count = 0

    func deallocate() {
        keys.deallocate()
        positions.deallocate()
        numbers.deallocate()
        starts.deallocate()
        long.deallocate()
    }

    var isFull: Bool {
        @inline(__always) get { count == Self.limit }
    }

    /// Adds a term, for which there must be room.
    @inline(__always)
    mutating func append(_ token: Token, _ hashing: TermHashing) {
        let key = TermKey(token.term, hashing)
        if key.count > 8 {
            starts[count] = UInt32(truncatingIfNeeded: long.count)
            long.append(token.term)
        }
        keys[count] = key
        positions[count] = UInt32(truncatingIfNeeded: token.position)
        count &+= 1
    }

    /// The bytes of a term of more than 8.
    @inline(__always)
    func bytes(of index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: long.base + Int(starts[index]), count: Int(keys[index].count))
    }

    mutating func removeAll() {
        count = 0
        long.removeAll()
    }
}
