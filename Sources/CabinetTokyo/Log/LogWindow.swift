import CabinetBackend

/// Decides which frames of the log are stored to mapped memory instead of being written by a call,
/// which takes longer than all the rest of a small commit's way to the log.
///
/// The blocks of a window are allocated when it is mapped, and only on file systems that write a block
/// again where it stands (ext2/3/4, tmpfs), so a full disk fails a call and never a store to memory.
///
/// Only at ``Durability/process``: a sync after each commit makes the system watch for the next
/// store again, which costs more than the call.
struct LogWindow {
    private var window: FileWindow?
    /// Small frames that were written by calls since the latest attempt to map.
    private var calls = 0
    /// When the latest frame was written by a call, in microseconds.
    private var lastCall: UInt64 = 0

    /// 64 KiB, and a window ends at a multiple of it: pages that are filled together are mapped
    /// together.
    private static let size: UInt64 = 64 << 10
    /// A longer frame gains little: 4 KiB.
    private static let longestFrame = 4 << 10
    /// So many small frames one soon after the other make more likely.
    private static let leastCalls = 4
    /// Where mapping has failed it is tried again after so many frames.
    private static let patience = 4096
    /// A store to a file system that has become read-only kills the process if the page was written
    /// to the device since the last store. So after 0.1 s without a call a frame is written by
    /// one, which reports an error.
    private static let longestTrust: UInt64 = 100_000

    /// Where to store a frame of `count` bytes at `offset`; `nil`: write it by a call.
    /// - Parameters:
    ///   - time: now, in microseconds.
    ///   - reserved: up to where bytes are reserved in the file.
    mutating func place(
        _ count: Int, in file: OpenFile, at offset: UInt64, time: UInt64, reserved: UInt64,
        _ files: any FileLayer
    ) -> FileWindow? {
        // A clock that was set back is no reason to trust either.
        guard count <= Self.longestFrame, time >= lastCall, time - lastCall <= Self.longestTrust
        else {
            lastCall = time
            return nil
        }
        if let window, window.file === file, window.covers(offset, count) { return window }
        guard calls >= Self.leastCalls else {
            calls += 1
            lastCall = time
            return nil
        }
        window = nil
        let last = offset + UInt64(count)
        let end = (last + Self.size - 1) / Self.size * Self.size
        window = end <= reserved ? files.window(of: file, offset..<end) : nil
        if window == nil { calls = -Self.patience }
        return window
    }

    /// Gives up the map: the file is going to be cut, or is not written to any more.
    mutating func close() { window = nil }
}
