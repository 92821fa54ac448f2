import CabinetBackend

extension TokyoBackend {
    /// Makes BNRPersistence's directory a store of ours: what it holds becomes a snapshot in
    /// `Journal.new/`, which then gets its name. Before that it is BNRPersistence's, after it ours.
    /// With the turn.
    func adopt() throws(BackendError) {
        let aside = StorePaths(root: paths.root, logName: "Journal.new")
        let session = try newSession()
        do throws(BackendError) {
            try removeAside(aside)
            try files.makeDirectory(aside.log)
            let lockFile = try StoreLock.lock(location, aside.lock, true, files)
            try writeSnapshot(aside)
            try writeCatalog(aside)
            let header = SegmentHeader(
                store: commitLog.store, segment: 1, firstCommit: 2, syncedCommit: 1,
                time: SystemClock.microseconds(), line: commitLog.line)
            let head = try SegmentMaker(files: files, paths: aside)
                .make(header, tables: adoptedStates, session: session)
            try files.rename(aside.log, to: paths.log)
            do throws(BackendError) {
                try files.syncDirectory(paths.root)
            } catch {
                // It is unknown which name will last; going on with the old one is safe.
                try files.rename(paths.log, to: aside.log)
                throw error
            }
            extraLocks.append(lockFile)
            commitLog.begin(
                session: session, commitNumber: 1,
                CommitLog.Segment(
                    number: 1, file: head.file, end: head.end, syncedEnd: head.end))
        } catch {
            try? removeAside(aside)
            throw error
        }
        isLineDue = false
        try lock.writing { () throws(BackendError) in try takeOver() }
        log(.notice, "\(location) was written by BNRPersistence (2010) and has been adopted.")
    }

    private func removeAside(_ aside: StorePaths) throws(BackendError) {
        guard try files.status(of: aside.log) != nil else { return }
        for name in try files.list(aside.log) {
            try files.remove(aside.log + "/" + name)
        }
        try files.removeDirectory(aside.log)
    }

    /// The tables as they are once adopted.
    private var adoptedStates: [TableState] {
        let states = tableStates.map { state in
            var state = state
            state.lastCommit = 1
            return state
        }
        return states.inOrder { $0.definition.number < $1.definition.number }
    }

    // MARK: The snapshot

    private func writeSnapshot(_ aside: StorePaths) throws(BackendError) {
        var writer = try SnapshotWriter(
            files: files, path: aside.newSnapshot, storeID: commitLog.store, commitNumber: 1,
            highestTable: highestTable)
        for state in adoptedStates { try writer.define(state) }
        for (name, value) in adoptedCatalog {
            try Self.put(name, value, in: .catalog, &writer)
        }
        for table in byNumber {
            guard let table else { continue }
            try write(table, to: &writer)
        }
        try writer.finish()
        try files.rename(aside.newSnapshot, to: aside.snapshot(1))
    }

    private func write(
        _ table: Table, to writer: inout SnapshotWriter
    ) throws(BackendError) {
        let file = try table.hash()
        if let offset = file.image.firstDamage(.bare) {
            throw .corrupt(path: file.path, offset: offset)
        }
        guard table.kind == .record else {
            var keys: [[UInt8]] = []
            try file.forEachRecord { key, _ in keys.append(Array(key)) }
            for key in keys.inOrder(by: { $0.lexicographicallyPrecedes($1) }) {
                guard let value = Self.bytes(of: key, in: file) else { continue }
                try Self.put(key, value, in: table.number, &writer)
            }
            return
        }
        var rows: [RowID] = []
        var stranger = false
        try file.forEachRecord { key, _ in
            if let row = Table.row(of: key, .legacy) {
                if row != LegacyMetadata.row { rows.append(row) }
            } else {
                stranger = true
            }
        }
        if stranger { throw .corrupt(path: file.path, offset: file.image.firstRecord) }
        rows.sort()
        for row in rows {
            let key = withUnsafeBytes(of: row.rawValue.littleEndian, Array.init)
            guard let value = Self.bytes(of: key, in: file) else { continue }
            let stored = value + Self.sum(Array("\(row)".utf8), value)
            try stored.withUnsafeBufferPointer { stored throws(BackendError) in
                try writer.append(
                    .putRow(
                        table: table.number, row: row, stored: UnsafeRawBufferPointer(stored)))
            }
        }
    }

    private static func bytes(of key: [UInt8], in file: HashFile) -> [UInt8]? {
        key.withUnsafeBytes { key in
            guard case .value(let value) = file.image.find(key) else { return nil }
            return Array(value)
        }
    }

    private static func put(
        _ key: [UInt8], _ value: [UInt8], in table: TableNumber, _ writer: inout SnapshotWriter
    ) throws(BackendError) {
        let stored = value + sum(key, value)
        try key.withUnsafeBufferPointer { key throws(BackendError) in
            try stored.withUnsafeBufferPointer { stored throws(BackendError) in
                try writer.append(
                    .putKey(
                        table: table, key: UnsafeRawBufferPointer(key),
                        stored: UnsafeRawBufferPointer(stored)))
            }
        }
    }

    private static func sum(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
        let sum = value.withUnsafeBytes { value in
            value.checksum(from: key.withUnsafeBytes { $0.checksum() })
        }
        return withUnsafeBytes(of: sum.littleEndian, Array.init)
    }

    // MARK: The catalog

    /// The catalog's first entries, in the order of their keys.
    private var adoptedCatalog: [(key: [UInt8], value: [UInt8])] {
        var entries: [(key: [UInt8], value: [UInt8])] = [
            (Array(CatalogKey.store.utf8), StoreEntry(commitLog.store).json()),
            (
                Array(CatalogKey.lines.utf8),
                LineList.bytes(of: [CommitLine(number: commitLog.line, first: 1)])
            ),
            (Array(CatalogKey.tables.utf8), CatalogKey.counter(UInt32(highestTable.rawValue))),
        ]
        for table in byNumber {
            guard let table else { continue }
            entries.append((Array(CatalogKey.table(table.number).utf8), table.entry.json()))
            if table.highestRow > 0 {
                entries.append(
                    (
                        Array(CatalogKey.rows(table.number).utf8),
                        CatalogKey.counter(table.highestRow.rawValue)
                    ))
            }
        }
        return entries.inOrder { $0.key.lexicographicallyPrecedes($1.key) }
    }

    private func writeCatalog(_ aside: StorePaths) throws(BackendError) {
        let definition = TableDefinition.builtIn[0]
        let catalog = Table(
            CatalogEntry(definition), files, lastCommit: 1, highestRow: 0,
            view: .unavailable(path: aside.view(of: definition), cause: "it is being made"))
        let file = try HashFile(
            making: aside.view(of: definition), HashSizing(count: 64, bytes: 0),
            room: 1 << 20, files: files)
        catalog.view = .hash(file)
        var applier = Applier(highest: 0)
        applier.add(catalog)
        for (key, value) in adoptedCatalog {
            let stored = value + Self.sum(key, value)
            key.withUnsafeBytes { key in
                stored.withUnsafeBytes { stored in
                    applier.apply(.putKey(table: 0, key: key, stored: stored))
                }
            }
        }
        guard applier.failed.isEmpty, let address = file.markAddress else {
            throw .viewUnavailable(path: file.path, cause: "it could not be written")
        }
        ViewMark(store: commitLog.store, applied: 1, synced: 1, table: definition)
            .write(at: address)
        file.noteGrowth()
        try file.endWriting()
        try file.sync()
    }

    /// Opens the new catalog and marks BNRPersistence's files as views of the log.
    private func takeOver() throws(BackendError) {
        if window.isKeeping { window.note(definition: nil, of: .catalog, commit: 1) }
        isLegacy = false
        lastVisible = 1
        let definition = TableDefinition.builtIn[0]
        let path = paths.view(of: definition)
        let catalog = Table(
            CatalogEntry(definition), files, lastCommit: 1, highestRow: 0,
            view: .unavailable(path: path, cause: "it is not open"))
        byNumber[0] = catalog
        catalog.view = try ViewBuilder.open(path, files)
        for table in byNumber.dropFirst() {
            guard let table, case .hash(let file) = table.view else { continue }
            table.lastCommit = 1
            guard file.image.isSwapped == LibraryOrder.isSwapped else {
                try rebuild([table])
                continue
            }
            try file.beginWriting()
            if let address = file.markAddress { mark(table).write(at: address) }
        }
    }
}
