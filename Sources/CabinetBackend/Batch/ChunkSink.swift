/// Takes the full chunks of batches that are still being written.
public protocol ChunkSink: AnyObject {
    /// Takes `batch.chunk()` and calls `batch.startNextChunk()`. After a throw the batch can only
    /// be discarded.
    func stage(_ batch: WriteBatch) throws(BackendError)
}
