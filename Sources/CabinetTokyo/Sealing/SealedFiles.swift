import CabinetBackend

/// A file layer whose files hold sealed bytes: it passes everything on, and whoever reads or writes a format
/// through it finds the ``sealer`` here.
package final class SealedFiles: FileLayer {
    private let files: any FileLayer
    private let own: any Sealer

    package init(_ files: any FileLayer, _ sealer: any Sealer) {
        self.files = files
        own = sealer
    }

    package var sealer: (any Sealer)? { own }
    package var leastMap: UInt64 { files.leastMap }

    package func open(_ path: String, for use: FileUse) throws(BackendError) -> OpenFile {
        try files.open(path, for: use)
    }

    package func size(of file: OpenFile) throws(BackendError) -> UInt64 {
        try files.size(of: file)
    }

    package func status(of file: OpenFile) throws(BackendError) -> FileStatus {
        try files.status(of: file)
    }

    package func status(of path: String) throws(BackendError) -> FileStatus? {
        try files.status(of: path)
    }

    package func map(_ file: OpenFile, upTo size: UInt64) throws(BackendError) -> FileMap? {
        try files.map(file, upTo: size)
    }

    package func prepareLibrary(toOpen path: String) throws(BackendError) {
        try files.prepareLibrary(toOpen: path)
    }

    package func read(
        _ file: OpenFile, at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) -> Int {
        try files.read(file, at: offset, into: bytes)
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        try files.write(bytes, to: file, at: offset)
    }

    package func window(of file: OpenFile, _ range: Range<UInt64>) -> FileWindow? {
        files.window(of: file, range)
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer, to window: FileWindow, at offset: UInt64
    ) throws(BackendError) {
        try files.write(bytes, to: window, at: offset)
    }

    package func truncate(_ file: OpenFile, to size: UInt64) throws(BackendError) {
        try files.truncate(file, to: size)
    }

    package func reserve(_ file: OpenFile, upTo size: UInt64) throws(BackendError) {
        try files.reserve(file, upTo: size)
    }

    package func sync(_ file: OpenFile) throws(BackendError) { try files.sync(file) }

    package func beginWriteBack(_ path: String) { files.beginWriteBack(path) }

    package func letGo(of path: String, upTo size: UInt64) { files.letGo(of: path, upTo: size) }

    package func rename(_ path: String, to newPath: String) throws(BackendError) {
        try files.rename(path, to: newPath)
    }

    package func remove(_ path: String) throws(BackendError) { try files.remove(path) }

    @discardableResult
    package func makeDirectory(_ path: String) throws(BackendError) -> Bool {
        try files.makeDirectory(path)
    }

    package func removeDirectory(_ path: String) throws(BackendError) {
        try files.removeDirectory(path)
    }

    package func syncDirectory(_ path: String) throws(BackendError) {
        try files.syncDirectory(path)
    }

    package func list(_ path: String) throws(BackendError) -> [String] { try files.list(path) }

    package func resolved(_ path: String) -> String { files.resolved(path) }

    package func lock(_ file: OpenFile, exclusively: Bool) throws(BackendError) -> Bool {
        try files.lock(file, exclusively: exclusively)
    }

    package func mountIdentity(of path: String) throws(BackendError) -> MountIdentity {
        try files.mountIdentity(of: path)
    }
}
