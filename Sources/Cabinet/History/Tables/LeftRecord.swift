import CabinetBackend

/// What a commit has left in a row, by which ``HistoryPart/findings(in:isolation:)`` compares: not the record, but
/// the CRC that a put has behind it. `Sendable`: a value.
struct LeftRecord: Hashable, Sendable {
    /// `nil`: nothing stands there.
    private let sum: UInt32?

    private init(sum: UInt32?) { self.sum = sum }

    static let nothing = LeftRecord(sum: nil)

    /// - Parameter stored: a record with its CRC behind it.
    init(stored: UnsafeRawBufferPointer) {
        let end = stored.count - Operation.checksumSize
        sum =
            end < 0
            ? nil
            : UInt32(
                littleEndian: stored.loadUnaligned(fromByteOffset: end, as: UInt32.self))
    }

    /// - Parameter record: `nil`: nothing stands there.
    init(_ record: UnsafeRawBufferPointer?, at place: RowPlace) {
        sum = record.map { place.checksum(of: $0) }
    }

    // MARK: The value in a table of history

    /// UInt32 CRC, little-endian, or UInt8 0 for nothing.
    var value: [UInt8] {
        sum.map { sum in withUnsafeBytes(of: sum.littleEndian) { Array($0) } } ?? [0]
    }

    /// `nil` for a value that does not say it, as of a row that was purged.
    init?(value: UnsafeRawBufferPointer) {
        switch value.count {
        case 1: self = .nothing
        case 4:
            self.init(
                sum: UInt32(littleEndian: value.loadUnaligned(as: UInt32.self)))
        default: return nil
        }
    }
}
