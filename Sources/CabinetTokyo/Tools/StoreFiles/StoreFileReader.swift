import CabinetBackend

/// A store file that is open for reading.
///
/// Opening it reads header and metadata, by one read if both are no longer than 64 KiB. `Sendable`, because
/// nothing in it changes.
package final class StoreFileReader: Sendable {
    package let header: StoreFileHeader
    /// As they stand in the file; `nil`: they are damaged.
    package let metadata: [UInt8]?
    /// The keys of a sealed store; `nil`: it is not sealed, or they are damaged.
    package let keys: KeyFile?
    /// As it was when the file was opened.
    let status: FileStatus

    private let files: any FileLayer
    private let file: OpenFile

    /// How many bytes are read at once at the front.
    private static let firstRead = 64 << 10
    /// How many bytes of metadata a file may have: 64 MiB.
    package static let longestMetadata = 64 << 20

    /// - Throws: ``BackendError/noStore(path:)`` if nothing is there, ``BackendError/notAStore(path:)``,
    ///   ``BackendError/corrupt(path:offset:)`` if the header is damaged,
    ///   ``BackendError/newerFormat(path:found:known:)``, and what reading throws.
    package init(_ path: String, files: any FileLayer) throws(BackendError) {
        guard let named = try files.status(of: path) else { throw .noStore(path: path) }
        guard named.isFile else { throw .notAStore(path: path) }
        let file = try files.open(path, for: .reading)
        let status = try files.status(of: file)
        let length = min(Self.firstRead, Int(clamping: status.size))
        let front = try files.readBytes(length, from: file, at: 0)
        let header = try StoreFileHeader.decode(
            Array(front.prefix(StoreFileHeader.size)), path: path)
        func part(_ offset: UInt64, _ length: UInt32) throws(BackendError) -> [UInt8] {
            let start = Int(offset)
            let end = start + Int(length)
            if front.count >= end { return Array(front[start..<end]) }
            return try files.readBytes(Int(length), from: file, at: offset)
        }
        var metadata: [UInt8]?
        var keys: KeyFile?
        if header.metadataLength <= Self.longestMetadata, header.contentOffset <= status.size {
            let bytes = try part(UInt64(StoreFileHeader.size), header.metadataLength)
            let isRight = bytes.withUnsafeBytes { $0.checksum() } == header.metadataSum
            metadata = isRight ? bytes : nil
            if header.isSealed {
                let bytes = try part(header.keysOffset, header.keysLength)
                keys = try? KeyFile(bytes, path: path)
            }
        }
        self.metadata = metadata
        self.keys = keys
        self.header = header
        self.file = file
        self.status = status
        self.files = files
    }

    package var path: String { file.path }

    /// The metadata as they were given. `nil`: they are damaged.
    ///
    /// - Parameter key: of a sealed file; not needed where its metadata stand in the open.
    /// - Throws: ``BackendError/keyNeeded(path:)``, ``BackendError/wrongKey(path:)``,
    ///   ``BackendError/encryptionUnavailable(path:)``.
    package func metadata(key: StoreKey?) throws(BackendError) -> [UInt8]? {
        guard header.sealsMetadata else { return metadata }
        guard let key else { throw .keyNeeded(path: path) }
        guard let keys else { return nil }
        #if Encryption
            return metadata(sealer: SodiumSealer(try keys.keys(key, path: path)))
        #else
            _ = (key, keys)
            throw .encryptionUnavailable(path: path)
        #endif
    }

    /// Likewise, by what seals the store.
    func metadata(sealer: (any Sealer)?) -> [UInt8]? {
        guard header.sealsMetadata, let metadata else { return metadata }
        return sealer?.opened(metadata, boundTo: SealBinding(metadataOf: header.mark).bytes)
    }

    /// Copies the content into the file at `path`, or only reads it where that is `nil`.
    /// - Returns: whether the content is what was written.
    func copyContent(to path: String?, _ pace: Pace) throws -> Bool {
        let target = try path.map { path throws(BackendError) in
            try files.open(path, for: .replacing)
        }
        let sum = try files.copy(
            file, header.contentOffset..<header.fileSize, to: target, at: 0, pace)
        if let target { try files.sync(target) }
        return sum == header.contentSum
    }

    /// Makes a store of the content in the new directory at `directory`, sealed as the file is.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` if the content or the keys are damaged; then a part of it may be there.
    package func unpack(into directory: String) throws {
        guard try unpack(into: directory, Pace()) else {
            throw BackendError.corrupt(path: path, offset: header.contentOffset)
        }
    }

    /// Makes a store of the content in the new directory at `directory`: a snapshot without views,
    /// which opening makes.
    /// - Returns: `false` if the content or the keys are damaged.
    func unpack(into directory: String, _ pace: Pace) throws -> Bool {
        let paths = StorePaths(root: directory)
        try files.makeDirectory(directory)
        guard header.contentLength > 0 || header.isSealed else { return true }
        try files.makeDirectory(paths.log)
        if header.isSealed {
            guard let keys else { return false }
            try keys.write(to: paths.key, in: paths.log, files)
        }
        guard header.contentLength > 0 else { return true }
        guard try copyContent(to: paths.snapshot(header.commitNumber), pace) else { return false }
        try files.syncDirectory(paths.log)
        try files.syncDirectory(directory)
        return true
    }
}

extension FileLayer {
    /// Copies a part of an open file to `offset` of another, or only reads it where that is `nil`.
    /// - Returns: its CRC-32C; `nil` if the file ends before the part.
    func copy(
        _ file: OpenFile, _ part: Range<UInt64>, to target: OpenFile?, at offset: UInt64,
        _ pace: Pace
    ) throws -> UInt32? {
        let window = try ByteWindow(files: self, file: file)
        var sum: UInt32 = 0
        var position = part.lowerBound
        while position < part.upperBound {
            try pace.check()
            let length = min(part.upperBound - position, 1 << 20)
            guard let bytes = try window.bytes(at: position, length) else { return nil }
            sum = bytes.checksum(from: sum)
            if let target {
                try write(bytes, to: target, at: offset + position - part.lowerBound)
            }
            position += length
            pace.advance(length)
        }
        return sum
    }
}
