import CabinetBackend
import CabinetTokyo

/// A machine that was started again, and gives its disks other numbers.
package final class RenumberedFiles: PassingFiles, @unchecked Sendable {
    package override func status(of path: String) throws(BackendError) -> FileStatus? {
        var status = try super.status(of: path)
        status?.device += 1
        return status
    }

    package override func status(of file: OpenFile) throws(BackendError) -> FileStatus {
        var status = try super.status(of: file)
        status.device += 1
        return status
    }

    package override func mountIdentity(of path: String) throws(BackendError) -> MountIdentity {
        var mount = try super.mountIdentity(of: path)
        mount.device += 1
        mount.boot = String(repeating: "1", count: 36)
        return mount
    }
}
