import CabinetBackend

/// How a hash file holds the values of its table: what a commit has put goes into such a file, and comes
/// out of it again, here alone.
package struct ValueForm: Hashable, Sendable {
    /// Whether the CRC-32C of key and value stands behind each value. Files of 2010 have none.
    let hasSum: Bool

    package static let summed = ValueForm(hasSum: true)
    package static let bare = ValueForm(hasSum: false)

    init(_ entry: CatalogEntry) { self.init(hasSum: entry.checksums) }

    private init(hasSum: Bool) { self.hasSum = hasSum }

    // MARK: Putting

    /// What a file holds of a value with its sum behind it.
    @inline(__always)
    func content(of stored: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        hasSum ? stored : Checksum.value(of: stored)
    }

    // MARK: Taking

    /// Calls `body` with the value that was found under `key` as `content`. `nil`: it is damaged.
    @inline(__always)
    func withValue<Result>(
        of content: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        value(of: content, key).map(body)
    }

    /// Likewise, where the key's `keySize` bytes lie in front of what was found.
    @inline(__always)
    func withValue<Result>(
        of content: UnsafeRawBufferPointer, behindKey keySize: Int,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        guard hasSum else { return body(content) }
        return Checksum.isRight(behindKey: keySize, content)
            ? body(Checksum.value(of: content)) : nil
    }

    /// The value that was found under `key` as `content`, which it is a part of. `nil`: it is damaged.
    @inline(__always)
    func value(
        of content: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        guard hasSum else { return content }
        return Checksum.isRight(key, content) ? Checksum.value(of: content) : nil
    }

    /// Calls `body` with the key and the value of a record. `nil`: it is damaged.
    @inline(__always)
    func withEntry<Result>(
        of record: HashImage.Record,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        guard hasSum else { return body(record.key, record.value) }
        return Checksum.isRight(record)
            ? body(record.key, Checksum.value(of: record.value)) : nil
    }

    /// Whether a record is not known to be damaged.
    @inline(__always)
    func isSound(_ record: HashImage.Record) -> Bool { !hasSum || Checksum.isRight(record) }
}
