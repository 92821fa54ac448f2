import CabinetBackend
import CabinetTokyo

/// A file layer on a machine that was restarted: nothing of its page cache is left. By default it
/// does not sync, as no test depends on what is on the device then.
package final class RebootedFiles: PassingFiles, @unchecked Sendable {
    private let boot: Int
    private let syncs: Bool

    /// Boots with different numbers are different boots.
    package init(_ files: any FileLayer = SystemFiles(), boot: Int = 1, syncs: Bool = false) {
        self.boot = boot
        self.syncs = syncs
        super.init(files)
    }

    package override func sync(_ file: OpenFile) throws(BackendError) {
        if syncs { try super.sync(file) }
    }

    package override func syncDirectory(_ path: String) throws(BackendError) {
        if syncs { try super.syncDirectory(path) }
    }

    package override func mountIdentity(of path: String) throws(BackendError) -> MountIdentity {
        var mount = try super.mountIdentity(of: path)
        let number = String(boot)
        mount.boot = String(repeating: "0", count: 36 - number.utf8.count) + number
        return mount
    }
}
