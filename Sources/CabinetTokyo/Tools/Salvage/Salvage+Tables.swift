import CabinetBackend

// What the view files, and the catalog among them, say about the tables.
extension Salvage {
    /// Reads the marks of all views. A file that cannot be read is none; that is a loss only if its
    /// table is known, and then said where the table is read.
    func gatherMarks() throws {
        for path in [paths.catalog] + (try paths.files(in: files)) {
            do {
                marks[path] = try FileHead.read(path, files).mark
            } catch .system, .accessDenied {
                continue
            } catch {
                throw error
            }
        }
        runHeaders = try RunFiles(files: files, directory: paths.root).readableHeaders()
    }

    /// The number of the store that most files are of: one of another store may stand among them.
    var storeOfMostFiles: UInt64? {
        let stores = marks.values.map(\.store) + runHeaders.values.map(\.identity.store)
        let counts = Dictionary(grouping: stores) { $0 }.mapValues(\.count)
        return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }

    /// Takes the entries of the catalog's view and then, as they are older, of its copy.
    func gatherCatalog() throws {
        for path in [paths.catalog, paths.catalogCopy] {
            guard let map = try catalog(at: path),
                let image = HashImage(base: map.base, size: map.size)
            else { continue }
            let values = ValueForm.ofCatalog(files)
            _ = image.forEachSoundRecord(values) { record in
                _ = values.withEntry(of: record) { knowledge.note(name: $0, value: $1) }
            }
        }
    }

    /// The file at `path`, if it is a catalog of this store.
    func catalog(at path: String) throws -> FileMap? {
        guard let map = try FileMap.reading(path, files),
            let image = HashImage(base: map.base, size: map.size)
        else { return nil }
        if let mark = ViewMark(at: image.opaque) {
            guard mark.table == .catalog, mark.store == store ?? mark.store else { return nil }
        }
        return map
    }

    /// Tables that only their files describe.
    func defineByMarks() throws {
        let order = marks.inOrder { ($0.value.table, $0.key) < ($1.value.table, $1.key) }
        for (path, mark) in order {
            guard mark.store == store ?? mark.store, mark.table >= .firstFree,
                knowledge.definitions[mark.table] == nil, !knowledge.dropped.contains(mark.table),
                let kind = TableKind(rawValue: mark.kind)
            else { continue }
            let name = String(path.split(separator: "/").last ?? "")
            try knowledge.define(mark, kind, name: name, legacyMetadata(at: path))
            report.lost.append(StoreFinding(.lostDefinition, path: path, table: mark.table))
        }
        try defineByRuns()
        try noteNamesWithoutSums()
    }

    /// Ordered tables that only their runs describe.
    private func defineByRuns() throws {
        let runs = try RunFiles(files: files, directory: paths.root)
        for (path, header) in runHeaders.inOrder(by: { $0.key < $1.key }) {
            let number = header.identity.table
            guard header.identity.store == store, number >= .firstFree,
                knowledge.definitions[number] == nil, !knowledge.dropped.contains(number),
                let name = runs.tableName(of: number)
            else { continue }
            knowledge.define(
                TableDefinition(
                    number: number, kind: .ordered, name: name, flags: header.identity.flags))
            report.lost.append(StoreFinding(.lostDefinition, path: path, table: number))
        }
    }

    /// BNRPersistence's record in a file that was adopted: such a file keeps BNRPersistence's keys,
    /// and has no sums.
    private func legacyMetadata(at path: String) throws -> LegacyMetadata? {
        guard let map = try FileMap.reading(path, files),
            let image = HashImage(base: map.base, size: map.size)
        else { return nil }
        let key = withUnsafeBytes(of: LegacyMetadata.row.rawValue.littleEndian, Array.init)
        return key.withUnsafeBytes { key in
            guard case .value(let bytes) = image.find(key) else { return nil }
            return LegacyMetadata(bytes)
        }
    }

    /// The named buffers of a directory that was adopted have no sums either. Where the catalog
    /// does not say so, it shows in that not one of them is right.
    private func noteNamesWithoutSums() throws {
        let table = TableDefinition.builtIn[1]
        guard knowledge.hasLegacyTables, knowledge.entries[table.number] == nil,
            let map = try FileMap.reading(paths.view(of: table), files),
            let image = HashImage(base: map.base, size: map.size)
        else { return }
        var hasSums = false
        _ = image.forEachSoundRecord(.summed) { _ in hasSums = true }
        if !hasSums { knowledge.noteWithoutSums(table) }
    }
}
