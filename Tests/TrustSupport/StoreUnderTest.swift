import CabinetBackend
import CabinetTokyo

/// The engine, opened as the tests need it.
package struct StoreUnderTest {
    package let backend: TokyoBackend

    package static func open(
        _ directory: String, durability: Durability, files: any FileLayer, log: LogSink = .none
    ) throws(BackendError) -> StoreUnderTest {
        StoreUnderTest(
            backend: try TokyoBackend(
                path: directory, durability: durability, log: log, files: files))
    }

    package func compact() throws(BackendError) { try backend.compact() }
}
