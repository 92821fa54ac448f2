import CLibrary

/// A file that is open until the last reference to it goes.
package final class OpenFile: Sendable {
    /// Where the file was when it was opened.
    package let path: String
    package let descriptor: Int32

    package init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    // What matters was synced before, so a failing close has nothing left to tell.
    deinit { _ = close(descriptor) }
}
