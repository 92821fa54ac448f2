import CSystem
import CabinetBackend

/// Looks rows up, one after the other, and has the processor fetch from memory what later look-ups will
/// read: records lie far apart, and each look-up would wait for its bucket, then for its record, and one
/// in five for the next record of the bucket.
///
/// That is done for a block of rows at a time, by one short loop for each of the three: on many processors a
/// prefetch waits until the page of its address is known, and only a short loop has several of them wait
/// side by side. What a loop finds out is kept, so no key or hash is made twice. The file must not change
/// meanwhile.
struct RowsAhead: ~Copyable {
    private static let blockSize = 32
    /// Fewer rows are not worth it.
    private static let fewest = 8

    /// A row whose turn has not come.
    private struct Entry {
        /// In the block's room for keys.
        var key: UnsafeRawBufferPointer
        /// The bucket's number, then the offset of the record with which the search begins.
        var place: UInt64
        /// The key's second hash.
        var hash: UInt8
    }

    private let image: HashImage
    private let form: KeyForm
    private let rows: ArraySlice<RowID>
    private let entries: UnsafeMutablePointer<Entry>
    /// 16 bytes for each entry.
    private let keys: UnsafeMutablePointer<UInt8>
    /// The rows that are in the block.
    private var start: Int
    private var end: Int

    /// `nil` for few rows, which are looked up one by one.
    init?(_ rows: ArraySlice<RowID>, in table: Table, _ file: HashFile) {
        guard rows.count >= Self.fewest else { return nil }
        (image, form, self.rows) = (file.image, table.keyForm, rows)
        entries = .allocate(capacity: Self.blockSize)
        keys = .allocate(capacity: Self.blockSize * 16)
        (start, end) = (rows.startIndex, rows.startIndex)
    }

    deinit {
        entries.deallocate()
        keys.deallocate()
    }

    /// Looks up the row at `place`, which is higher than at the call before; places may be passed over.
    /// Also returns the size of its key.
    @inline(__always)
    mutating func find(at place: Int) -> (HashImage.Finding, Int) {
        if place >= end { fetchBlock(from: place) }
        let entry = entries + (place &- start)
        let key = entry.pointee.key
        return (image.find(key, entry.pointee.hash, from: entry.pointee.place), key.count)
    }

    @inline(never)
    private mutating func fetchBlock(from place: Int) {
        let count = min(Self.blockSize, rows.endIndex &- place)
        (start, end) = (place, place &+ count)
        for index in 0..<count {
            let key = Table.key(of: rows[place &+ index], form, in: keys + index &* 16)
            let (first, hash) = HashImage.hash(of: key)
            (entries + index).initialize(
                to: Entry(key: key, place: first % image.bucketCount, hash: hash))
        }
        for index in 0..<count {
            cabinet_prefetch_to_read(image.addressOfBucket(entries[index].place))
        }
        for index in 0..<count {
            let offset = image.bucket(entries[index].place)
            entries[index].place = offset
            fetchRecord(at: offset)
        }
        for index in 0..<count {
            let entry = entries + index
            guard let next = image.child(of: entry.pointee.place, for: entry.pointee.hash) else {
                continue
            }
            entry.pointee.place = next
            fetchRecord(at: next)
        }
    }

    @inline(__always)
    private func fetchRecord(at offset: UInt64) {
        guard offset > 0 else { return }
        let record = image.base + Int(truncatingIfNeeded: offset)
        cabinet_prefetch_to_read(record)
        // Most records end in the next line of the cache.
        cabinet_prefetch_to_read(record + 64)
    }
}

extension HashImage {
    @inline(__always)
    fileprivate func addressOfBucket(_ index: UInt64) -> UnsafeRawPointer {
        base + Int(truncatingIfNeeded: Self.headerSize &+ index &* (isLarge ? 8 : 4))
    }
}
