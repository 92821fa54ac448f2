import CLibrary
import CabinetBackend
import CabinetTokyo
import Foundation

/// A file layer in which syncs of the log take a while, wait for the test, or fail.
/// `Sendable` is unchecked for its superclass; a lock guards what is added.
package final class GatedSyncs: PassingFiles, @unchecked Sendable {
    private let lock = NSCondition()
    private var isShut = false
    private var waiting = 0
    private var failing: Set<Int> = []
    private var failingWrites: Set<Int> = []
    private var counts = (syncs: 0, writes: 0)
    private let duration: TimeInterval

    /// - Parameter duration: how long each sync of the log takes, in seconds.
    package init(wrapping files: any FileLayer = SystemFiles(), duration: TimeInterval = 0) {
        self.duration = duration
        super.init(files)
    }

    /// How many syncs of segments were begun.
    package var syncs: Int { lock.withLock { counts.syncs } }

    /// Counts syncs and writes from 0 again.
    package func restart() { lock.withLock { counts = (0, 0) } }

    /// Lets the sync of that number, from 0, fail.
    package func failSync(_ number: Int) { lock.withLock { _ = failing.insert(number) } }

    /// Lets the write to a segment of that number, from 0, stop halfway.
    package func failWrite(_ number: Int) { lock.withLock { _ = failingWrites.insert(number) } }

    /// Syncs wait from now on.
    package func shut() { lock.withLock { isShut = true } }

    package func open() {
        lock.withLock {
            isShut = false
            lock.broadcast()
        }
    }

    /// Waits until a sync waits.
    package func awaitSync() {
        lock.withLock { while waiting == 0 { lock.wait() } }
    }

    private func isSegment(_ file: OpenFile) -> Bool { file.path.contains("/log-") }

    package override func sync(_ file: OpenFile) throws(BackendError) {
        guard isSegment(file) else { return try super.sync(file) }
        let fails = lock.withLock {
            defer { counts.syncs += 1 }
            waiting += 1
            lock.broadcast()
            while isShut { lock.wait() }
            waiting -= 1
            return failing.contains(counts.syncs)
        }
        if duration > 0 { Thread.sleep(forTimeInterval: duration) }
        if fails { throw SystemFailure.error("fsync", file.path, EIO) }
        try super.sync(file)
    }

    package override func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        guard isSegment(file) else { return try super.write(bytes, to: file, at: offset) }
        let fails = lock.withLock {
            defer { counts.writes += 1 }
            return failingWrites.contains(counts.writes)
        }
        guard fails else { return try super.write(bytes, to: file, at: offset) }
        let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
        try super.write(half, to: file, at: offset)
        throw SystemFailure.error("pwrite", file.path, EIO)
    }
}
