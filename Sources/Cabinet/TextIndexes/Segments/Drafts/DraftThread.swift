import CabinetBackend
import CabinetTextSearch
import Dispatch

/// Makes a ``SegmentDraft`` of many texts on a thread of its own, while the caller goes on: a save encodes
/// the next objects meanwhile.
///
/// The caller fills one block of texts while the thread adds those of another one to the draft. Texts that do
/// not fill a block, and long ones, are added by the caller itself.
///
/// `@unchecked Sendable`: one thread at a time calls it, and its queue touches ``working``, ``draft`` and
/// ``failure`` only between ``handOver()`` and the moment at which it sets ``isWorking`` to `false` under the
/// lock. The caller touches these only after it has seen that under the lock (``wait()``).
final class DraftThread: @unchecked Sendable {
    /// A text of more bytes is not copied: 64 KiB.
    private static let longText = 64 << 10

    private let queue = DispatchQueue(label: "Cabinet.texts", qos: .userInitiated)
    private let lock = Lock()
    private let condition = CabinetBackend.Condition()

    // The caller's.
    @exclusivity(unchecked) private var filling = TextBlock()
    /// Whether no text was added since the last ``removeAll()``.
    @exclusivity(unchecked) private(set) var isEmpty = true

    // Under the lock.
    @exclusivity(unchecked) private var isWorking = false
    @exclusivity(unchecked) private var knownSize = 0

    // The queue's while it works, then the caller's.
    @exclusivity(unchecked) private var working = TextBlock()
    @exclusivity(unchecked) private var failure: (any Error)?
    private let draft: SegmentDraft

    init(_ tokenizer: Tokenizer) { draft = SegmentDraft(tokenizer) }

    deinit {
        filling.deallocate()
        working.deallocate()
    }

    /// How many bytes of memory the draft took when its thread ended its last block.
    var size: Int { lock.withLock { knownSize } }

    /// Adds the text of a row.
    /// - Returns: whether the draft may have grown since the last call.
    /// - Throws: what taking earlier texts apart has thrown.
    func add(_ text: UnsafeBufferPointer<UInt8>, of row: RowID) throws -> Bool {
        isEmpty = false
        if text.count > Self.longText {
            try finish().add(text, of: row)
            lock.withLock { knownSize = draft.size }
            return true
        }
        filling.append(text, of: row)
        guard filling.isFull else { return false }
        try handOver()
        return true
    }

    private func handOver() throws {
        try waitForTexts()
        swap(&filling, &working)
        filling.removeAllKeepingMemory()
        lock.withLock { isWorking = true }
        queue.async { [self] in
            do { try working.add(to: draft) } catch { failure = error }
            lock.withLock {
                knownSize = draft.size
                isWorking = false
                condition.announce()
            }
        }
    }

    /// Returns once the thread is idle.
    private func wait() {
        lock.withLock { while isWorking { condition.wait(holding: lock) } }
    }

    /// As ``wait()``.
    /// - Throws: what taking the texts apart has thrown.
    private func waitForTexts() throws {
        wait()
        if let failure { throw failure }
    }

    /// The draft with all texts. The thread is idle until the next text is added.
    /// - Throws: what taking the texts apart has thrown.
    func finish() throws -> SegmentDraft {
        try waitForTexts()
        try filling.add(to: draft)
        filling.removeAll()
        return draft
    }

    /// Forgets all texts.
    func removeAll() {
        wait()
        failure = nil
        filling.removeAll()
        working.removeAll()
        draft.removeAll()
        isEmpty = true
        lock.withLock { knownSize = 0 }
    }
}
