/// What an engine may do beside reading and saving, if it keeps its stores in files: ask a backend
/// for it by `as? any StoreMaintenance`.
///
/// Saves and reads go on beside all of these. Each throws `CancellationError` when its task was
/// cancelled, or when the work's reporter says so.
public protocol StoreMaintenance: Backend {
    /// Reads everything that the engine keeps and says what is not as it should be. Nothing is
    /// repaired; it speaks of the commits made before it began.
    /// - Throws: ``BackendError``, `CancellationError`. Damage is no error but a finding.
    func check(reportingTo reporter: (any WorkReporter)?) async throws -> EngineReport

    /// Says how much disk space the store takes, and for what.
    /// - Throws: ``BackendError``, `CancellationError`.
    func storageReport(reportingTo reporter: (any WorkReporter)?) async throws -> StorageReport

    /// Frees the disk space of what later commits have replaced. An engine may do so by itself.
    /// - Throws: ``BackendError``, `CancellationError`. Then everything is as before.
    func compact(reportingTo reporter: (any WorkReporter)?) async throws

    /// Writes all commits so far into a new directory, which becomes a store like this one; later
    /// ones are not in it. It has its name only when it is whole and on the device.
    /// - Throws: ``BackendError``, `.system` with `EEXIST` if there is something at `path`;
    ///   `CancellationError`. Then there is nothing at `path`.
    func backup(to path: String, reportingTo reporter: (any WorkReporter)?) async throws
}

/// Receives the progress of long work, and says whether the work is to stop.
///
/// Called from any thread, often: calls should take little time.
public protocol WorkReporter: AnyObject, Sendable {
    /// Whether the work is to stop.
    var isCancelled: Bool { get }
    /// Adds units of work that remain: bytes, records, or what else the work counts.
    func expect(_ units: UInt64)
    /// Adds units of work that are done.
    func advance(_ units: UInt64)
    /// The work is done.
    func finish()
}
