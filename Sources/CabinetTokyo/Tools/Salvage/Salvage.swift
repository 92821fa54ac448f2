import CabinetBackend

/// One run of a salvage: gather what is left, then write it into a new store, oldest first.
final class Salvage {
    let files: any FileLayer
    let paths: StorePaths
    let pace: Pace
    private let hasKey: Bool
    var report = SalvageReport()
    var knowledge = SalvageKnowledge()
    /// The number of the store, as most of its files say.
    private(set) var store: UInt64?
    /// The rows and keys that the log says were deleted, noted once something is known to be lost.
    private var deleted: Set<DeletedKey> = []

    /// Whether the directory is BNRPersistence's, whose files are all there is.
    private(set) var isLegacy = false
    /// The marks of the views, by path.
    var marks: [String: ViewMark] = [:]
    /// The heads of the runs, by path.
    var runHeaders: [String: RunHeader] = [:]
    /// Where the last segment's frames stop, which is a loss only if saves are missing.
    private var tail: StoreFinding?
    private var snapshot: SnapshotSalvage?
    private var segments: [SegmentSalvage] = []
    private(set) var commits: [SalvagedCommit] = []

    struct DeletedKey: Hashable {
        var table: TableNumber
        var row: RowID = 0
        var key: [UInt8] = []
    }

    init(
        from path: String, key: StoreKey?, files: any FileLayer, _ pace: Pace
    ) throws(BackendError) {
        var root = path
        while root.count > 1, root.hasSuffix("/") { root.removeLast() }
        paths = StorePaths(root: files.resolved(root))
        self.files = try StoreSealing(key, paths, .readOnly, files).files
        hasKey = key != nil
        self.pace = pace
    }

    func run(into newPath: String) throws -> SalvageReport {
        guard let status = try files.status(of: paths.root) else {
            throw BackendError.noStore(path: paths.root)
        }
        guard status.isDirectory else { throw BackendError.notAStore(path: paths.root) }
        // What was salvaged would stand in the open.
        if hasKey, files.sealer == nil { throw BackendError.notEncrypted(path: paths.root) }
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        try gather()
        guard snapshot != nil || !segments.isEmpty || !knowledge.definitions.isEmpty || isLegacy
        else { throw BackendError.noStore(path: paths.root) }
        try NewDirectory(newPath, files: files).fill { directory in
            try paths.copyKeys(to: StorePaths(root: directory), files)
            let target = try SalvageTarget(directory, files: files)
            do {
                try write(to: target)
                try target.close()
            } catch {
                try? target.close()
                throw error
            }
        }
        return report
    }

    private func takeLock() throws -> StoreLock {
        let places = [paths.lock, paths.log, paths.root]
        let path = try places.first { try files.status(of: $0) != nil } ?? paths.root
        return try StoreLock(root: paths.root, path: path, exclusive: false, files: files)
    }

    // MARK: Gathering

    private func gather() throws {
        let names = try files.status(of: paths.log) == nil ? [] : files.list(paths.log)
        try gatherMarks()
        let marker = try marker()
        try gatherSnapshot(names)
        store = snapshot?.store ?? marker?.store
        try gatherSegments(names)
        let hasLog = names.contains { $0.hasPrefix("log-") || $0.hasPrefix("snapshot-") }
        if !hasLog, !marks.isEmpty {
            report.lost.append(StoreFinding(.missingLog, path: paths.log))
        }
        let changes = segments.flatMap(\.definitions).inOrder { $0.commitNumber < $1.commitNumber }
        for (change, commitNumber) in changes
        where commitNumber >= snapshot?.commitNumber ?? 0 || snapshot?.isWhole == false {
            knowledge.note(change)
        }
        for state in marker?.tables ?? [] { knowledge.note(.table(state)) }
        commits = SalvagedCommit.all(in: segments, after: snapshot?.commitNumber ?? 0, &report.lost)
        report.saves = UInt64(commits.count)
        noteLostSaves(
            known: max(
                marker?.lastCommit ?? 0, marks.values.map(\.applied).max() ?? 0,
                segments.map(\.evidence.syncedCommit).max() ?? 0))
        try gatherCatalog()
        try defineByMarks()
        // BNRPersistence's directory has no log and no marks.
        if marks.isEmpty, !hasLog { try gatherLegacy() }
        knowledge.leaveOutDerived()
        knowledge.resolveNames()
    }

    /// `nil` also for a marker that cannot be read: the log says the same.
    private func marker() throws(BackendError) -> CleanMarker? {
        do {
            return try CleanMarker.read(from: files, paths)
        } catch {
            switch error {
            case .newerFormat, .olderFormat: throw error
            default: return nil
            }
        }
    }

    private func gatherSnapshot(_ names: [String]) throws {
        let numbers = names.compactMap { StorePaths.number(in: $0, after: "snapshot-") }
        guard let newest = numbers.max() else { return }
        let found = try SnapshotSalvage(
            files: files, path: paths.snapshot(CommitNumber(newest)),
            commitNumber: CommitNumber(newest))
        if !found.isWhole {
            report.lost.append(StoreFinding(.damagedSnapshot, path: found.path))
            _ = try found.forEachEntry(pace) { entry in
                guard entry.table == .catalog, entry.hasKey, let stored = entry.stored else {
                    return
                }
                knowledge.note(name: entry.key, value: Checksum.value(of: stored))
            }
        }
        for table in found.tables {
            knowledge.define(table.state.definition)
            knowledge.note(row: table.state.highestRow, in: table.number)
            knowledge.note(save: table.state.lastCommit, of: table.number)
        }
        knowledge.note(table: found.highestTable)
        snapshot = found
    }

    private func gatherSegments(_ names: [String]) throws {
        let numbers = names.compactMap { StorePaths.number(in: $0, after: "log-") }.inOrder()
        var ends: [UInt64: UInt64] = [:]
        for number in numbers {
            let path = paths.segment(number)
            guard
                let header = try? SegmentReader(
                    files: files, path: path, number: number, store: nil
                ).header
            else { continue }
            store = store ?? header.store
            if header.store == store { ends[header.predecessor] = header.predecessorEnd }
        }
        store = store ?? storeOfMostFiles
        for number in numbers {
            let path = paths.segment(number)
            pace.expect((try files.status(of: path)?.size ?? 0) * 2)
            do {
                let segment = try SegmentSalvage(
                    files: files, path: path, number: number, store: store, limit: ends[number],
                    pace)
                segments.append(segment)
                for hole in segment.holes {
                    // What a kill leaves at the end of the last segment is no loss by itself.
                    let isTail = number == numbers.last && hole.upperBound == segment.reader.limit
                    let finding = StoreFinding(
                        .damagedFrame, path: path, offset: hole.lowerBound)
                    if isTail { tail = finding } else { report.lost.append(finding) }
                }
            } catch let error as BackendError {
                guard case .corrupt(_, let offset) = error else { throw error }
                report.lost.append(StoreFinding(.damagedSegment, path: path, offset: offset))
            }
        }
    }

    /// Saves that should be there, by the numbers of those that are and by what files say.
    private func noteLostSaves(known: CommitNumber) {
        var last = snapshot?.commitNumber ?? 0
        for commit in commits where commit.number > last {
            if commit.number.previous > last { noteLost(last.next...commit.number.previous) }
            last = commit.number
        }
        guard known > last else { return }
        if let tail { report.lost.append(tail) }
        noteLost(last.next...known)
    }

    private func noteLost(_ saves: ClosedRange<CommitNumber>) {
        report.lost.append(StoreFinding(.lostSaves, path: paths.log, saves: saves))
    }

    private func gatherLegacy() throws {
        let key = withUnsafeBytes(of: LegacyMetadata.row.rawValue.littleEndian, Array.init)
        for name in try files.list(paths.root) {
            let path = paths.root + "/" + name
            guard let map = try FileMap.reading(path, files) else { continue }
            if map.isCutHashFile { report.lost.append(StoreFinding(.unreadableView, path: path)) }
            guard let image = HashImage(base: map.base, size: map.size) else {
                continue
            }
            if path == paths.view(of: TableDefinition.builtIn[1]) { isLegacy = true }
            key.withUnsafeBytes { key in
                guard case .value(let bytes) = image.find(key),
                    let metadata = LegacyMetadata(bytes)
                else { return }
                isLegacy = true
                knowledge.defineLegacy(name, metadata)
            }
        }
    }

    // MARK: Writing

    private func write(to target: SalvageTarget) throws {
        for number in knowledge.definitions.keys.inOrder() {
            if let definition = knowledge.definitions[number] { try target.define(definition) }
        }
        if let snapshot {
            let damaged = try snapshot.forEachEntry(pace) { entry in
                try apply(entry.operation, to: target)
            }
            report.lost += damaged.map {
                StoreFinding(.damagedSnapshot, path: snapshot.path, offset: $0)
            }
        }
        let history = try commitsOfHistory()
        for commit in commits.dropLast(history.count) {
            try pace.check()
            try commit.forEachOperation { try apply($0, of: commit, to: target) }
            pace.advance(commit.size)
        }
        if !history.isEmpty { try write(history, to: target) }
        try target.commit()
        var fromViews: [TableNumber: Int] = [:]
        if isLegacy || !report.lost.isEmpty {
            fromViews = try takeViews(into: target, marks, deleted)
        }
        try target.keep(knowledge)
        let kept = [TableDefinition.builtIn[1]] + knowledge.definitions.values
        for definition in kept.inOrder(by: { $0.number < $1.number }) {
            report.tables.append(
                SalvageReport.Table(
                    definition: definition,
                    count: try target.backend.count(of: definition.number),
                    fromView: fromViews[definition.number] ?? 0))
        }
    }

    func apply(
        _ operation: Operation, of commit: SalvagedCommit, to target: SalvageTarget
    ) throws {
        try apply(operation, to: target)
        if let entry = TableEntry(operation) {
            knowledge.note(save: commit.number, of: entry.table)
        }
    }

    func kind(of table: TableNumber) -> TableKind? {
        table < .firstFree ? .named : knowledge.definitions[table]?.kind
    }

    private func apply(_ operation: Operation, to target: SalvageTarget) throws {
        guard let entry = TableEntry(operation), let kind = kind(of: entry.table),
            (kind == .record) != entry.hasKey
        else { return }
        if entry.table == .catalog,
            CatalogEntries.isEngines(entry.key) || DerivedEntries.isDerived(entry: entry.key)
        {
            if let stored = entry.stored {
                knowledge.note(name: entry.key, value: Checksum.value(of: stored))
            }
            return
        }
        if !report.lost.isEmpty {
            let key = DeletedKey(table: entry.table, row: entry.row, key: Array(entry.key))
            if entry.stored == nil { deleted.insert(key) } else { deleted.remove(key) }
        }
        guard let stored = entry.stored else {
            return try entry.hasKey
                ? target.delete(key: entry.key, in: entry.table)
                : target.delete(row: entry.row, in: entry.table)
        }
        let value = Checksum.value(of: stored)
        if entry.hasKey {
            try target.put(value, for: entry.key, in: entry.table)
        } else {
            knowledge.note(row: entry.row, in: entry.table)
            try target.put(value, at: entry.row, in: entry.table)
        }
    }
}
