import CabinetBackend

/// Compares what an index holds with the keys of its records, as of one commit.
///
/// First by sums of hashes in 4,096 parts; then the keys of those parts are compared where sums differ.
final class IndexCheck {
    private static let parts = 4_096

    private let index: ClassIndex
    private let table: TableNumber
    private let reader: any BackendReader
    private let candidate: Candidate
    private let keys = IndexKeys()
    private var sums = [UInt64](repeating: 0, count: IndexCheck.parts)
    private var isCollecting = false
    /// Keys of records that the index must have, in parts whose sums differ.
    private var expected: [[UInt8]: RowID] = [:]
    private var stray: [RowID] = []
    /// Rows whose records cannot be read, which is another finding.
    private var unreadable = RowSet()
    private var records: any RecordCursor
    private var entries: (any EntryCursor)?
    private let recordRun = RecordRun()
    private let entryRun = EntryRun()

    /// - Returns: `nil` for an index that is not complete, or not the store's, as of `reader`.
    init?(_ index: ClassIndex, _ reader: any BackendReader, in store: Store) throws {
        let storedClass = index.storedClass
        let entry = try reader.indexEntries(ofClass: storedClass.number)[index.name]
        guard let table = index.table, let entry, entry.state == .complete, entry == index.entry,
            index.isAsDefined
        else { return nil }
        (self.index, self.table, self.reader) = (index, table, reader)
        candidate = Candidate(store, store.fields(of: storedClass), ofRecords: true)
        records = try reader.records(in: storedClass.table)
    }

    /// Looks at about 256 KiB more. `false` at the end.
    func step() throws -> Bool {
        if let entries {
            if try entries.next(entryRun) {
                while let (key, value) = entryRun.next() {
                    note(key, IndexValue.row(of: key, value) ?? .none, isOfRecord: false)
                }
                return true
            }
            guard !isCollecting, sums.contains(where: { $0 != 0 }) else { return false }
            isCollecting = true
            self.entries = nil
            records = try reader.records(in: index.storedClass.table)
        }
        if try records.next(recordRun) {
            while let (row, record) = recordRun.next() { take(record, at: row) }
        } else {
            entries = try reader.entries(in: table, range: .everything, descending: false)
        }
        return true
    }

    private func take(_ record: UnsafeRawBufferPointer, at row: RowID) {
        do {
            guard try candidate.take(record, at: row) else { return }
            if index.index.isMultiple {
                try keys.makeSeveral(of: index, candidate)
                for key in keys.several { key.withUnsafeBytes { note($0, row, isOfRecord: true) } }
                return
            }
            try keys.withKey(of: index, candidate) { key in
                if let key { note(key.bytes, row, isOfRecord: true) }
            }
        } catch {
            unreadable.insert(row)
        }
    }

    @inline(__always)
    private func note(_ key: UnsafeRawBufferPointer, _ row: RowID, isOfRecord: Bool) {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        hasher.combine(row)
        let hash = UInt64(truncatingIfNeeded: hasher.finalize())
        let part = Int(hash % UInt64(Self.parts))
        guard isCollecting else {
            sums[part] = isOfRecord ? sums[part] &+ hash : sums[part] &- hash
            return
        }
        if sums[part] == 0 || unreadable.contains(row) { return }
        if isOfRecord {
            expected[[UInt8](key)] = row
        } else if expected.removeValue(forKey: [UInt8](key)) != row {
            stray.append(row)
        }
    }

    /// What was found, at the end.
    var findings: [GraphFinding] {
        let name = index.storedClass.name
        let missing = expected.values.sorted().map {
            GraphFinding(.missingIndexEntry, className: name, row: $0, field: index.name)
        }
        return missing
            + stray.sorted().map {
                GraphFinding(.strayIndexEntry, className: name, row: $0, field: index.name)
            }
    }
}

extension Store {
    func indexFindings(isolation: isolated (any Actor)?) async throws -> [GraphFinding] {
        var findings: [GraphFinding] = []
        for index in try indexKeeper?.allIndexes().flatMap(\.all) ?? [] {
            guard let check = try makeIndexCheck(index) else { continue }
            while try check.step() {
                try Task.checkCancellation()
                await Task.yield()
                try checkOpen()
            }
            findings += check.findings
        }
        return findings
    }

    /// As ``check(progress:isolation:)``, of the indexes alone, and at once.
    package func indexFindings() throws -> [GraphFinding] {
        var findings: [GraphFinding] = []
        for index in try indexKeeper?.allIndexes().flatMap(\.all) ?? [] {
            guard let check = try makeIndexCheck(index) else { continue }
            while try check.step() {}
            findings += check.findings
        }
        return findings
    }

    private func makeIndexCheck(_ index: ClassIndex) throws -> IndexCheck? {
        try checkOpen()
        return try IndexCheck(
            index, isIsolated ? backend.snapshot(label: "check") : backend, in: self)
    }

    var unusedIndexes: [String] {
        let all = (try? indexKeeper?.allIndexes()) ?? []
        return all.flatMap { $0.all.filter { $0.isComplete && $0.uses == 0 }.map(\.fullName) }
    }
}
