import CLibrary
import CabinetTokyo

/// A directory of a test's own, removed with its content when this object is freed.
package final class ScratchDirectory {
    package let path: String
    /// Whether it stays, for a person to look at.
    package var isKept = false

    /// Makes it on `place`, or in memory where the system keeps files there: what most tests show
    /// depends on no device, and many make thousands of stores. Else it is where temporary files
    /// are. Traps if there is no room for it, as no test can go on then.
    ///
    /// - Parameter inMemory: `false` for tests of what a device does.
    package init(on place: String? = nil, inMemory: Bool = true) {
        let memory = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil
        let storedClass = place ?? memory ?? RunSetting.text("TMPDIR") ?? "/tmp"
        var template = Array("\(storedClass)/cabinet-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            preconditionFailure("No directory in \(storedClass): error \(errno).")
        }
        path = String(cString: made)
    }

    /// The path of `name` in the directory.
    package func file(_ name: String) -> String { path + "/" + name }

    deinit {
        if !isKept { Self.remove(path) }
    }

    /// Empties the directory.
    package func clear() {
        Self.remove(path)
        mkdir(path, 0o700)
    }

    static func remove(_ path: String) {
        let files = SystemFiles()
        guard let names = try? files.list(path) else {
            unlink(path)
            return
        }
        for name in names {
            let inner = path + "/" + name
            if unlink(inner) != 0 { remove(inner) }
        }
        rmdir(path)
    }
}
