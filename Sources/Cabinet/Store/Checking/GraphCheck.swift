import CabinetBackend
import Foundation

/// One check of a store's graph, from its catalog and its records alone. A record that only its
/// class can read is read by the caller, which has the class, in its own isolation domain.
///
/// Saves go on beside it. Rows are a bit each, and another one for each relationship with an
/// inverse that their record may not know; the two sides of inverses are compared by sums of 768
/// KiB, and by 16 MiB of references at a time where those differ. Of everything else it keeps no
/// more than a run of records at a time.
actor GraphCheck {
    typealias ClassRow = WrittenReferences.Target

    /// A record and all references in it.
    struct Owner: Sendable {
        let classRow: ClassRow
        let references: [RecordDecoder.FoundReference]
    }

    let backend: any Backend
    /// The classes whose hand-written records are handed over.
    private let readable: Set<UInt8>
    private let progress: Progress?
    var decoder: RecordDecoder
    var rows: [UInt8: RowSet] = [:]
    var report = CheckReport()
    /// What records say of relationships that have an inverse.
    var inverses: InverseSums
    /// The last two records that were looked at again.
    var recentTargets: [RecentTargets] = []
    /// Layouts that the catalog does not know: class, number.
    private var unknownLayouts: Set<[UInt16]> = []

    var referrers: SavedReferrers?
    /// Owners whose entries in the table of referrers were looked at.
    var compared: [UInt8: RowSet] = [:]
    /// Owners that are handed back to be looked at again.
    var doubtful: Set<ClassRow> = []

    init(
        _ backend: any Backend, _ schema: StoreSchema, readable: Set<UInt8> = [],
        _ progress: Progress? = nil
    ) throws {
        self.backend = backend
        self.readable = readable
        self.progress = progress
        decoder = RecordDecoder(schema)
        referrers = try SavedReferrers(backend)
        inverses = InverseSums(try InversePairs(backend))
        var total = 0
        for storedClass in decoder.schema.classes {
            total += try backend.count(of: storedClass.table) * 2
        }
        if let referrers { total += try backend.count(of: referrers.table) }
        progress?.totalUnitCount = Int64(max(total, 1))
    }

    /// Notes which rows there are. Must come first.
    func readRows() async throws {
        for storedClass in decoder.schema.classes {
            var found = RowSet()
            let isPaired = inverses.concerns(storedClass.number)
            try await walk(storedClass) { row, record in
                found.insert(row)
                if !isPaired { return }
                inverses.note(
                    Self.layoutNumber(of: record),
                    of: ClassRow(classNumber: storedClass.number, row: row))
            }
            rows[storedClass.number] = found
        }
    }

    /// Reads all records that can be read without their class.
    func checkRecords() async throws {
        for storedClass in decoder.schema.classes {
            let isReadable = readable.contains(storedClass.number)
            if let problem = storedClass.problem {
                report.add(
                    CheckFinding(
                        .unreadableCatalog, className: storedClass.name, reason: "\(problem)"))
            }
            guard storedClass.problem == nil, !storedClass.layouts.isEmpty else {
                if !isReadable || storedClass.problem != nil {
                    noteUnread(storedClass.name, try backend.count(of: storedClass.table))
                }
                continue
            }
            try await walk(storedClass) { row, record in
                try check(record, row, storedClass, isReadable)
            }
        }
    }

    private func check(
        _ record: UnsafeRawBufferPointer, _ row: RowID, _ storedClass: StoreSchema.Class,
        _ isReadable: Bool
    ) throws {
        let found: [RecordDecoder.FoundReference]?
        do {
            found = try references(in: record, row, storedClass)
        } catch let error as StoreError {
            report.records += 1
            report.add(
                CheckFinding(
                    .unreadableRecord, className: storedClass.name, row: row, reason: "\(error)"))
            return
        }
        guard let found else {
            if !isReadable { noteUnread(storedClass.name, 1) }
            return
        }
        let classRow = ClassRow(classNumber: storedClass.number, row: row)
        noteLinks(found, record, of: classRow)
        for suspect in try suspects(in: Owner(classRow: classRow, references: found)) {
            try confirm(suspect, of: classRow) { record in
                // A later save's record is not this check's business.
                do { return try references(in: record, row, storedClass) ?? [] } catch is StoreError
                { return [] }
            }
        }
    }

    /// What a record of declared fields refers to; `nil` for one that was written by hand.
    func references(
        in record: UnsafeRawBufferPointer, _ row: RowID, _ storedClass: StoreSchema.Class
    ) throws -> [RecordDecoder.FoundReference]? {
        let failure: StoreError
        do {
            let current = decoder.schema[storedClass.number] ?? storedClass
            return try decoder.references(in: record, row: row, of: current)
        } catch {
            failure = error
        }
        // It may be younger than what is known of the catalog.
        guard case .unknownLayout(_, _, let number) = failure,
            unknownLayouts.insert([UInt16(storedClass.number), number]).inserted
        else { throw failure }
        decoder = RecordDecoder(try StoreSchema(backend))
        guard let current = decoder.schema[storedClass.number] else { throw failure }
        return try decoder.references(in: record, row: row, of: current)
    }

    func note(_ finding: CheckFinding) { report.add(finding) }

    func noteUnread(_ name: String, _ count: Int) {
        if count > 0 { report.unread[name, default: 0] += count }
    }

    // MARK: Walks

    func walk(
        _ storedClass: StoreSchema.Class,
        _ body: (RowID, UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        do {
            let cursor = try backend.records(in: storedClass.table)
            let run = RecordRun()
            while try cursor.next(run) {
                var count = 0
                while let (row, record) = run.next() {
                    try body(row, record)
                    count += 1
                }
                try await pause(count)
            }
        } catch BackendError.corrupt(let path, let offset) {
            let error = BackendError.corrupt(path: path, offset: offset)
            report.add(
                CheckFinding(.damage, className: storedClass.name, reason: error.description))
        }
    }

    /// Lets others have the processor, after `count` more units of work.
    func pause(_ count: Int) async throws {
        if let progress {
            if progress.isCancelled { throw CancellationError() }
            progress.completedUnitCount = min(
                progress.completedUnitCount + Int64(count), progress.totalUnitCount)
        }
        try Task.checkCancellation()
        await Task.yield()
    }

    /// The outcome, once all is done.
    func finish() -> CheckReport {
        if let progress { progress.completedUnitCount = progress.totalUnitCount }
        return report
    }
}
