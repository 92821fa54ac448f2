import CLibrary
import CabinetTokyo

/// A directory of a test's own, gone with all that is in it when nobody holds it any more.
package final class ScratchDirectory {
    package let path: String
    /// Whether it stays, for somebody to look at.
    package var isKept = false

    /// Makes it in memory where the system keeps files there, else where temporary files are.
    /// What the tests show depends on no device, and many tests make thousands of stores.
    package init(on place: String? = nil) throws {
        let home =
            place ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil)
            ?? RunSetting.text("TMPDIR") ?? "/tmp"
        var template = Array("\(home)/cabinet-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw ScratchFailure(code: errno) }
        path = String(cString: made)
    }

    deinit {
        if !isKept { Self.remove(path) }
    }

    /// Empties the directory.
    package func clear() {
        Self.remove(path)
        mkdir(path, 0o700)
    }

    private static func remove(_ path: String) {
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

package struct ScratchFailure: Error { let code: Int32 }
