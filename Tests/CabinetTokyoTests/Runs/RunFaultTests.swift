import CLibrary
import CabinetBackend
import Testing

@testable import CabinetTokyo

/// A file layer of which one call fails: of those that change a file, or that map one.
///
/// `Sendable` is unchecked because each belongs to one test, which calls it from one thread.
private final class FailingFiles: FileLayer, @unchecked Sendable {
    private let files = SystemFiles()
    private let failing: Int
    private let error: BackendError
    private(set) var calls = 0

    init(failing: Int, error: BackendError) {
        self.failing = failing
        self.error = error
    }

    private func step() throws(BackendError) {
        calls += 1
        if calls == failing { throw error }
    }

    func open(_ path: String, for use: FileUse) throws(BackendError) -> OpenFile {
        try step()
        return try files.open(path, for: use)
    }

    func size(of file: OpenFile) throws(BackendError) -> UInt64 { try files.size(of: file) }

    func status(of file: OpenFile) throws(BackendError) -> FileStatus {
        try files.status(of: file)
    }

    func map(_ file: OpenFile, upTo size: UInt64) throws(BackendError) -> FileMap? {
        try step()
        return try files.map(file, upTo: size)
    }

    func read(
        _ file: OpenFile, at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) -> Int { try files.read(file, at: offset, into: bytes) }

    func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        do throws(BackendError) { try step() } catch {
            try files.write(
                UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2)), to: file,
                at: offset)
            throw error
        }
        try files.write(bytes, to: file, at: offset)
    }

    func window(of file: OpenFile, _ range: Range<UInt64>) -> FileWindow? { nil }

    func write(
        _ bytes: UnsafeRawBufferPointer, to window: FileWindow, at offset: UInt64
    ) throws(BackendError) { try files.write(bytes, to: window, at: offset) }

    func truncate(_ file: OpenFile, to size: UInt64) throws(BackendError) {
        try step()
        try files.truncate(file, to: size)
    }

    func reserve(_ file: OpenFile, upTo size: UInt64) throws(BackendError) {
        try step()
        try files.reserve(file, upTo: size)
    }

    func sync(_ file: OpenFile) throws(BackendError) {
        try step()
        try files.sync(file)
    }

    func rename(_ path: String, to newPath: String) throws(BackendError) {
        try files.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(BackendError) { try files.remove(path) }

    func makeDirectory(_ path: String) throws(BackendError) -> Bool {
        try files.makeDirectory(path)
    }

    func removeDirectory(_ path: String) throws(BackendError) {
        try files.removeDirectory(path)
    }

    func syncDirectory(_ path: String) throws(BackendError) { try files.syncDirectory(path) }

    func list(_ path: String) throws(BackendError) -> [String] { try files.list(path) }

    func status(of path: String) throws(BackendError) -> FileStatus? {
        try files.status(of: path)
    }

    func lock(_ file: OpenFile, exclusively: Bool) throws(BackendError) -> Bool {
        try files.lock(file, exclusively: exclusively)
    }

    func mountIdentity(of path: String) throws(BackendError) -> MountIdentity {
        try files.mountIdentity(of: path)
    }
}

struct RunFaultTests {
    let directory = RunDirectory()
    let identity = RunIdentity(store: 77, table: 5)

    /// Entries of 5 MB, some large, so that the file is written and reserved in several steps.
    private func model() -> RunModel {
        var model = RunModel()
        for number in 0..<500 {
            let byte = UInt8(number & 255)
            let size = number % 50 == 0 ? 300_000 : 4000
            model.entries.append(
                ModelEntry(
                    key: [UInt8(number >> 8), byte],
                    value: [UInt8](repeating: byte, count: size), weight: 1))
        }
        return model
    }

    @Test func aFailingCallIsThrownAndLeavesNoRun() throws {
        let path = directory.file("run")
        let model = model()
        let full = BackendError.diskFull(path: path, needed: 1)
        let refused = BackendError.system(operation: "pwrite", path: path, code: EIO)
        for error in [full, refused] {
            var isWhole = false
            var failing = 1
            while !isWhole {
                let files = FailingFiles(failing: failing, error: error)
                do {
                    try writeRun(model, path, files: files)
                    // A refused reservation of more than is needed does not matter.
                    let run = try #require(
                        try Run(files: SystemFiles(), path: path, identity: identity))
                    #expect(try run.contents() == model.entries)
                    isWhole = files.calls < failing
                    #expect(isWhole || error == full)
                } catch let thrown as BackendError {
                    #expect(thrown == error)
                    // Whole if only the sync failed; a part is never taken for a run.
                    if let run = try? Run(
                        files: SystemFiles(), path: path, identity: identity)
                    {
                        #expect(try run.contents() == model.entries)
                    }
                }
                failing += 1
            }
            #expect(failing > 15)
        }
    }

    @Test func aFailingOpeningIsThrown() throws {
        let path = directory.file("run")
        try writeRun(model(), path)
        let error = BackendError.system(operation: "mmap", path: path, code: ENOMEM)
        for failing in 1...2 {
            #expect(throws: error) {
                try Run(
                    files: FailingFiles(failing: failing, error: error), path: path,
                    identity: identity)
            }
        }
    }
}
