import CabinetBackend
import CabinetTokyo

/// A machine that gives a disk that was pulled and plugged in again all the numbers that it had,
/// and does not tell its mounts apart.
package final class ReusedNumbers: PassingFiles, @unchecked Sendable {
    package override func mountIdentity(of path: String) throws(BackendError) -> MountIdentity {
        MountIdentity(boot: String(repeating: "b", count: 36), device: 1, mount: 0, inode: 1)
    }
}
