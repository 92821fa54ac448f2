import CSystem
import CabinetBackend

/// Has the processor fetch from memory what look-ups of rows, one after the other, are going to read, some
/// rows before they read it: records lie far apart, and each look-up waits for its bucket, then for its
/// record.
struct RowsAhead {
    /// How many rows ahead buckets are fetched; records half as many.
    private static let distance = 16
    /// Fewer rows are not worth it.
    private static let fewest = 8

    private let image: HashImage
    private let form: KeyForm
    private let rows: ArraySlice<RowID>
    /// The buckets of the rows that are next, by place.
    private var buckets: [UInt64]
    /// Up to which row buckets are fetched, and records.
    private var bucketEnd: Int
    private var recordEnd: Int

    /// `nil` for few rows, and for a table that has no hash file, or whose file cannot be opened: the
    /// look-ups themselves throw then.
    init?(_ rows: ArraySlice<RowID>, in table: Table?) {
        guard rows.count >= Self.fewest, let table, table.kind == .record,
            let file = try? table.hash()
        else { return nil }
        (image, form, self.rows) = (file.image, table.keyForm, rows)
        buckets = Array(repeating: 0, count: Self.distance)
        (bucketEnd, recordEnd) = (rows.startIndex, rows.startIndex)
    }

    /// To be called before the row at `place` is looked up, of each place in its order.
    @inline(__always)
    mutating func advance(to place: Int) {
        let wanted = min(place &+ Self.distance, rows.endIndex)
        while bucketEnd < wanted {
            let bucket = image.bucketIndex(of: rows[bucketEnd], form)
            buckets[bucketEnd % Self.distance] = bucket
            cabinet_prefetch_to_read(image.addressOfBucket(bucket))
            bucketEnd &+= 1
        }
        let half = min(place &+ Self.distance / 2, bucketEnd)
        while recordEnd < half {
            let offset = image.bucket(buckets[recordEnd % Self.distance])
            if offset > 0 {
                let record = image.base + Int(truncatingIfNeeded: offset)
                cabinet_prefetch_to_read(record)
                // Most records end in the next line of the cache.
                cabinet_prefetch_to_read(record + 64)
            }
            recordEnd &+= 1
        }
    }
}

extension HashImage {
    /// Which bucket the record of a row is in.
    @inline(__always)
    fileprivate func bucketIndex(of row: RowID, _ form: KeyForm) -> UInt64 {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            guard let room = room.baseAddress else { return 0 }
            return Self.hash(of: Table.key(of: row, form, in: room)).bucket % bucketCount
        }
    }

    @inline(__always)
    fileprivate func addressOfBucket(_ index: UInt64) -> UnsafeRawPointer {
        base + Int(truncatingIfNeeded: Self.headerSize &+ index &* (isLarge ? 8 : 4))
    }
}
