import CLibrary

/// A file system of a few megabytes, mounted for a test.
package final class SmallDisk {
    package let path: String
    private let directory: ScratchDirectory

    /// Mounts one of `size` bytes, with room for `inodes` files and directories if that is given;
    /// `nil` where that is not possible or not allowed.
    package init?(size: Int, inodes: Int? = nil) {
        let limits = "size=\(size)" + (inodes.map { ",nr_inodes=\($0)" } ?? "")
        let directory = ScratchDirectory()
        guard Self.run("mount", ["-t", "tmpfs", "-o", limits, "tmpfs", directory.path]) else {
            return nil
        }
        self.directory = directory
        path = directory.path
    }

    deinit { _ = Self.run("umount", [path]) }

    /// Whether this system lets the tests mount anything.
    package static let isPossible = SmallDisk(size: 1 << 20) != nil

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        for place in ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"]
        where access(place + program, X_OK) == 0 {
            guard let child = try? ChildProcess(place + program, arguments) else { return false }
            while child.nextLine() != nil {}
            return child.wait() == .exit(0)
        }
        return false
    }
}
