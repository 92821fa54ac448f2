import CLibrary
import CabinetBackend

extension HashImage {
    package enum Finding {
        case value(UnsafeRawBufferPointer)
        case nothing
        /// The file makes no sense at this offset.
        case damage(UInt64)
    }

    /// Looks a key up: a bucket by its first hash, and there a binary tree ordered by the second
    /// hash, then the key's length, then its bytes.
    package func find(_ key: UnsafeRawBufferPointer) -> Finding {
        let (first, hash) = Self.hash(of: key)
        return find(key, hash, from: bucket(first % bucketCount))
    }

    /// Looks a key up in a bucket's tree.
    ///
    /// - Parameters:
    ///   - hash: its second hash.
    ///   - start: the tree's first record, or one that ``child(of:for:)`` has led to from there; 0 for
    ///     none.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer, _ hash: UInt8, from start: UInt64) -> Finding {
        var offset = start
        var steps = 0
        while offset > 0 {
            guard steps < Self.deepest, let found = self.hash(at: offset) else {
                return .damage(offset)
            }
            steps &+= 1
            // Of a record that is only passed by, nothing but its hash and its links is looked at.
            if hash != found {
                offset = child(of: offset, isLeft: hash > found)
                continue
            }
            guard case .record(let record)? = block(at: offset) else { return .damage(offset) }
            let order = Self.order(key, record.key)
            if order == 0 { return .value(record.value) }
            offset = order > 0 ? record.left : record.right
        }
        return .nothing
    }

    /// The record to look at instead of the one at `offset`, whose second hash is another than `hash`,
    /// or 0 for none. `nil`: it may be the one that is looked for, or there is no record at `offset`.
    @inline(__always)
    func child(of offset: UInt64, for hash: UInt8) -> UInt64? {
        guard let found = self.hash(at: offset), found != hash else { return nil }
        return child(of: offset, isLeft: hash > found)
    }

    /// The library's two hashes of a key: that of the bucket, and that which orders a bucket.
    @inline(__always)
    static func hash(of key: UnsafeRawBufferPointer) -> (bucket: UInt64, order: UInt8) {
        var first: UInt64 = 19_780_211
        var second: UInt32 = 751
        var back = key.count
        for byte in key {
            back &-= 1
            first = first &* 37 &+ UInt64(byte)
            second = second &* 31 ^ UInt32(key[back])
        }
        return (first, UInt8(truncatingIfNeeded: second))
    }

    /// No bucket of a sound file holds as many; a ring in a damaged one ends here.
    private static let deepest = 1 << 16

    @inline(__always)
    private static func order(
        _ key: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Int32 {
        if key.count != other.count { return key.count > other.count ? 1 : -1 }
        guard key.count > 0, let one = key.baseAddress, let two = other.baseAddress else {
            return 0
        }
        return memcmp(one, two, key.count)
    }

    /// Where in the file bytes stand that were found in it.
    func offset(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.baseAddress.map { UInt64(truncatingIfNeeded: $0 - base) } ?? 0
    }

    /// Whether every record is whole, can be found and is sound, there
    /// are as many as the header says, and no link leads anywhere else. Returns where that is not
    /// so.
    package func firstDamage(_ values: ValueForm) -> UInt64? {
        var offset = firstRecord
        var count: UInt64 = 0
        // One leads to each record: a further one is not missed by any search that succeeds.
        var links: UInt64 = 0
        for index in 0..<bucketCount where bucket(index) != 0 { links += 1 }
        while offset < end {
            switch block(at: offset) {
            case nil: return offset
            case .free(let next): offset = next
            case .record(let record):
                guard case .value(let value) = find(record.key),
                    value.baseAddress == record.value.baseAddress,
                    values.isSound(record)
                else { return offset }
                count += 1
                links += (record.left == 0 ? 0 : 1) + (record.right == 0 ? 0 : 1)
                offset = record.next
            }
        }
        guard links == count else { return Self.headerSize }
        return count == recordCount ? nil : 48
    }
}

extension Checksum {
    /// Whether the sum of a record is right, whose key and value lie one behind the other.
    @inline(__always)
    static func isRight(_ record: HashImage.Record) -> Bool {
        let length = record.key.count + record.value.count - Operation.checksumSize
        guard record.value.count >= Operation.checksumSize, let base = record.key.baseAddress else {
            return false
        }
        return UnsafeRawBufferPointer(start: base, count: length).checksum()
            == base.get(UInt32.self, at: length)
    }
}
