import CabinetBackend
import Foundation

extension StoreSchema {
    /// Copies what a store holds into one that is empty, whatever the engines of both: all tables with their
    /// rows and keys, the catalog, named buffers, indexes. No class is needed.
    ///
    /// All of it is one commit of `target`: a program that ends before leaves `target` empty. Afterwards both
    /// stores are read and compared. Saves may go on in `source`: the copy is of its last commit.
    ///
    /// The copy is a store of its own, with another number (`Backend.identity`), in which commits begin with 1: earlier
    /// versions of objects, authors and notes of commits, steps of undo, and what the feed keeps for its readers, are
    /// not copied. Rows keep their numbers, and those of deleted objects are not given out again. Text indexes, and
    /// indexes that were not complete, are empty and are built by the first program that declares them.
    ///
    /// - Parameters:
    ///   - source: the store to copy.
    ///   - target: an empty store.
    ///   - progress: shows how far it is, and cancels it.
    /// - Returns: how many rows and keys were copied.
    /// - Throws: ``StoreCopyError``; `CancellationError` before the commit; a ``BackendError``. Unless it is
    ///   ``StoreCopyError/isDifferent(table:place:)``, or was thrown while both were compared, `target` is empty.
    public static func copy(
        _ source: any Backend, to target: any Backend, progress: Progress? = nil
    ) async throws -> Int {
        guard try target.refresh() == 0, try target.tables().isEmpty else {
            throw StoreCopyError.isNotEmpty(location: target.location)
        }
        try source.refresh()
        let reader: any BackendReader =
            source.features.contains(.snapshots) ? try source.snapshot(label: "copy") : source
        guard try reader.lastCommit() > 0 else {
            throw StoreCopyError.isEmpty(location: source.location)
        }
        let content = try CopiedContent(of: reader, in: source)
        let pace = CopyPace(progress, steps: content.size * 2)
        try await content.write(to: target, pace)
        return try await content.compare(with: target, pace)
    }
}

/// Why a store was not copied.
public enum StoreCopyError: Error, Hashable, Sendable {
    /// The store to copy has no commit. Nothing was changed.
    case isEmpty(location: String)
    /// The store to copy to has commits. Nothing was changed.
    case isNotEmpty(location: String)
    /// The copy was made, and reads otherwise than its original: do not use it. `place` is a row, or a key in
    /// hexadecimal; `nil` if it has more or fewer of them.
    case isDifferent(table: String, place: String?)
}

extension StoreCopyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .isEmpty(let location):
            "There is no save to copy at \(location); a program that opens a directory of 2010 for writing makes one."
        case .isNotEmpty(let location):
            "There is a store at \(location) already. Name another place."
        case .isDifferent(let table, let place?):
            "The copy of \(table) differs at \(place). Do not use the copy."
        case .isDifferent(let table, nil):
            "The copy of \(table) has more or fewer entries. Do not use the copy."
        }
    }
}

/// Counts what was done, and ends the work when it is cancelled.
struct CopyPace {
    private let progress: Progress?

    init(_ progress: Progress?, steps: Int) {
        self.progress = progress
        progress?.totalUnitCount = Int64(steps)
    }

    func count(_ steps: Int) async throws {
        progress?.completedUnitCount += Int64(steps)
        if progress?.isCancelled == true { throw CancellationError() }
        try Task.checkCancellation()
        await Task.yield()
    }
}
