import CLibrary
import CabinetBackend
import CabinetTokyo
import Dispatch

/// The engine, opened as the tests need it.
package struct StoreUnderTest {
    package let backend: TokyoBackend

    package init(_ backend: TokyoBackend) { self.backend = backend }

    /// Opens the store, after one that this process has dropped without closing has gone: its
    /// upkeep may hold it a moment longer, on a busy machine after the store has been idle.
    package static func open(
        _ directory: String, durability: Durability, files: any FileLayer, log: LogSink = .none,
        snapshots: SnapshotLimits = SnapshotLimits()
    ) throws(BackendError) -> StoreUnderTest {
        let deadline = DispatchTime.now() + .seconds(20)
        while true {
            do throws(BackendError) {
                return StoreUnderTest(
                    try TokyoBackend(
                        path: directory, durability: durability, snapshots: snapshots, log: log,
                        files: files))
            } catch .busy where DispatchTime.now() < deadline {
                usleep(2_000)
            } catch {
                throw error
            }
        }
    }

    package func compact() throws(BackendError) { try backend.compact() }
}
