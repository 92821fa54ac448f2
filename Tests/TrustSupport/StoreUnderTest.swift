import CLibrary
import CabinetBackend
import CabinetTokyo
import Dispatch

/// The engine, opened as the tests need it.
package struct StoreUnderTest {
    package let backend: TokyoBackend

    /// Whether stores are opened with ``sealingKey``: around the body of a suite, or with `CABINET_SEALED=1` for
    /// a whole run; child processes go by their parent.
    @TaskLocal package static var isSealed = RunSetting.number("CABINET_SEALED") == 1

    /// Whether stores may be sealed: for arguments of tests.
    #if Encryption
        package static let sealings = [false, true]
    #else
        package static let sealings = [false]
    #endif

    private static let sealingKey = StoreKey.raw(Array(1...32))

    /// The key of stores that suites make; `nil`: they are not sealed.
    package static var key: StoreKey? { isSealed ? sealingKey : nil }

    package init(_ backend: TokyoBackend) { self.backend = backend }

    /// Opens the store, after one that this process has dropped without closing has gone: its
    /// upkeep may hold it a moment longer, on a busy machine after the store has been idle.
    package static func open(
        _ directory: String, durability: Durability, files: any FileLayer, log: LogSink = .none,
        snapshots: SnapshotLimits = SnapshotLimits(), key: StoreKey? = StoreUnderTest.key
    ) throws(BackendError) -> StoreUnderTest {
        let deadline = DispatchTime.now() + .seconds(20)
        while true {
            do throws(BackendError) {
                return StoreUnderTest(
                    try TokyoBackend(
                        path: directory, durability: durability, snapshots: snapshots, key: key,
                        log: log, files: files))
            } catch .busy where DispatchTime.now() < deadline {
                usleep(2_000)
            } catch {
                throw error
            }
        }
    }

    package func compact() throws(BackendError) { try backend.compact() }
}
