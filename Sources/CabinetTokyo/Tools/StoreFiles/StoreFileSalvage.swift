import CabinetBackend

/// Reads what can be read of a damaged store file into a new store.
struct StoreFileSalvage {
    /// A directory that is made and removed again.
    let parts: String
    let files: any FileLayer
    let key: StoreKey?
    let log: LogSink
    let pace: Pace

    /// Likewise, of a file of which nothing is known. One that is whole loses nothing.
    func run(_ path: String, into root: String) throws -> SalvageReport {
        do {
            let reader = try StoreFileReader(path, files: files)
            let isWhole = try reader.metadata != nil && reader.copyContent(to: nil, pace)
            return try run(path, reader.header, isWhole: isWhole, into: root)
        } catch BackendError.corrupt(path, 0), BackendError.notAStore(path) {
            return try run(path, nil, into: root)
        }
    }

    /// - Parameters:
    ///   - header: of the file; `nil` if it is damaged, and then the content is found by its magic.
    ///   - root: where the store is made.
    /// - Returns: what was brought over, and what not; offsets in it are in the content of the file.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` if nothing can be read,
    ///   ``BackendError/notAStore(path:)`` if nothing of a store file is there.
    func run(
        _ path: String, _ header: StoreFileHeader?, isWhole: Bool = false, into root: String
    ) throws -> SalvageReport {
        let file = try files.open(path, for: .reading)
        let size = try files.size(of: file)
        let start = try header?.contentOffset ?? contentOffset(in: file, size)
        let damage = BackendError.corrupt(path: path, offset: 0)
        guard let start, start < size else {
            if header == nil, !(try beginsAsStoreFile(file, size)) {
                throw BackendError.notAStore(path: path)
            }
            throw damage
        }
        let parts = StorePaths(root: parts)
        defer { try? files.removeTree(parts.root) }
        try files.removeTree(parts.root)
        try files.makeDirectory(parts.root)
        try files.makeDirectory(parts.log)
        let head = try files.readBytes(
            min(SnapshotHeader.size, Int(size - start)), from: file, at: start)
        let decoded = try? SnapshotHeader.decode(head, path: path, expectedStoreID: nil)
        let commitNumber = decoded?.header.commitNumber ?? header?.commitNumber ?? 1
        let end = header.map { min($0.fileSize, size) } ?? size
        if decoded?.header.isSealed ?? header?.isSealed ?? (key != nil) {
            guard let keys = try keys(in: file, before: start, header) else { throw damage }
            try keys.write(to: parts.key, in: parts.log, files)
        }
        let part = try files.open(parts.snapshot(max(commitNumber, 1)), for: .replacing)
        _ = try files.copy(file, start..<end, to: part, at: 0, pace)
        do {
            var report = try Salvage(from: parts.root, key: key, files: files, pace).run(into: root)
            if report.lost.isEmpty, !isWhole {
                // Header or metadata.
                report.lost.append(StoreFinding(.damagedSnapshot, path: path, offset: 0))
            }
            for index in report.lost.indices where report.lost[index].path.hasPrefix(parts.root) {
                report.lost[index].path = path
            }
            if isWhole { return report }
            log(.warning, "\(path) is damaged: \(report.lost.count) parts of it could not be read.")
            return report
        } catch BackendError.noStore {
            throw damage
        } catch BackendError.wrongKey {
            throw BackendError.wrongKey(path: path)
        }
    }

    /// The keys of a sealed store, which end where the content begins.
    private func keys(
        in file: OpenFile, before end: UInt64, _ header: StoreFileHeader?
    ) throws(BackendError) -> KeyFile? {
        let start = header?.keysOffset ?? max(end, KeyFile.longest) - KeyFile.longest
        let bytes = try files.readBytes(Int(end - start), from: file, at: start)
        for place in bytes.indices {
            if let keys = try? KeyFile(Array(bytes[place...]), path: file.path) { return keys }
            if header != nil { break }
        }
        return nil
    }

    /// How far behind the front the content is looked for.
    private static let farthest = UInt64(StoreFileReader.longestMetadata + StoreFileHeader.size)

    private func contentOffset(in file: OpenFile, _ size: UInt64) throws -> UInt64? {
        let window = try ByteWindow(files: files, file: file)
        let magic = SnapshotHeader.magic
        var position = UInt64(StoreFileHeader.size)
        let end = min(size, Self.farthest + UInt64(magic.count))
        while position + UInt64(magic.count) <= end {
            let length = min(end - position, 1 << 20)
            guard let bytes = try window.bytes(at: position, length) else { return nil }
            for index in 0...bytes.count - magic.count where bytes[index] == magic[0] {
                if bytes[index..<index + magic.count].elementsEqual(magic) {
                    return position + UInt64(index)
                }
            }
            position += length - UInt64(magic.count - 1)
        }
        return nil
    }

    private func beginsAsStoreFile(_ file: OpenFile, _ size: UInt64) throws -> Bool {
        let magic = StoreFileHeader.magic
        guard size >= UInt64(magic.count) else { return false }
        return try files.readBytes(magic.count, from: file, at: 0) == magic
    }
}
