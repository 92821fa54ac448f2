import CabinetBackend

/// The first 64 bytes of a run.
///
/// | at | bytes |
/// |---|---|
/// | 0 | `CabnRun`, 0 |
/// | 8 | UInt32 format: 1, or 2 if blocks and index are sealed |
/// | 12 | UInt16 table |
/// | 14 | UInt8 flags of the table, 0 |
/// | 16 | UInt64 store number |
/// | 24 | UInt64 `from`: the commit before the run's first |
/// | 32 | UInt64 `to`: the run's last commit |
/// | 40 | UInt64 file number, random |
/// | 48 | 12 bytes 0 |
/// | 60 | UInt32 CRC-32C of the 60 bytes above |
///
/// The sums behind it cover store, table and file number, which are known before the first block
/// is written; `to` is not. So no block of another run is taken for one of this.
struct RunHeader: Hashable {
    static let size = 64
    /// The newest format that this code knows: that of a sealed store.
    static let format: UInt32 = 2
    static let openFormat: UInt32 = 1
    private static let known = KnownFormats(openFormat...format)
    private static let magic: UInt64 = 0x006E_7552_6E62_6143

    var identity: RunIdentity
    var span: CommitSpan
    var number: UInt64
    var isSealed = false

    /// What all sums of the file but the header's begin with.
    var fileSum: UInt32 { checksum(of: identity.store, UInt64(identity.table.rawValue), number) }

    func encode(to bytes: UnsafeMutableRawPointer) {
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: Self.size)
        bytes.put(Self.magic, at: 0)
        bytes.put(isSealed ? Self.format : Self.openFormat, at: 8)
        bytes.put(identity.table.rawValue, at: 12)
        bytes.put(identity.flags.rawValue, at: 14)
        bytes.put(identity.store, at: 16)
        bytes.put(span.from.rawValue, at: 24)
        bytes.put(span.to.rawValue, at: 32)
        bytes.put(number, at: 40)
        bytes.put(UnsafeRawBufferPointer(start: bytes, count: 60).checksum(), at: 60)
    }

    /// Reads a header of ``size`` bytes.
    ///
    /// - Throws: ``BackendError/corrupt(path:offset:)``, or
    ///   ``BackendError/newerFormat(path:found:known:)``.
    init(_ bytes: UnsafeRawPointer, path: String) throws(BackendError) {
        guard bytes.get(UInt64.self, at: 0) == Self.magic,
            bytes.get(UInt32.self, at: 60)
                == UnsafeRawBufferPointer(start: bytes, count: 60).checksum()
        else { throw .corrupt(path: path, offset: 0) }
        let format = bytes.get(UInt32.self, at: 8)
        try Self.known.check(format, path: path)
        identity = RunIdentity(
            store: bytes.get(at: 16), table: TableNumber(bytes.get(at: 12)),
            flags: TableFlags(rawValue: bytes.get(at: 14)))
        span = CommitSpan(
            from: CommitNumber(bytes.get(at: 24)), to: CommitNumber(bytes.get(at: 32)))
        number = bytes.get(at: 40)
        isSealed = format == Self.format
        guard span.from < span.to else { throw .corrupt(path: path, offset: 0) }
    }

    init(identity: RunIdentity, span: CommitSpan, number: UInt64, isSealed: Bool = false) {
        self.identity = identity
        self.span = span
        self.number = number
        self.isSealed = isSealed
    }
}

extension UnsafeRawBufferPointer {
    /// The sum of a part of a run, bound to the file and to where the part begins.
    @inline(__always)
    func checksum(in fileSum: UInt32, at offset: UInt64) -> UInt32 {
        checksum(from: Self.seed(fileSum, offset))
    }

    /// What the sum of a part of a run begins with.
    static func seed(_ fileSum: UInt32, _ offset: UInt64) -> UInt32 {
        Swift.withUnsafeBytes(of: offset.littleEndian) { $0.checksum(from: fileSum) }
    }
}
