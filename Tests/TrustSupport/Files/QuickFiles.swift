import CabinetBackend
import CabinetTokyo

/// Files that are never synced: for tests in which nothing is cut off, and that need many short stores.
package final class QuickFiles: PassingFiles, @unchecked Sendable {
    package override func sync(_ file: OpenFile) throws(BackendError) {}
    package override func syncDirectory(_ path: String) throws(BackendError) {}
}
