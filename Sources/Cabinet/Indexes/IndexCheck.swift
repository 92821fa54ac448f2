import CabinetBackend

/// Compares what an index holds with the keys of its records, as of one commit.
///
/// First by sums of hashes in 4,096 parts; then the keys of those parts are compared where sums differ, of as
/// many parts as there is room for: about 65,536 keys.
final class IndexCheck {
    private static let parts = 4_096
    private static let collectedLimit = 65_536

    private let index: CheckedIndex
    private let reader: any BackendReader
    private var sums = [UInt64](repeating: 0, count: IndexCheck.parts)
    private var keyCount = 0
    /// In the second run, whether a part is compared.
    private var collectedParts: [Bool]?
    /// Keys of records that the index must have, in parts that are compared.
    private var expected: [[UInt8]: RowID] = [:]
    private var stray: [RowID] = []
    /// Rows whose records cannot be read, which is another finding.
    private var unreadable = RowSet()
    private var records: any RecordCursor
    private var entries: (any EntryCursor)?
    private let recordRun = RecordRun()
    private let entryRun = EntryRun()

    init(_ index: CheckedIndex, _ reader: any BackendReader) throws {
        self.index = index
        self.reader = reader
        records = try reader.records(in: index.records)
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
            guard collectedParts == nil, sums.contains(where: { $0 != 0 }) else { return false }
            beginComparing()
            self.entries = nil
            records = try reader.records(in: index.records)
        }
        if try records.next(recordRun) {
            while let (row, record) = recordRun.next() { take(record, at: row) }
        } else {
            entries = try reader.entries(in: index.table, range: .everything, descending: false)
        }
        return true
    }

    private func beginComparing() {
        var left = max(1, Self.collectedLimit / max(keyCount / Self.parts, 1))
        collectedParts = sums.map { sum in
            guard sum != 0, left > 0 else { return false }
            left -= 1
            return true
        }
    }

    private func take(_ record: UnsafeRawBufferPointer, at row: RowID) {
        do {
            try index.forEachKey(record, row) { note($0, row, isOfRecord: true) }
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
        guard let collectedParts else {
            sums[part] = isOfRecord ? sums[part] &+ hash : sums[part] &- hash
            if isOfRecord { keyCount += 1 }
            return
        }
        if !collectedParts[part] || unreadable.contains(row) { return }
        if isOfRecord {
            expected[[UInt8](key)] = row
        } else if expected[[UInt8](key)] == row {
            expected[[UInt8](key)] = nil
        } else {
            stray.append(row)
        }
    }

    /// What was found, at the end.
    var findings: [GraphFinding] {
        func finding(_ kind: GraphFinding.Kind, _ row: RowID) -> GraphFinding {
            GraphFinding(kind, className: index.className, row: row, field: index.name)
        }
        return expected.values.sorted().map { finding(.missingIndexEntry, $0) }
            + stray.sorted().map { finding(.strayIndexEntry, $0) }
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
        let reader = isIsolated ? try backend.snapshot(label: "check") : backend
        return try CheckedIndex(index, reader, in: self).map { try IndexCheck($0, reader) }
    }

    var unusedIndexes: [String] {
        let all = (try? indexKeeper?.allIndexes()) ?? []
        return all.flatMap { $0.all.filter { $0.isComplete && $0.uses == 0 }.map(\.fullName) }
    }
}
