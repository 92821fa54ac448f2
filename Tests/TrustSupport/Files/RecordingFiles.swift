import CabinetBackend
import CabinetTokyo

/// A file layer that passes everything on to another and keeps what changed files, in order and
/// with the bytes, so that a test can build every state in which a power cut may leave the disk.
///
/// A file has one number from its creation to its end, whatever its name and however often it is
/// opened. Only what succeeded is kept, and of a failed write nothing; what changes nothing is
/// passed on unseen. Files that are there before
/// the first event get their number, with `created` false, when they are first opened.
///
/// `Sendable` is unchecked for its superclass; a lock guards what is kept.
package final class RecordingFiles: PassingFiles, @unchecked Sendable {
    package enum Event: Hashable, Sendable {
        case open(file: Int, path: String, created: Bool, emptied: Bool)
        case write(file: Int, offset: UInt64, bytes: [UInt8])
        case truncate(file: Int, size: UInt64)
        case reserve(file: Int, size: UInt64)
        case sync(file: Int)
        case rename(path: String, newPath: String)
        case remove(path: String)
        case makeDirectory(path: String)
        case removeDirectory(path: String)
        case syncDirectory(path: String)
        /// What the test itself put between the events.
        case note(String)
    }

    private struct State {
        var events: [Event] = []
        var numbers: [String: Int] = [:]
        var open: [ObjectIdentifier: Int] = [:]
        var nextNumber = 0

        mutating func move(_ path: String, to newPath: String) {
            for (old, number) in numbers where old == path || old.hasPrefix(path + "/") {
                numbers[old] = nil
                numbers[newPath + old.dropFirst(path.count)] = number
            }
        }
    }

    private let state = Guarded(State())

    package init(wrapping files: any FileLayer = SystemFiles()) { super.init(files) }

    /// Everything kept so far.
    package var events: [Event] { state.withLock { $0.events } }

    /// Puts a mark of the test's own between the events: a save acknowledged, for instance.
    package func note(_ text: String) { keep(.note(text)) }

    private func keep(_ event: Event) { state.withLock { $0.events.append(event) } }

    /// The number of a file that is open.
    package func knownNumber(of file: OpenFile) -> Int? {
        state.withLock { $0.open[ObjectIdentifier(file)] }
    }

    private func number(of file: OpenFile) -> Int { knownNumber(of: file) ?? -1 }

    package override func open(_ path: String, for use: FileUse) throws(BackendError) -> OpenFile {
        let before = use == .reading ? nil : try files.status(of: path)
        let file = try files.open(path, for: use)
        let identity = ObjectIdentifier(file)
        state.withLock { state in
            let created = use != .reading && before == nil
            if created || state.numbers[path] == nil {
                state.numbers[path] = state.nextNumber
                state.nextNumber += 1
            }
            let number = state.numbers[path] ?? -1
            // An identity is used again once its file is closed, and then stands for the new one.
            state.open[identity] = number
            if use != .reading {
                state.events.append(
                    .open(file: number, path: path, created: created, emptied: use == .replacing))
            }
        }
        return file
    }

    package override func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        try files.write(bytes, to: file, at: offset)
        keep(.write(file: number(of: file), offset: offset, bytes: Array(bytes)))
    }

    // A window is filled with the zeros that stand there already.
    package override func write(
        _ bytes: UnsafeRawBufferPointer, to window: FileWindow, at offset: UInt64
    ) throws(BackendError) {
        try files.write(bytes, to: window, at: offset)
        keep(.write(file: number(of: window.file), offset: offset, bytes: Array(bytes)))
    }

    package override func truncate(_ file: OpenFile, to size: UInt64) throws(BackendError) {
        try files.truncate(file, to: size)
        keep(.truncate(file: number(of: file), size: size))
    }

    package override func reserve(_ file: OpenFile, upTo size: UInt64) throws(BackendError) {
        try files.reserve(file, upTo: size)
        keep(.reserve(file: number(of: file), size: size))
    }

    package override func sync(_ file: OpenFile) throws(BackendError) {
        try files.sync(file)
        keep(.sync(file: number(of: file)))
    }

    package override func rename(_ path: String, to newPath: String) throws(BackendError) {
        try files.rename(path, to: newPath)
        state.withLock { state in
            state.move(path, to: newPath)
            state.events.append(.rename(path: path, newPath: newPath))
        }
    }

    package override func remove(_ path: String) throws(BackendError) {
        try files.remove(path)
        state.withLock { state in
            state.numbers[path] = nil
            state.events.append(.remove(path: path))
        }
    }

    @discardableResult
    package override func makeDirectory(_ path: String) throws(BackendError) -> Bool {
        let isNew = try files.makeDirectory(path)
        if isNew { keep(.makeDirectory(path: path)) }
        return isNew
    }

    package override func removeDirectory(_ path: String) throws(BackendError) {
        try files.removeDirectory(path)
        keep(.removeDirectory(path: path))
    }

    package override func syncDirectory(_ path: String) throws(BackendError) {
        try files.syncDirectory(path)
        keep(.syncDirectory(path: path))
    }
}
