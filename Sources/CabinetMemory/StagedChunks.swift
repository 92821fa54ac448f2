import CabinetBackend

/// The full chunks of one batch, kept until it is committed or given up.
final class StagedChunks: ChunkSink {
    private let owner: MemoryBackend
    /// In the order in which they were filled.
    private(set) var chunks: [UnsafeMutableRawBufferPointer] = []
    /// Why a chunk could not be taken: the batch can then only be given up.
    private(set) var failure: BackendError?

    init(of owner: MemoryBackend) { self.owner = owner }

    deinit { removeAll() }

    func stage(_ batch: WriteBatch) throws(BackendError) {
        do { try owner.checkOpen() } catch {
            failure = error
            throw error
        }
        let operations = Self.operations(of: batch)
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: operations.count, alignment: 8)
        copy.copyMemory(from: operations)
        chunks.append(copy)
        batch.startNextChunk()
    }

    /// Gives each chunk to `body`, in order, and frees it.
    func consume(_ body: (UnsafeRawBufferPointer) -> Void) {
        for chunk in chunks {
            body(UnsafeRawBufferPointer(chunk))
            chunk.deallocate()
        }
        chunks = []
    }

    func removeAll() {
        for chunk in chunks { chunk.deallocate() }
        chunks = []
    }

    /// What the batch holds behind the headroom.
    static func operations(of batch: WriteBatch) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: batch.chunk()[WriteBatch.headroom...])
    }
}
