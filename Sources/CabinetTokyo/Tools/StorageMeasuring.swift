import CabinetBackend

extension TokyoBackend {
    func measure(_ pace: Pace) throws -> StorageReport {
        var report = StorageReport()
        let definitions = try lock.reading {
            try checkOpen()
            return byNumber.compactMap { $0?.definition }
        }
        pace.expect(UInt64(definitions.count))
        for definition in definitions {
            if let table = try measure(definition, pace) { report.tables.append(table) }
            pace.advance(1)
        }
        try upkeep.compacting.withLock {
            guard let frozen = try freeze() else { return }
            report.lastSave = frozen.commitNumber
            report.segments = frozen.links.count
            // The file of a segment in use is longer, by the room that is reserved for saves.
            for link in frozen.links { report.logBytes += link.limit ?? 0 }
            report.keptLogBytes = frozen.keptBytes
            report.snapshotSave = frozen.snapshot?.commitNumber ?? 0
            if let path = frozen.snapshotPath {
                report.snapshotBytes = try files.status(of: path)?.size ?? 0
            }
        }
        return report
    }

    private func measure(
        _ definition: TableDefinition, _ pace: Pace
    ) throws -> StorageReport.Table? {
        var live: UInt64 = 0
        var dead: UInt64 = 0
        if definition.kind == .ordered { return try measureOrdered(definition.number) }
        _ = try walkBlocks(
            of: definition.number, pace,
            restart: {
                live = 0
                dead = 0
            },
            each: { block, offset, _ in
                switch block {
                case .record(let record): live += record.next - offset
                case .free(let next): dead += next - offset
                }
            })
        return try lock.reading {
            try checkOpen()
            guard let table = table(definition.number) else { return nil }
            let size: UInt64
            switch table.view {
            case .hash(let file): size = file.image.end
            case .ordered, .unavailable: size = 0
            }
            return StorageReport.Table(
                definition: table.definition, count: (try? table.count()) ?? 0, fileBytes: size,
                liveBytes: live, deadBytes: dead)
        }
    }

    /// Of the runs' bytes those are dead whose entries newer runs have replaced, on an average.
    private func measureOrdered(_ number: TableNumber) throws -> StorageReport.Table? {
        let count = try count(of: number)
        return try lock.reading {
            try checkOpen()
            guard let table = table(number), case .ordered(let view) = table.view else {
                return nil
            }
            let entries = view.layers.reduce(0) {
                $0 + ($1.delta == nil ? $1.content.entryCount : 0)
            }
            let share = entries == 0 ? 0 : min(Double(count) / Double(entries), 1)
            let live = UInt64(Double(view.size) * share)
            return StorageReport.Table(
                definition: table.definition, count: count, fileBytes: view.size,
                liveBytes: live, deadBytes: view.size - live)
        }
    }
}
