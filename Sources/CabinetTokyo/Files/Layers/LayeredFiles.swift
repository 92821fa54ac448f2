import CabinetBackend

/// A file layer over another one, to which it passes on what it does not do itself.
package protocol LayeredFiles: FileLayer {
    var below: any FileLayer { get }
}

extension LayeredFiles {
    package var sealer: (any Sealer)? { below.sealer }
    package var leastMap: UInt64 { below.leastMap }

    package func open(_ path: String, for use: FileUse) throws(BackendError) -> OpenFile {
        try below.open(path, for: use)
    }

    package func checkPlace() throws(BackendError) { try below.checkPlace() }

    package func size(of file: OpenFile) throws(BackendError) -> UInt64 {
        try below.size(of: file)
    }

    package func status(of file: OpenFile) throws(BackendError) -> FileStatus {
        try below.status(of: file)
    }

    package func status(of path: String) throws(BackendError) -> FileStatus? {
        try below.status(of: path)
    }

    package func map(_ file: OpenFile, upTo size: UInt64) throws(BackendError) -> FileMap? {
        try below.map(file, upTo: size)
    }

    package func prepareLibrary(toOpen path: String) throws(BackendError) {
        try below.prepareLibrary(toOpen: path)
    }

    package func read(
        _ file: OpenFile, at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) -> Int {
        try below.read(file, at: offset, into: bytes)
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        try below.write(bytes, to: file, at: offset)
    }

    package func window(of file: OpenFile, _ range: Range<UInt64>) -> FileWindow? {
        below.window(of: file, range)
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer, to window: FileWindow, at offset: UInt64
    ) throws(BackendError) {
        try below.write(bytes, to: window, at: offset)
    }

    package func truncate(_ file: OpenFile, to size: UInt64) throws(BackendError) {
        try below.truncate(file, to: size)
    }

    package func reserve(_ file: OpenFile, upTo size: UInt64) throws(BackendError) {
        try below.reserve(file, upTo: size)
    }

    package func sync(_ file: OpenFile) throws(BackendError) { try below.sync(file) }

    package func beginWriteBack(_ path: String) { below.beginWriteBack(path) }

    package func letGo(of path: String, upTo size: UInt64) { below.letGo(of: path, upTo: size) }

    package func rename(_ path: String, to newPath: String) throws(BackendError) {
        try below.rename(path, to: newPath)
    }

    package func remove(_ path: String) throws(BackendError) { try below.remove(path) }

    @discardableResult
    package func makeDirectory(_ path: String) throws(BackendError) -> Bool {
        try below.makeDirectory(path)
    }

    package func removeDirectory(_ path: String) throws(BackendError) {
        try below.removeDirectory(path)
    }

    package func syncDirectory(_ path: String) throws(BackendError) {
        try below.syncDirectory(path)
    }

    package func list(_ path: String) throws(BackendError) -> [String] { try below.list(path) }

    package func resolved(_ path: String) -> String { below.resolved(path) }

    package func lock(_ file: OpenFile, exclusively: Bool) throws(BackendError) -> Bool {
        try below.lock(file, exclusively: exclusively)
    }

    package func mountIdentity(of path: String) throws(BackendError) -> MountIdentity {
        try below.mountIdentity(of: path)
    }

    package func copyPermissions(of path: String, to newPath: String) {
        below.copyPermissions(of: path, to: newPath)
    }
}
