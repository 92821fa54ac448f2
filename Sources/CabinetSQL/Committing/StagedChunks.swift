import CLibrary
import CabinetBackend

/// The full chunks of one batch, in a temporary file without a name until it is committed or given up, so
/// that a batch of any size takes the memory of one chunk, and is ready when others have to wait for it.
package final class StagedChunks: ChunkSink {
    private let core: SQLCore
    private var file: Int32 = -1
    private var end = 0
    private var mapped: [UnsafeMutableRawBufferPointer] = []
    /// In the order in which they were filled.
    private(set) var chunks: [UnsafeRawBufferPointer] = []
    /// Why a chunk could not be taken: the batch can then only be given up.
    private(set) var failure: BackendError?

    init(_ core: SQLCore) { self.core = core }

    deinit { removeAll() }

    package func stage(_ batch: WriteBatch) throws(BackendError) {
        do throws(BackendError) {
            try core.pool.checkOpen()
            try add(Self.operations(of: batch))
        } catch {
            failure = error
            throw error
        }
        batch.startNextChunk()
    }

    private func add(_ operations: UnsafeRawBufferPointer) throws(BackendError) {
        if file < 0 { file = try Self.makeFile() }
        var done = 0
        while done < operations.count, let base = operations.baseAddress {
            let count = pwrite(file, base + done, operations.count - done, off_t(end + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("pwrite", needed: operations.count) }
            done += count
        }
        guard
            let memory = mmap(nil, operations.count, PROT_READ, MAP_SHARED, file, off_t(end)),
            memory != MAP_FAILED
        else { throw Self.failure("mmap") }
        mapped.append(
            UnsafeMutableRawBufferPointer(start: memory, count: operations.count))
        chunks.append(UnsafeRawBufferPointer(start: memory, count: operations.count))
        // Maps begin at pages.
        let page = Int(getpagesize())
        end += (operations.count + page - 1) / page * page
    }

    func removeAll() {
        for memory in mapped { munmap(memory.baseAddress, memory.count) }
        (mapped, chunks, end, failure) = ([], [], 0, nil)
        if file >= 0 { _ = close(file) }
        file = -1
    }

    /// What the batch holds behind the headroom.
    package static func operations(of batch: WriteBatch) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: batch.chunk()[WriteBatch.headroom...])
    }

    private static var directory: String {
        getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    }

    private static func makeFile() throws(BackendError) -> Int32 {
        var template = Array("\(directory)/cabinet-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw failure("mkstemp") }
        _ = unlink(template)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        return file
    }

    private static func failure(_ operation: String, needed: Int = 0) -> BackendError {
        let code = errno
        return code == ENOSPC || code == EDQUOT
            ? .diskFull(path: directory, needed: UInt64(needed))
            : .system(operation: operation, path: directory, code: code)
    }
}
