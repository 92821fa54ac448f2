import Foundation

/// A directory of a test's own, gone when the test is done with it.
final class TemporaryDirectory {
    let path: String

    /// - Parameter inMemory: where the system has a place in memory, for tests that make very many
    ///   small stores and would mostly wait for the disk.
    init(inMemory: Bool = false) {
        var base = FileManager.default.temporaryDirectory
        if inMemory, FileManager.default.isWritableFile(atPath: "/dev/shm") {
            base = URL(fileURLWithPath: "/dev/shm")
        }
        path = base.appendingPathComponent("cabinet-tokyo-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}
