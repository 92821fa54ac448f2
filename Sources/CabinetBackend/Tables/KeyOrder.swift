import CLibrary

/// How keys compare: as unsigned bytes, a shorter one before those that it begins.
package enum KeyOrder {
    /// Below 0 if `one` comes before `other`, 0 if they are equal.
    ///
    /// - Parameter shared: how many bytes at the front are known to be alike in both.
    @inlinable @inline(__always)
    package static func order(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, behind shared: Int = 0
    ) -> Int {
        let count = min(one.count, other.count) - shared
        if count > 0, let left = one.baseAddress, let right = other.baseAddress {
            let order = memcmp(left + shared, right + shared, count)
            if order != 0 { return Int(order) }
        }
        return one.count - other.count
    }

    /// Where `key` stands against all keys that begin with the first `shared` bytes of `sample`,
    /// which is not shorter: below 0 before them, above 0 behind them, 0 if it may be among them.
    ///
    /// - Parameter known: how many bytes at the front are known to be alike in both.
    @inlinable @inline(__always)
    package static func side(
        of key: UnsafeRawBufferPointer, sharing shared: Int, of sample: UnsafeRawBufferPointer,
        known: Int = 0
    ) -> Int {
        if key.count >= shared, areAlike(key, sample, shared, from: known) { return 0 }
        return slowSide(of: key, sharing: shared, of: sample)
    }

    @inline(never) @usableFromInline
    package static func slowSide(
        of key: UnsafeRawBufferPointer, sharing shared: Int, of sample: UnsafeRawBufferPointer
    ) -> Int {
        let count = min(key.count, shared)
        if count > 0, let left = key.baseAddress, let right = sample.baseAddress {
            let order = memcmp(left, right, count)
            if order != 0 { return Int(order) }
        }
        return key.count < shared ? -1 : 0
    }

    /// Whether the first `count` bytes, which both keys have, are alike; the first `known` are.
    @inlinable @inline(__always)
    package static func areAlike(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, _ count: Int,
        from known: Int = 0
    ) -> Bool {
        guard count > 0, let left = one.baseAddress, let right = other.baseAddress else {
            return count == 0
        }
        guard count >= 8 else { return memcmp(left, right, count) == 0 }
        var index = known
        while index &+ 8 <= count {
            if left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                != right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            {
                return false
            }
            index &+= 8
        }
        // The last bytes, with some that were compared already.
        return left.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    }

    /// The eight bytes behind the first `shared` ones as a number, zeros behind a shorter key. Where
    /// two differ, keys that share the bytes before are in the order of the numbers.
    @inlinable @inline(__always)
    package static func start(of key: UnsafeRawBufferPointer, behind shared: Int = 0) -> UInt64 {
        let count = key.count &- shared
        guard count > 0, let base = key.baseAddress else { return 0 }
        if count >= 8 {
            return UInt64(
                bigEndian: base.loadUnaligned(fromByteOffset: shared, as: UInt64.self))
        }
        // A long enough key has the bytes before these, and one load takes all.
        if key.count >= 8 {
            let last = UInt64(
                bigEndian: base.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self))
            return last << UInt64(8 * (8 - count))
        }
        var start: UInt64 = 0
        for index in shared..<key.count {
            start = start << 8 | UInt64(base.load(fromByteOffset: index, as: UInt8.self))
        }
        return start << UInt64(8 * (8 - count))
    }

    /// How many bytes at the front are alike in both, `limit` at most, of which the first `known`
    /// need not be compared.
    @inlinable @inline(__always)
    package static func commonLength(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, from known: Int = 0,
        limit: Int = .max
    ) -> Int {
        let count = min(one.count, other.count, limit)
        guard let left = one.baseAddress, let right = other.baseAddress else { return 0 }
        var index = known
        while index + 8 <= count {
            let difference =
                left.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
                ^ right.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            if difference != 0 { return index + difference.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count,
            left.load(fromByteOffset: index, as: UInt8.self)
                == right.load(fromByteOffset: index, as: UInt8.self)
        {
            index += 1
        }
        return index
    }

    @inlinable @inline(__always)
    package static func areEqual(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Bool {
        one.count == other.count && areAlike(one, other, one.count)
    }

    /// Whether `key` comes before `bound`.
    @inlinable @inline(__always)
    package static func isBefore(_ key: UnsafeRawBufferPointer, _ bound: [UInt8]) -> Bool {
        bound.withUnsafeBytes { order(key, $0) < 0 }
    }
}
