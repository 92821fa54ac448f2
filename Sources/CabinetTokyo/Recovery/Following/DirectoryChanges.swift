import CabinetBackend

/// Reading a log while another process writes it.
///
/// Between listing the directory and opening a file, a compaction or a recovery may have removed
/// that file: then what failed is tried again.
struct DirectoryChanges {
    let files: any FileLayer
    let paths: StorePaths

    /// So often the names may change while one step goes on.
    private static let patience = 100

    /// The names beside which an attempt is worth repeating: none where there is no log.
    func names() throws(BackendError) -> [String] {
        guard try files.status(of: paths.log) != nil else { return [] }
        return try files.list(paths.log)
    }

    /// Calls `body`, and again as long as it throws and the names in the log's directory have changed
    /// meanwhile.
    func repeating<Result>(
        _ body: () throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        for _ in 1..<Self.patience {
            let before = try names()
            do throws(BackendError) {
                return try body()
            } catch {
                guard try names() != before else { throw error }
            }
        }
        return try body()
    }

    /// The highest number of a segment that is there; 0 for none.
    func newestSegment() throws(BackendError) -> UInt64 {
        try names().lazy.compactMap { StorePaths.number(in: $0, after: "log-") }.max() ?? 0
    }
}
