import CabinetBackend

/// The views that a commit is going to change, made ready: open for writing, with all the room
/// that the changes can take.
struct ViewPlan {
    /// Tables that are there already.
    var existing: [Table] = []
    /// Tables that the commit makes.
    var new: [Table] = []

    /// Removes the files of tables that will not be.
    func discard(_ files: any FileLayer) {
        for table in new {
            guard case .hash(let file) = table.view else { continue }
            let path = file.path
            table.view = .unavailable(path: path, cause: "its commit failed")
            try? files.remove(path)
        }
    }
}

extension TokyoBackend {
    /// Makes the views of a batch ready; with the turn and the lock.
    func planViews(for batch: WriteBatch) throws(BackendError) -> ViewPlan {
        var plan = ViewPlan()
        if changesNoTable(batch) {
            for use in batch.usage {
                guard let table = table(use.table) else { continue }
                try makeReady(table, use)
                // Mostly it is the only one, and a list of one takes half of appending to none.
                if plan.existing.isEmpty {
                    plan.existing = [table]
                } else {
                    plan.existing.append(table)
                }
            }
            return plan
        }
        do throws(BackendError) {
            let dropped = Set(batch.drops)
            var definitions: [TableNumber: TableDefinition] = [:]
            for definition in TableDefinition.builtIn + batch.definitions
            where table(definition.number) == nil && !dropped.contains(definition.number) {
                definitions[definition.number] = definition
            }
            for definition in definitions.values {
                if let table = forerunner?.tables[definition.number] {
                    plan.new.append(table)
                    continue
                }
                plan.new.append(try makeTable(definition, batch.usage(of: definition.number)))
            }
            for use in batch.usage {
                guard let table = table(use.table), !dropped.contains(use.table) else { continue }
                try makeReady(table, use)
                plan.existing.append(table)
            }
            for definition in batch.definitions {
                guard let old = table(definition.number)?.definition,
                    paths.view(of: old) != paths.view(of: definition)
                else { continue }
                try reserveBytes(at: paths.view(of: definition))
            }
            // The class version stands in the file, too, where it is BNRPersistence's.
            for definition in batch.definitions {
                guard let table = table(definition.number), table.hidesMetadata,
                    !dropped.contains(definition.number),
                    !plan.existing.contains(where: { $0 === table })
                else { continue }
                try makeReady(table, WriteBatch.TableUsage())
                plan.existing.append(table)
            }
        } catch {
            abandonForerunner()
            plan.discard(files)
            throw error
        }
        return plan
    }

    /// Whether a batch leaves all tables as they are: no definition, and none missing.
    func changesNoTable(_ batch: WriteBatch) -> Bool {
        !batch.changesTables && table(.catalog) != nil && table(.namedBuffers) != nil
    }

    func makeTable(
        _ definition: TableDefinition, _ use: WriteBatch.TableUsage
    ) throws(BackendError) -> Table {
        if definition.kind != .ordered { try reserveBytes(at: paths.view(of: definition)) }
        // The name may be another table's until the commit is made.
        let path = paths.building(definition.number)
        let (puts, bytes) = (UInt64(use.puts), UInt64(use.bytes))
        let view: Table.View
        if definition.kind == .ordered {
            view = .ordered(makeOrderedView(definition))
        } else {
            let file = try HashFile(
                making: path, HashSizing(count: puts, bytes: bytes),
                room: HashSizing.growth(puts: puts, bytes: bytes, files), files: files)
            if let address = file.markAddress { firstMark(of: definition).write(at: address) }
            view = .hash(file)
        }
        return Table(CatalogEntry(definition), files, lastCommit: 0, highestRow: 0, view: view)
    }

    private func makeReady(
        _ table: Table, _ use: WriteBatch.TableUsage
    ) throws(BackendError) {
        if table.hashFile == nil, !table.isReadable { try rebuild([table]) }
        table.seal = nil
        // What an ordered table is changed by stays in memory at first.
        guard table.kind != .ordered else { return }
        try makeReady(table, try table.hash(), use)
    }

    private func makeReady(
        _ table: Table, _ file: HashFile, _ use: WriteBatch.TableUsage
    ) throws(BackendError) {
        var file = file
        let puts = UInt64(use.puts)
        let growth = HashSizing.growth(puts: puts, bytes: UInt64(use.bytes), files)
        let end = file.image.end + growth
        let sizing = HashSizing.better(than: file.image, count: file.count + puts, size: end)
        // What opens the file for writing sees first that it is still the store's.
        if !file.isWriting || sizing != nil || file.outgrowsMap(end) {
            if try rebuildIfStrange(table) { return try makeReady(table, try table.hash(), use) }
        }
        if let sizing { file = try layOut(table, file, sizing) }
        try file.beginWriting(room: end)
        try file.reserve(upTo: end)
    }

    private func makeOrderedView(_ definition: TableDefinition) -> OrderedView {
        OrderedView(
            RunIdentity(
                store: commitLog.store, table: definition.number, flags: definition.flags),
            base: paths.view(of: definition),
            buildingBase: paths.building(definition.number))
    }

    /// Gives a hash file a better layout, if there is room for it.
    private func layOut(
        _ table: Table, _ file: HashFile, _ sizing: HashSizing
    ) throws(BackendError) -> HashFile {
        do {
            let file = try file.laidOut(
                as: sizing, at: paths.building(table.number), table.values)
            table.view = .hash(file)
            table.changes += 1
            crowded.remove(table.number)
            return file
        } catch {
            // More records than buckets are slow, but no mistake.
            guard case .diskFull = error, sizing.isLarge == file.image.isLarge else {
                if case .corrupt = error {
                    try rebuild([table])
                    return try table.hash()
                }
                throw error
            }
            // Every save finds that out again, until there is room; it is said once.
            if crowded.insert(table.number).inserted {
                log(.notice, "\(file.path) has fewer buckets than records: no room for more.")
            }
            return file
        }
    }
}
