import CabinetBackend

/// The file `Journal/Clean`: whole only while nothing has changed since an orderly close.
///
/// It is made once and then overwritten, by a number where its magic is and by the next marker: to
/// remove it and make it again has the device write its directory, too, and takes twice as long.
///
/// Magic (UInt64), format (UInt32), store's number, last commit number, snapshot's commit number
/// (UInt64 each), then the segments, UInt32 count, each number and length (UInt64); the tables as
/// in ``TableList``; for each table the size of its view (UInt64), its number of records (UInt64)
/// and the CRC-32C of its content (UInt32, with a UInt8 that says whether there is one); at the end
/// CRC-32C over all.
package struct CleanMarker: Hashable {
    static let magic: UInt64 = 0x006E_6C43_6E62_6143
    /// The newest format that this code knows.
    static let format: UInt32 = 1
    private static let known = KnownFormats(1...format)

    var store: UInt64
    var lastCommit: CommitNumber
    var snapshot: CommitNumber
    var segments: [Segment]
    package var tables: [TableState]
    /// In the order of `tables`.
    package var views: [ViewSeal]

    struct Segment: Hashable {
        var number: UInt64
        var length: UInt64
    }

    func write(to files: any FileLayer, _ paths: StorePaths) throws(BackendError) {
        let buffer = DataBuffer()
        buffer.sizeLimit = .max
        buffer.writeUInt64(Self.magic)
        buffer.writeUInt32(Self.format)
        buffer.writeUInt64(store)
        buffer.writeUInt64(lastCommit.rawValue)
        buffer.writeUInt64(snapshot.rawValue)
        buffer.writeUInt32(UInt32(segments.count))
        for segment in segments {
            buffer.writeUInt64(segment.number)
            buffer.writeUInt64(segment.length)
        }
        TableList.write(tables, to: buffer)
        for view in views { view.write(to: buffer) }
        buffer.writeUInt32(buffer.withUnsafeBytes { $0.checksum() })
        let isNew = try files.status(of: paths.clean) == nil
        let file = try files.open(paths.clean, for: isNew ? .replacing : .writing)
        try buffer.withUnsafeBytes { bytes throws(BackendError) in
            try files.write(bytes, to: file, at: 0)
        }
        if try files.size(of: file) > UInt64(buffer.count) {
            try files.truncate(file, to: UInt64(buffer.count))
        }
        try files.sync(file)
        if isNew { try files.syncDirectory(paths.log) }
    }

    /// What stands in the place of the magic while commits are made that a power cut may take back.
    private static let mayLose: UInt64 = 1

    /// Makes the marker invalid: from now on the files may change. What takes its place says whether a
    /// power cut may take commits back, and the frame of the session with them.
    static func revoke(
        _ files: any FileLayer, _ paths: StorePaths, _ durability: Durability
    ) throws(BackendError) {
        guard try files.status(of: paths.clean) != nil else { return }
        let file = try files.open(paths.clean, for: .writing)
        let number = durability == .full ? 0 : Self.mayLose
        try withUnsafeBytes(of: number.littleEndian) { bytes throws(BackendError) in
            try files.write(bytes, to: file, at: 0)
        }
        try files.sync(file)
    }

    /// Whether a session took the marker back whose commits a power cut may have taken back.
    static func saysThatCommitsMayBeLost(
        _ files: any FileLayer, _ paths: StorePaths
    ) throws(BackendError) -> Bool {
        guard try files.status(of: paths.clean) != nil else { return false }
        let file = try files.open(paths.clean, for: .reading)
        var number: UInt64 = 0
        let count = try withUnsafeMutableBytes(of: &number) { bytes throws(BackendError) in
            try files.read(file, at: 0, into: bytes)
        }
        return count == 8 && UInt64(littleEndian: number) == mayLose
    }

    /// The marker, or `nil` if there is no valid one.
    package static func read(
        from files: any FileLayer, _ paths: StorePaths
    ) throws(BackendError) -> CleanMarker? {
        guard let status = try files.status(of: paths.clean), status.size < 64 << 20 else {
            return nil
        }
        let window = try ByteWindow(files: files, path: paths.clean)
        guard window.size >= 12, let bytes = try window.bytes(at: 0, window.size),
            let base = bytes.baseAddress, base.get(UInt64.self, at: 0) == magic
        else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
        guard body.checksum() == base.get(UInt32.self, at: body.count) else { return nil }
        let format = base.get(UInt32.self, at: 8)
        try Self.known.check(format, path: paths.clean)
        let buffer = DataBuffer()
        buffer.sizeLimit = .max
        buffer.borrow(UnsafeRawBufferPointer(rebasing: body[12...]))
        return try? CleanMarker(from: buffer)
    }

    private init(from buffer: DataBuffer) throws(DataBufferError) {
        store = try buffer.readUInt64()
        lastCommit = CommitNumber(try buffer.readUInt64())
        snapshot = CommitNumber(try buffer.readUInt64())
        segments = []
        for _ in 0..<(try buffer.readUInt32()) {
            segments.append(
                Segment(number: try buffer.readUInt64(), length: try buffer.readUInt64()))
        }
        tables = try TableList.read(from: buffer)
        views = []
        for _ in tables { views.append(try ViewSeal(from: buffer)) }
    }

    init(
        store: UInt64, lastCommit: CommitNumber, snapshot: CommitNumber, segments: [Segment],
        tables: [TableState], views: [ViewSeal]
    ) {
        self.store = store
        self.lastCommit = lastCommit
        self.snapshot = snapshot
        self.segments = segments
        self.tables = tables
        self.views = views
    }
}

/// What a view file was when it was closed in order.
package struct ViewSeal: Hashable {
    /// Bytes of the file.
    var size: UInt64
    /// Rows or keys in it.
    var count: UInt64
    /// CRC-32C of the whole file, for files up to `largestSummed` bytes.
    var sum: UInt32?

    /// Larger files are trusted by their header and count: 8 MiB.
    static let largestSummed: UInt64 = 8 << 20

    func write(to buffer: DataBuffer) {
        buffer.writeUInt64(size)
        buffer.writeUInt64(count)
        buffer.writeUInt32(sum ?? 0)
        buffer.writeBool(sum != nil)
    }

    init(from buffer: DataBuffer) throws(DataBufferError) {
        size = try buffer.readUInt64()
        count = try buffer.readUInt64()
        let sum = try buffer.readUInt32()
        self.sum = try buffer.readBool() ? sum : nil
    }

    init(size: UInt64, count: UInt64, sum: UInt32?) {
        self.size = size
        self.count = count
        self.sum = sum
    }
}
