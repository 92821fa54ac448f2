import CabinetBackend

/// Writes a store file aside, so that it can take the place of another by one renaming.
struct StoreFileWriter {
    let files: any FileLayer
    /// The path of the snapshot that becomes the content; `nil` for a store to which nothing was saved.
    let content: String?
    let metadata: [UInt8]
    /// The keys of a sealed store, whose content is sealed.
    var keys: KeyFile?

    /// Writes a new file at `path` and returns when it is on the device. After a throw, what is at
    /// `path` is no store file, and is to be removed.
    /// - Parameter header: says what the file is of; lengths and sums are filled in.
    func write(_ header: StoreFileHeader, to path: String, _ pace: Pace) throws -> StoreFileHeader {
        guard metadata.count <= StoreFileReader.longestMetadata else {
            throw BackendError.tooLarge(limit: StoreFileReader.longestMetadata)
        }
        var header = header
        header.keysLength = UInt32(keys?.bytes.count ?? 0)
        header.metadataLength = UInt32(metadata.count)
        header.metadataSum = metadata.withUnsafeBytes { $0.checksum() }
        let file = try files.open(path, for: .replacing)
        try files.write(metadata, to: file, at: UInt64(StoreFileHeader.size))
        if let keys { try files.write(keys.bytes, to: file, at: header.keysOffset) }
        if let content {
            let source = try files.open(content, for: .reading)
            header.contentLength = try files.size(of: source)
            let sum = try files.copy(
                source, 0..<header.contentLength, to: file, at: header.contentOffset, pace)
            guard let sum else { throw BackendError.corrupt(path: content, offset: 0) }
            header.contentSum = sum
        }
        // Last: until then the file begins with zeros.
        try files.write(header.encoded(), to: file, at: 0)
        try files.sync(file)
        return header
    }
}
