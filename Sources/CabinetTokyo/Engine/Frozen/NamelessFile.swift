import CabinetBackend

/// A file that has no name any more. One that a kill left with its name is
/// removed by the next opening.
///
/// `Sendable`: it never changes.
final class NamelessFile: SpillFile {
    private let files: any FileLayer
    private let file: OpenFile

    init(in directory: String, _ files: any FileLayer) throws(BackendError) {
        self.files = files
        let path = directory + "/window.new"
        file = try files.open(path, for: .replacing)
        try files.remove(path)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(BackendError) {
        try files.write(bytes, to: file, at: offset)
    }

    func read(
        at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) {
        guard try files.read(file, at: offset, into: bytes) == bytes.count else {
            throw .corrupt(path: file.path, offset: offset)
        }
    }
}
