import CabinetBackend

/// The full chunks of one batch, kept until it is committed or given up.
final class StagedChunks: ChunkSink {
    private let owner: MemoryBackend
    /// In the order in which they were filled: the operations of each, and the memory they are in.
    private var staged: [(operations: UnsafeRawBufferPointer, memory: UnsafeMutableRawPointer)] =
        []
    var chunks: [UnsafeRawBufferPointer] { staged.map(\.operations) }
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
        if operations.count > Self.leastTaken, let memory = batch.arena.takeMemory()?.baseAddress {
            staged.append((operations, memory))
        } else {
            let copy = HeapBytes.allocate(operations.count)
            if let start = operations.baseAddress {
                copy.copyMemory(from: start, byteCount: operations.count)
            }
            staged.append((UnsafeRawBufferPointer(start: copy, count: operations.count), copy))
        }
        batch.startNextChunk()
    }

    /// A larger chunk is taken over rather than copied: a single record, mostly.
    private static let leastTaken = 2 * WriteBatch.chunkLimit

    /// Gives each chunk to `body`, in order, and frees it.
    func consume(_ body: (UnsafeRawBufferPointer) -> Void) {
        for chunk in staged {
            body(chunk.operations)
            HeapBytes.free(chunk.memory)
        }
        staged = []
    }

    func removeAll() {
        for chunk in staged { HeapBytes.free(chunk.memory) }
        staged = []
    }

    /// What the batch holds behind the headroom.
    static func operations(of batch: WriteBatch) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: batch.chunk()[WriteBatch.headroom...])
    }
}
