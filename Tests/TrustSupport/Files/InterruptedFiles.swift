import CabinetBackend
import CabinetTokyo

/// A file layer that lets something happen once, when a directory is listed: what another thread may do at
/// that moment.
///
/// `Sendable` is unchecked for its superclass; only the test's thread uses it.
package final class InterruptedFiles: PassingFiles, @unchecked Sendable {
    package var interruption: (() -> Void)?

    package init() { super.init() }

    package override func list(_ path: String) throws(BackendError) -> [String] {
        let names = try files.list(path)
        let body = interruption
        interruption = nil
        body?()
        return names
    }
}
