import CabinetBackend

extension Salvage {
    /// Adds what only the views have, or have newer. Returns how many records of each table.
    func takeViews(
        into target: SalvageTarget, _ marks: [String: ViewMark], _ deleted: Set<DeletedKey>
    ) throws -> [TableNumber: Int] {
        var taken: [TableNumber: Int] = [:]
        // BNRPersistence had no catalog.
        let builtIn = TableDefinition.builtIn.filter { !isLegacy || $0.number != .catalog }
        let tables = builtIn + knowledge.definitions.values
        for definition in tables.inOrder(by: { $0.number < $1.number }) {
            try pace.check()
            let path = paths.view(of: definition)
            if definition.kind == .ordered {
                let taking = Taking(
                    definition: definition, isNewer: false, deleted: deleted, target: target)
                try takeRuns(path, taking)
                try target.commit()
                taken[definition.number] = taking.count
                continue
            }
            guard let map = try view(of: definition, at: path),
                let image = HashImage(base: map.base, size: map.size)
            else {
                report.lost.append(
                    StoreFinding(.unreadableView, path: path, table: definition.number))
                continue
            }
            let mark = marks[path]
            if let mark, mark.table != definition.number || mark.store != store ?? mark.store {
                report.lost.append(
                    StoreFinding(.damagedView, path: path, table: definition.number))
                continue
            }
            let isNewer =
                mark.map {
                    !$0.isBusy && $0.applied >= knowledge.lastSaves[definition.number] ?? 0
                } ?? false
            let taking = Taking(
                definition: definition, isNewer: isNewer, deleted: deleted, target: target)
            try takeHash(path, image, taking)
            try target.commit()
            for row in taking.rows { knowledge.note(row: row, in: definition.number) }
            taken[definition.number] = taking.count
        }
        return taken
    }

    /// The file of a table; of the catalog, where it is gone, the copy.
    private func view(of definition: TableDefinition, at path: String) throws -> FileMap? {
        guard definition.number == .catalog else { return try FileMap.reading(path, files) }
        return try catalog(at: path) ?? catalog(at: paths.catalogCopy)
    }

    private func takeHash(_ path: String, _ image: HashImage, _ taking: Taking) throws {
        let entry = knowledge.entries[taking.definition.number]
        let values =
            isLegacy
            ? .bare
            : entry.map { ValueForm($0, files) } ?? ValueForm(taking.definition, files)
        var failure: (any Error)?
        let damaged = image.forEachSoundRecord(values) { record in
            guard failure == nil else { return }
            let taken = values.withEntry(of: record) { key, value in
                Result {
                    guard taking.definition.kind == .record else {
                        return try taking.take(value, for: key)
                    }
                    guard let row = Table.row(of: key, entry?.keyForm ?? .decimal),
                        entry?.keyForm != .legacy || row != LegacyMetadata.row
                    else { return }
                    try taking.take(value, at: row)
                }
            }
            if case .failure(let error)? = taken { failure = error }
        }
        if let failure { throw failure }
        report.lost += damaged.map {
            StoreFinding(
                .damagedRecord, path: path, offset: $0, table: taking.definition.number)
        }
    }

    /// Takes what the runs of an ordered table hold, as far as they go back without a gap.
    private func takeRuns(_ path: String, _ taking: Taking) throws {
        let number = taking.definition.number
        guard let store else { return }
        let found: RunFiles.Found
        do throws(BackendError) {
            found = try RunFiles(files: files, directory: paths.root).open(
                RunIdentity(store: store, table: number), upTo: .max)
        } catch {
            report.lost.append(StoreFinding(.unreadableView, path: path, table: number))
            return
        }
        report.lost += found.damaged.map { StoreFinding(.damagedView, path: $0, table: number) }
        guard !found.runs.isEmpty else {
            report.lost.append(StoreFinding(.unreadableView, path: path, table: number))
            return
        }
        let cursor = try OrderedLayers(found.runs.map { .run($0.run) }).cursor()
        do {
            try cursor.seek(nil)
            while cursor.isAtEntry {
                if !cursor.isDelete { try taking.take(cursor.value, for: cursor.key) }
                try cursor.next()
            }
        } catch BackendError.corrupt(let path, let offset) {
            report.lost.append(
                StoreFinding(.damagedView, path: path, offset: offset, table: number))
        }
    }

    /// Takes the records of one view.
    final class Taking {
        let definition: TableDefinition
        private let isNewer: Bool
        private let deleted: Set<DeletedKey>
        private let target: SalvageTarget
        private(set) var count = 0
        private(set) var rows: [RowID] = []

        init(
            definition: TableDefinition, isNewer: Bool, deleted: Set<DeletedKey>,
            target: SalvageTarget
        ) {
            self.definition = definition
            self.isNewer = isNewer
            self.deleted = deleted
            self.target = target
        }

        func take(_ value: UnsafeRawBufferPointer, at row: RowID) throws {
            let table = definition.number
            let standing = try target.standing(value, at: row, in: table)
            guard isWanted(standing, DeletedKey(table: table, row: row)) else { return }
            try target.put(value, at: row, in: table)
            count += 1
            rows.append(row)
        }

        func take(_ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer) throws {
            let table = definition.number
            if table == .catalog,
                CatalogEntries.isEngines(key) || DerivedEntries.isDerived(entry: key)
            {
                return
            }
            let standing = try target.standing(value, for: key, in: table)
            guard isWanted(standing, DeletedKey(table: table, key: Array(key))) else { return }
            try target.put(value, for: key, in: table)
            count += 1
        }

        private func isWanted(_ standing: SalvageTarget.Standing, _ key: DeletedKey) -> Bool {
            switch standing {
            case .same: false
            case .different: isNewer
            case .absent: isNewer || !deleted.contains(key)
            }
        }
    }
}
