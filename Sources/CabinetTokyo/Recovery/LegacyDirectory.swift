import CabinetBackend

/// A directory as BNRPersistence left it: a hash file for each class, with UInt32 keys and its
/// metadata in record 1, one for named buffers, and no `Journal/`.
struct LegacyDirectory {
    private let files: any FileLayer
    private let paths: StorePaths
    /// In the order of their names, which gives the tables their numbers.
    private var names: [String] = []

    /// `nil` if there is no file of BNRPersistence's.
    init?(files: any FileLayer, paths: StorePaths) throws(BackendError) {
        self.files = files
        self.paths = paths
        for name in try files.list(paths.root) {
            let isTable = TableDefinition(number: 2, kind: .record, name: name).hasValidName
            guard isTable || name == Self.namedBuffers,
                let file = try Self.hashFile(paths.root + "/" + name, files)
            else { continue }
            if name == Self.namedBuffers || Self.metadata(of: file) != nil { names.append(name) }
        }
        if names.isEmpty { return nil }
    }

    /// The file at `path`; `nil` if it is none that BNRPersistence could have written. One that
    /// cannot be read is an error: the directory would be taken for a new store without it.
    private static func hashFile(
        _ path: String, _ files: any FileLayer
    ) throws(BackendError) -> HashFile? {
        do {
            guard case .unmarked = try FileHead.read(path, files) else { return nil }
        } catch .accessDenied {
            return nil
        } catch {
            throw error
        }
        guard let map = try FileMap.reading(path, files) else {
            throw .viewUnavailable(path: path, cause: "it could not be mapped")
        }
        guard !map.isCutHashFile else { throw .corrupt(path: path, offset: map.size) }
        return try HashFile(reading: path, files: files)
    }

    private static let namedBuffers = "NamedBuffers"

    private static func metadata(of file: HashFile) -> LegacyMetadata? {
        let key = withUnsafeBytes(of: LegacyMetadata.row.rawValue.littleEndian, Array.init)
        return key.withUnsafeBytes { key in
            guard case .value(let bytes) = file.image.find(key) else { return nil }
            return LegacyMetadata(bytes)
        }
    }

    /// Opens the files for reading, which changes none of them.
    func open(_ opening: Opening) throws(BackendError) -> Opening.Opened {
        let lock = try StoreLock(
            root: paths.root, path: paths.root, exclusive: opening.access == .readWrite,
            files: files)
        guard try files.status(of: paths.log) == nil else {
            throw .busy(path: paths.root, holder: "")
        }
        var tables: [Table?] = [nil, nil]
        for name in names {
            let path = paths.root + "/" + name
            try checkIsWhole(path)
            guard let file = try HashFile(reading: path, files: files) else {
                throw .corrupt(path: path, offset: 0)
            }
            if name == Self.namedBuffers {
                tables[1] = Self.namedTable(file)
            } else if let metadata = Self.metadata(of: file) {
                let number = TableNumber(UInt16(truncatingIfNeeded: tables.count))
                tables.append(try Self.table(number, name, metadata, file))
            }
        }
        let commitLog = CommitLog(
            files: files, paths: paths, store: UInt64.random(in: 1...UInt64.max),
            durability: opening.durability, lastCommit: 0, syncedCommit: 0, highestSegment: 0,
            current: nil)
        let highest = TableNumber(UInt16(truncatingIfNeeded: tables.count - 1))
        return Opening.Opened(
            lock: lock, commitLog: commitLog, tables: tables, highestTable: highest, isLegacy: true)
    }

    /// BNRPersistence died within a transaction if its file is open and its log is there: what the
    /// file holds then is no state that was ever saved.
    private func checkIsWhole(_ path: String) throws(BackendError) {
        guard let map = try FileMap.reading(path, files), map.size > 33,
            map.base.load(fromByteOffset: 33, as: UInt8.self) & 1 == 1,
            let log = try files.status(of: path + ".wal"), log.size > 0
        else { return }
        throw .corrupt(path: path, offset: 33)
    }

    private static func namedTable(_ file: HashFile) -> Table {
        var entry = CatalogEntry(
            TableDefinition(number: .namedBuffers, kind: .named, name: namedBuffers))
        entry.checksums = false
        return Table(entry, file.files, lastCommit: 0, highestRow: 0, view: .hash(file))
    }

    private static func table(
        _ number: TableNumber, _ name: String, _ metadata: LegacyMetadata, _ file: HashFile
    ) throws(BackendError) -> Table {
        var entry = CatalogEntry(
            TableDefinition(
                number: number, kind: .record, name: name, classNumber: metadata.classNumber,
                classVersion: metadata.version))
        entry.keyForm = .legacy
        entry.checksums = false
        entry.salt = metadata.salt
        var highest = metadata.lastRow
        try file.forEachRecord { key, _ in
            if let row = Table.row(of: key, .legacy) { highest = max(highest, row) }
        }
        return Table(entry, file.files, lastCommit: 0, highestRow: highest, view: .hash(file))
    }
}

extension HashFile {
    /// Calls `body` with every record, in the order of the file.
    func forEachRecord(
        _ body: (_ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer) -> Void
    ) throws(BackendError) {
        var offset = image.firstRecord
        while offset < image.end {
            switch image.block(at: offset) {
            case nil: throw .corrupt(path: path, offset: offset)
            case .free(let next): offset = next
            case .record(let record):
                body(record.key, record.value)
                offset = record.next
            }
        }
    }
}
