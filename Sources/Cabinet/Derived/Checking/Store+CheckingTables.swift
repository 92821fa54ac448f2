import CabinetBackend
import Foundation

extension Store {
    /// What a check of derived tables has found. `Sendable`: a value.
    package struct TableReport: Sendable {
        /// What is wrong.
        package internal(set) var findings: [CheckFinding] = []
        /// How many tables were compared with their records.
        package internal(set) var checked = 0
        /// Those that could not be.
        package internal(set) var unchecked: [UnusedTable] = []
    }

    /// Compares the derived tables with their records, as ``check(progress:isolation:)`` does, each as of one
    /// commit: of a store that is made of the catalog alone, those that need no class.
    ///
    /// - Parameter progress: counts tables; cancel it to stop.
    /// - Throws: `CancellationError`, or a ``BackendError``.
    package func checkTables(progress: Progress? = nil) throws -> TableReport {
        let run = try TablesCheck(self)
        progress?.totalUnitCount += Int64(run.left)
        var left = run.left
        while try run.step() {
            if progress?.isCancelled == true { throw CancellationError() }
            progress?.completedUnitCount += Int64(left - run.left)
            left = run.left
        }
        return run.report
    }

    /// What is wrong with the derived tables.
    package func indexFindings() throws -> [CheckFinding] { try checkTables().findings }

    /// The same. Between steps other work of the store's isolation domain has its
    /// turn.
    func tableFindings(isolation: isolated (any Actor)?) async throws -> [CheckFinding] {
        let run = try TablesCheck(self)
        while try run.step() {
            try Task.checkCancellation()
            await Task.yield()
        }
        return run.report.findings
    }
}

/// One check of the derived tables of a store, of one after the other.
private final class TablesCheck {
    private let store: Store
    private var tables: [DerivedTable]
    private var check: TableCheck?
    private(set) var report: Store.TableReport

    init(_ store: Store) throws {
        self.store = store
        tables = try store.derived?.allTables().flatMap(\.all).reversed() ?? []
        report = Store.TableReport(unchecked: store.unusedTables)
    }

    /// How many tables have not had their turn.
    var left: Int { tables.count }

    /// Looks at about 256 KiB more. `false` at the end.
    func step() throws -> Bool {
        try store.checkOpen()
        if let check {
            if try check.step() { return true }
            report.findings += check.findings
            report.checked += 1
            self.check = nil
        }
        guard let table = tables.popLast() else { return false }
        do { check = try makeCheck(of: table) } catch let error as DataBufferError {
            report.findings.append(
                CheckFinding(
                    .damage, className: table.storedClass.name, field: table.name,
                    reason: "\(error)"))
            report.checked += 1
        }
        return true
    }

    /// `nil` for a table that is not complete.
    private func makeCheck(of table: DerivedTable) throws -> TableCheck? {
        // As of the basis: the same entry may stand for another table since.
        let reader = try store.readerForWalk()
        let entries = try reader.derivedEntries(ofClass: table.storedClass.number)
        guard let number = table.table, table.isComplete,
            entries[table.kind, table.name] == table.entry
        else { return nil }
        return try table.makeCheck(of: number, in: store, reader)
    }
}

extension CheckReport {
    /// Adds what a check of derived tables has found.
    package mutating func add(_ tables: Store.TableReport) {
        for finding in tables.findings { add(finding) }
    }
}
