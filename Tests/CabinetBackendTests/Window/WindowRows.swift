@testable import CabinetBackend

/// One table of rows, with a window that gets its changes.
final class WindowRows {
    let window: VersionWindow
    let now = RecordTable()

    init(_ window: VersionWindow) { self.window = window }

    /// - Parameter file: where values go for which memory has no room; `nil`: none can be made.
    convenience init(_ limits: SnapshotLimits = SnapshotLimits(), _ file: MemoryFile? = nil) {
        let window = VersionWindow(limits: limits) { () throws(BackendError) in
            guard let file else { throw .diskFull(path: "window", needed: 0) }
            return file
        }
        self.init(window)
    }

    func hold(_ commit: CommitNumber, label: String = "") -> Hold {
        window.hold(commit, label: label)
    }

    func put(_ value: [UInt8]?, at row: RowID, _ commit: CommitNumber) {
        if window.isKeeping {
            try? window.note(row: row, in: 2, commit: commit) { now.value(of: row) }
        }
        if let value {
            value.withUnsafeBytes { now.put($0, at: row) }
        } else {
            now.delete(row)
        }
    }

    func value(of row: RowID, at commit: CommitNumber) throws -> [UInt8]? {
        let version = window.version(of: row, in: 2, at: commit)
        if case .current = version { return now.value(of: row).map { Array($0) } }
        let buffer = DataBuffer()
        guard try window.copy(version, into: buffer) else { return nil }
        return buffer.withUnsafeBytes { Array($0) }
    }

    /// The bytes that the window keeps of a row.
    func bytesKept(of row: RowID) -> Int { window.rows(of: 2)?.value(of: row)?.count ?? 0 }
}

/// A file in memory. One thread at a time uses it.
final class MemoryFile: SpillFile, @unchecked Sendable {
    var bytes: [UInt8] = []
    var failure: BackendError?

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(BackendError) {
        if let failure { throw failure }
        let missing = Int(offset) + bytes.count - self.bytes.count
        if missing > 0 { self.bytes += [UInt8](repeating: 0, count: missing) }
        self.bytes.replaceSubrange(Int(offset)..<Int(offset) + bytes.count, with: bytes)
    }

    func read(
        at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) {
        if let failure { throw failure }
        guard Int(offset) + bytes.count <= self.bytes.count else {
            throw .corrupt(path: "file", offset: offset)
        }
        bytes.copyBytes(from: self.bytes[Int(offset)..<Int(offset) + bytes.count])
    }
}
