import Cabinet
import CabinetTokyo
import Foundation

/// Copies all saves into a new directory, which becomes a store of its own.
func backUp(_ backend: any Backend, to directory: URL) async throws {
    // One in memory has no files.
    guard let engine = backend as? any StoreMaintenance else { return }
    try await engine.backup(to: directory.path(percentEncoded: false))
}

/// Makes a new store of what can be read of a damaged one, and says whether that was all.
func salvage(_ damaged: URL, into directory: URL) async throws -> Bool {
    let report = try await TokyoBackend.salvage(
        from: damaged.path(percentEncoded: false), into: directory.path(percentEncoded: false))
    for finding in report.lost { print(finding) }
    return report.isComplete
}
