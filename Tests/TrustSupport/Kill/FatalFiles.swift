import CLibrary
import CabinetBackend
import CabinetTokyo
import Synchronization

/// Where a program is to die, by its own hand, as if the system had killed it.
package enum KillPoint: Hashable, Sendable {
    /// Before the operation with that number.
    case before(Int)
    /// Behind it, when it is done and the caller has not seen the result.
    case after(Int)
    /// In the midst of it if it writes, with a part written; before it otherwise.
    case within(Int)

    /// As a word for a command line, `before:12`.
    package var text: String {
        switch self {
        case .before(let step): "before:\(step)"
        case .after(let step): "after:\(step)"
        case .within(let step): "within:\(step)"
        }
    }

    package init?(text: String) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let step = Int(parts[1]) else { return nil }
        switch parts[0] {
        case "before": self = .before(step)
        case "after": self = .after(step)
        case "within": self = .within(step)
        default: return nil
        }
    }
}

/// A file layer in whose midst the process dies of SIGKILL. Only what changes files counts.
package final class FatalFiles: PassingFiles, @unchecked Sendable {
    private let point: KillPoint?
    private let steps = Atomic(0)

    package init(_ files: any FileLayer = SystemFiles(), dyingAt point: KillPoint?) {
        self.point = point
        super.init(files)
    }

    /// Waits for the end, which comes at once.
    private func die() -> Never {
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    private func step<Result>(
        _ body: () throws(BackendError) -> Result, half: () throws(BackendError) -> Void = {}
    ) throws(BackendError) -> Result {
        let number = steps.wrappingAdd(1, ordering: .relaxed).oldValue
        if point == .before(number) { die() }
        if point == .within(number) {
            try half()
            die()
        }
        let result = try body()
        if point == .after(number) { die() }
        return result
    }

    package override func open(
        _ path: String, for use: FileUse
    ) throws(BackendError) -> OpenFile {
        guard use != .reading else { return try files.open(path, for: use) }
        return try step { () throws(BackendError) in try files.open(path, for: use) }
    }

    package override func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        try step { () throws(BackendError) in
            try files.write(bytes, to: file, at: offset)
        } half: { () throws(BackendError) in
            // At no boundary of anything.
            let part = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count * 5 / 8)])
            try files.write(part, to: file, at: offset)
        }
    }

    package override func window(of file: OpenFile, _ range: Range<UInt64>) -> FileWindow? {
        try? step { files.window(of: file, range) }
    }

    package override func write(
        _ bytes: UnsafeRawBufferPointer, to window: FileWindow, at offset: UInt64
    ) throws(BackendError) {
        try step { () throws(BackendError) in
            try files.write(bytes, to: window, at: offset)
        } half: { () throws(BackendError) in
            // The first bytes come last.
            let part = UnsafeRawBufferPointer(rebasing: bytes[8..<(bytes.count * 5 / 8)])
            try files.write(part, to: window, at: offset + 8)
        }
    }

    package override func truncate(_ file: OpenFile, to size: UInt64) throws(BackendError) {
        try step { () throws(BackendError) in try files.truncate(file, to: size) }
    }

    package override func reserve(_ file: OpenFile, upTo size: UInt64) throws(BackendError) {
        try step { () throws(BackendError) in try files.reserve(file, upTo: size) }
    }

    package override func sync(_ file: OpenFile) throws(BackendError) {
        try step { () throws(BackendError) in try files.sync(file) }
    }

    package override func rename(_ path: String, to newPath: String) throws(BackendError) {
        try step { () throws(BackendError) in try files.rename(path, to: newPath) }
    }

    package override func remove(_ path: String) throws(BackendError) {
        try step { () throws(BackendError) in try files.remove(path) }
    }

    package override func makeDirectory(_ path: String) throws(BackendError) -> Bool {
        try step { () throws(BackendError) in try files.makeDirectory(path) }
    }

    package override func removeDirectory(_ path: String) throws(BackendError) {
        try step { () throws(BackendError) in try files.removeDirectory(path) }
    }

    package override func syncDirectory(_ path: String) throws(BackendError) {
        try step { () throws(BackendError) in try files.syncDirectory(path) }
    }
}
