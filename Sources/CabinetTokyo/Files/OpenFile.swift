import CLibrary
import CSystem

/// A file that is open until the last reference to it goes.
package final class OpenFile: Sendable {
    /// Where the file was when it was opened.
    package let path: String
    package let descriptor: Int32

    package init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// When the file was made, in nanoseconds since 1970-01-01 00:00 UTC; 0 where the system does not
    /// say. A file that gets the inode of one that was removed has another time.
    var birthTime: UInt64 { cabinet_birth_time(descriptor) }

    // What matters was synced before, so a failing close has nothing left to tell.
    deinit { _ = close(descriptor) }
}
