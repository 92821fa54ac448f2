import CabinetBackend
import Synchronization

/// A run that is known by its name and size, whose file is opened when the run is first used.
///
/// An opening after an orderly close makes these (``RunFiles/pending(_:upTo:size:)``); any other opens all
/// runs and judges them. The code that removes the file while the run may still be read opens the run first.
final class PendingRun: Sendable {
    let path: String
    let span: CommitSpan
    /// In bytes.
    let size: UInt64
    /// Which file had the name when the store was opened.
    let identityOfFile: FileIdentity
    private let identity: RunIdentity
    private let files: any FileLayer
    private let opened = AtomicLazyReference<Run>()

    init(
        files: any FileLayer, path: String, identity: RunIdentity, span: CommitSpan,
        status: FileStatus
    ) {
        self.files = files
        self.path = path
        self.identity = identity
        self.span = span
        size = status.size
        identityOfFile = status.identity
    }

    /// The run if it was used before.
    var runIfOpen: Run? { opened.load() }

    /// The run, which the first call opens. Threads may call it at once, and after an error again.
    ///
    /// - Throws: ``BackendError/corrupt(path:offset:)`` if the file is gone, damaged, or the run of
    ///   another table, store or stretch of commits;
    ///   ``BackendError/newerFormat(path:found:known:)``;
    ///   ``BackendError/viewUnavailable(path:cause:)`` if the device fails or the process lacks
    ///   memory or descriptors, which says nothing about the run.
    func run() throws(BackendError) -> Run {
        if let run = opened.load() { return run }
        let run: Run?
        do throws(BackendError) {
            run = try Run(files: files, path: path, identity: identity)
        } catch {
            switch error {
            case .corrupt, .newerFormat, .olderFormat: throw error
            default: throw .viewUnavailable(path: path, cause: "\(error)")
            }
        }
        guard let run, run.span == span else { throw .corrupt(path: path, offset: 0) }
        return opened.storeIfNil(run)
    }
}
