import CabinetBackend
import CabinetTokyo

/// Keeps all bytes that were ever written through it, whatever has become of the files: temporary ones, files
/// without a name, what was replaced. What the library writes to mapped files is in these.
package final class WrittenFiles: PassingFiles, @unchecked Sendable {
    private let pieces = Guarded<[(path: String, bytes: [UInt8])]>([])

    package init() { super.init(SystemFiles()) }

    package var all: [(path: String, bytes: [UInt8])] { pieces.withLock { $0 } }

    private func keep(_ bytes: UnsafeRawBufferPointer, _ path: String) {
        pieces.withLock { $0.append((path, Array(bytes))) }
    }

    package override func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        keep(bytes, file.path)
        try super.write(bytes, to: file, at: offset)
    }

    package override func write(
        _ bytes: UnsafeRawBufferPointer, to window: FileWindow, at offset: UInt64
    ) throws(BackendError) {
        keep(bytes, window.file.path)
        try super.write(bytes, to: window, at: offset)
    }
}
