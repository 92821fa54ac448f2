import CSystem
import CabinetBackend

/// Looks rows up, one after the other, and has the processor fetch from memory what later look-ups will
/// read: records lie far apart, and each look-up would wait for its bucket, then for its record, and one
/// in five for the next record of the bucket.
///
/// Each row passes through three stages before its turn comes. What a stage finds out is kept, so no key
/// or hash is made twice. The file must not change meanwhile.
struct RowsAhead: ~Copyable {
    /// How many rows before a row's turn its bucket is fetched, the first record of the bucket, and the
    /// next record if that is another row's.
    private static let bucketDistance = 24
    private static let recordDistance = 16
    private static let nextDistance = 8
    /// A power of two, not below the largest distance.
    private static let ringSize = 32
    /// Fewer rows are not worth it.
    private static let fewest = 8

    /// A row whose turn has not come.
    private struct Entry {
        /// In the ring's room for keys.
        var key: UnsafeRawBufferPointer
        /// The bucket's number, then the offset of the record with which the search begins.
        var place: UInt64
        /// The key's second hash.
        var hash: UInt8
    }

    private let image: HashImage
    private let form: KeyForm
    private let rows: ArraySlice<RowID>
    private let ring: UnsafeMutablePointer<Entry>
    /// 16 bytes for each entry.
    private let keys: UnsafeMutablePointer<UInt8>
    /// The first row of each stage that has not passed through it.
    private var bucketEnd: Int
    private var recordEnd: Int
    private var nextEnd: Int

    /// `nil` for few rows, which are looked up one by one.
    init?(_ rows: ArraySlice<RowID>, in table: Table, _ file: HashFile) {
        guard rows.count >= Self.fewest else { return nil }
        (image, form, self.rows) = (file.image, table.keyForm, rows)
        ring = .allocate(capacity: Self.ringSize)
        keys = .allocate(capacity: Self.ringSize * 16)
        (bucketEnd, recordEnd, nextEnd) = (rows.startIndex, rows.startIndex, rows.startIndex)
    }

    deinit {
        ring.deallocate()
        keys.deallocate()
    }

    /// Looks up the row at `place`, which is higher than at the call before; places may be passed over.
    /// Also returns the size of its key.
    @inline(__always)
    mutating func find(at place: Int) -> (HashImage.Finding, Int) {
        advance(to: place)
        let entry = ring + (place & (Self.ringSize &- 1))
        let key = entry.pointee.key
        return (image.find(key, entry.pointee.hash, from: entry.pointee.place), key.count)
    }

    @inline(__always)
    private mutating func advance(to place: Int) {
        // Rows that were passed over are not in the ring any longer.
        bucketEnd = max(bucketEnd, place)
        recordEnd = max(recordEnd, place)
        nextEnd = max(nextEnd, place)
        let bucketGoal = min(place &+ Self.bucketDistance, rows.endIndex)
        while bucketEnd < bucketGoal {
            fetchBucket(of: bucketEnd)
            bucketEnd &+= 1
        }
        let recordGoal = min(place &+ Self.recordDistance, bucketEnd)
        while recordEnd < recordGoal {
            let entry = ring + (recordEnd & (Self.ringSize &- 1))
            entry.pointee.place = image.bucket(entry.pointee.place)
            fetchRecord(at: entry.pointee.place)
            recordEnd &+= 1
        }
        let nextGoal = min(place &+ Self.nextDistance, recordEnd)
        while nextEnd < nextGoal {
            let entry = ring + (nextEnd & (Self.ringSize &- 1))
            if let next = image.child(of: entry.pointee.place, for: entry.pointee.hash) {
                entry.pointee.place = next
                fetchRecord(at: next)
            }
            nextEnd &+= 1
        }
    }

    @inline(__always)
    private func fetchBucket(of place: Int) {
        let slot = place & (Self.ringSize &- 1)
        let key = Table.key(of: rows[place], form, in: keys + slot &* 16)
        let (first, hash) = HashImage.hash(of: key)
        let bucket = first % image.bucketCount
        (ring + slot).initialize(to: Entry(key: key, place: bucket, hash: hash))
        cabinet_prefetch_to_read(image.addressOfBucket(bucket))
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
