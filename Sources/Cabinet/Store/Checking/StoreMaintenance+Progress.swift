import CabinetBackend
import CabinetTokyo
import Foundation

extension StoreMaintenance {
    /// As `check(reportingTo:)`; `progress` shows how far it is, and cancels it.
    public func check(progress: Progress? = nil) async throws -> EngineReport {
        try await check(reportingTo: reporter(showingIn: progress))
    }

    /// As `storageReport(reportingTo:)`; `progress` shows how far it is, and cancels it.
    public func storageReport(progress: Progress? = nil) async throws -> StorageReport {
        try await storageReport(reportingTo: reporter(showingIn: progress))
    }

    /// As `compact(reportingTo:)`; `progress` shows how far it is, and cancels it.
    public func compact(progress: Progress? = nil) async throws {
        try await compact(reportingTo: reporter(showingIn: progress))
    }

    /// As `backup(to:reportingTo:)`; `progress` shows how far it is, and cancels it.
    public func backup(to path: String, progress: Progress? = nil) async throws {
        try await backup(to: path, reportingTo: reporter(showingIn: progress))
    }
}

extension Store {
    /// What the engine finds wrong with what it keeps; nothing for one that keeps no files.
    func engineFindings(
        _ progress: Progress?, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [CheckFinding] {
        guard let engine = backend as? any StoreMaintenance else {
            progress?.totalUnitCount = 1
            progress?.completedUnitCount = 1
            return []
        }
        let names = Dictionary(
            uniqueKeysWithValues: try engine.tables().lazy.filter { $0.kind == .record }
                .map { ($0.number, $0.name) })
        return try await engine.check(progress: progress).findings.map { finding in
            CheckFinding(
                .damage, className: finding.table.flatMap { names[$0] }, row: finding.row,
                reason: finding.description)
        }
    }
}

/// Shows in `progress` how far long work of any engine is; `nil` for no progress.
func reporter(showingIn progress: Progress?) -> (any WorkReporter)? { ProgressReporter(progress) }
