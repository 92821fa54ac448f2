import CabinetBackend

/// How a hash file is laid out for what it is to hold.
struct HashSizing: Hashable {
    /// How many buckets; the library takes the next prime of its list.
    var buckets: Int64
    /// Whether offsets take 8 bytes instead of 4.
    var isLarge: Bool

    /// Records of new files begin at multiples of 4 bytes, so 4-byte offsets reach 16 GiB. Those of
    /// BNRPersistence, at multiples of 16, are read and written as they are.
    static let alignmentPower: Int8 = 2
    private static let smallLimit = reach(of: UInt64(alignmentPower))
    private static let fewestBuckets: Int64 = 4093

    /// Three quarters of what 4-byte offsets reach.
    private static func reach(of power: UInt64) -> UInt64 { 3 << (power + 30) }

    /// For `count` records of `bytes` bytes in all: about two buckets a record, so that the file
    /// need not be laid out again before it holds twice as many.
    init(count: UInt64, bytes: UInt64) {
        buckets = max(Int64(clamping: count.multipliedReportingOverflow(by: 2).partialValue), 0)
        buckets = max(buckets, Self.fewestBuckets)
        isLarge = bytes > Self.smallLimit
    }

    /// The size of a file without records.
    var emptySize: UInt64 {
        HashImage.headerSize + UInt64(buckets) * 9 / 8 * (isLarge ? 8 : 4) + 16384
    }

    /// The layout that a file should get before it grows to `count` records and `size` bytes; `nil`
    /// if its own will do.
    static func better(
        than image: HashImage, count: UInt64, size: UInt64
    ) -> HashSizing? {
        let mustBeLarge = !image.isLarge && size > reach(of: image.alignmentPower)
        guard mustBeLarge || count > image.bucketCount else { return nil }
        // Four times what is needed now, so that a table which grows steadily is seldom copied.
        var sizing = HashSizing(count: count * 2, bytes: size)
        sizing.isLarge = sizing.isLarge || mustBeLarge
        return sizing
    }

    /// The most bytes by which `puts` records with `bytes` bytes of keys and values grow a file.
    static func growth(puts: UInt64, bytes: UInt64) -> UInt64 {
        // Header of a record with 8-byte links and the longest lengths: 30. Alignment: 15 in files of
        // BNRPersistence.
        bytes + puts * 48 + (64 << 10)
    }
}
