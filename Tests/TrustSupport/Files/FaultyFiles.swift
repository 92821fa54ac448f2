import CLibrary
import CabinetBackend
import CabinetTokyo

/// A file layer that passes everything on to another, except what its plan makes fail.
/// `Sendable` is unchecked for its superclass; a lock guards what the plan has counted.
package final class FaultyFiles: PassingFiles, @unchecked Sendable {
    /// What can be made to fail. Locks and mount identities are always passed on.
    package enum Operation: String, Hashable, Sendable, CaseIterable {
        case open, size, read, write, truncate, reserve, sync, rename, remove, makeDirectory
        case removeDirectory, syncDirectory, list, status, letGo
        /// Mapping a view for reading.
        case map
        /// Mapping a part of the log for writing.
        case window
        /// What Tokyo Cabinet does to open a view by itself.
        case openView
    }

    package enum Fault: Hashable, Sendable {
        /// Nothing is done, and the system's `code` (`errno`) is reported.
        case error(Int32)
        /// The first half is written, and then `code` is reported. Of other operations than
        /// writing nothing is done.
        case shortWrite(Int32)
        /// The operation is done, and yet `code` is reported.
        case doneButReported(Int32)
        /// Nothing is done, now and for ever after: the program was killed here. ``deadCode`` is
        /// reported, for a program that is not really dead.
        case killed
    }

    /// The system's number for what a killed program asks for: one that says nothing about a file.
    package static let deadCode = EAGAIN

    /// Asked before every operation, with the number of operations before it and its path.
    package typealias Plan =
        @Sendable (_ index: Int, _ operation: Operation, _ path: String) -> Fault?

    private struct State {
        var plan: Plan?
        var count = 0
        var isDead = false
    }

    private let state: Guarded<State>
    private let ownLeastMap: UInt64?

    /// Without a plan nothing fails.
    ///
    /// - Parameter leastMap: as ``FileLayer/leastMap``; `nil`: as the other layer says.
    package init(
        wrapping files: any FileLayer = SystemFiles(), leastMap: UInt64? = nil, plan: Plan? = nil
    ) {
        ownLeastMap = leastMap
        state = Guarded(State(plan: plan))
        super.init(files)
    }

    package override var leastMap: UInt64 { ownLeastMap ?? super.leastMap }

    /// How many operations there were.
    package var count: Int { state.withLock { $0.count } }

    /// Puts another plan into force and begins to count from 0.
    package func replacePlan(_ plan: Plan?) {
        state.withLock { state in
            state.plan = plan
            state.count = 0
        }
    }

    /// Fails the operation if the plan says so; otherwise and for `doneButReported` does it.
    private func attempt<Result>(
        _ operation: Operation, _ path: String,
        _ body: () throws(BackendError) -> Result,
        half: () throws(BackendError) -> Void = {}
    ) throws(BackendError) -> Result {
        let (fault, isDead) = state.withLock { state -> (Fault?, Bool) in
            guard !state.isDead else { return (nil, true) }
            let fault = state.plan?(state.count, operation, path)
            state.count += 1
            if fault == .killed { state.isDead = true }
            return (fault, state.isDead)
        }
        if isDead {
            throw .system(operation: operation.rawValue, path: path, code: Self.deadCode)
        }
        switch fault {
        case nil, .killed: return try body()
        case .error(let code): throw SystemFailure.error(operation.rawValue, path, code)
        case .shortWrite(let code):
            try half()
            throw SystemFailure.error(operation.rawValue, path, code)
        case .doneButReported(let code):
            _ = try body()
            throw SystemFailure.error(operation.rawValue, path, code)
        }
    }

    package override func open(_ path: String, for use: FileUse) throws(BackendError) -> OpenFile {
        try attempt(.open, path) { () throws(BackendError) in try files.open(path, for: use) }
    }

    package override func size(of file: OpenFile) throws(BackendError) -> UInt64 {
        try attempt(.size, file.path) { () throws(BackendError) in try files.size(of: file) }
    }

    package override func status(of file: OpenFile) throws(BackendError) -> FileStatus {
        try attempt(.status, file.path) { () throws(BackendError) in try files.status(of: file) }
    }

    package override func map(_ file: OpenFile, upTo size: UInt64) throws(BackendError) -> FileMap?
    {
        try attempt(.map, file.path) { () throws(BackendError) in
            try files.map(file, upTo: size)
        }
    }

    package override func prepareLibrary(toOpen path: String) throws(BackendError) {
        try attempt(.openView, path) { () throws(BackendError) in
            try files.prepareLibrary(toOpen: path)
        }
    }

    package override func read(
        _ file: OpenFile, at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) -> Int {
        try attempt(.read, file.path) { () throws(BackendError) in
            try files.read(file, at: offset, into: bytes)
        }
    }

    package override func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        try attempt(.write, file.path) { () throws(BackendError) in
            try files.write(bytes, to: file, at: offset)
        } half: { () throws(BackendError) in
            let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
            try files.write(half, to: file, at: offset)
        }
    }

    package override func window(of file: OpenFile, _ range: Range<UInt64>) -> FileWindow? {
        try? attempt(.window, file.path) { files.window(of: file, range) }
    }

    package override func write(
        _ bytes: UnsafeRawBufferPointer, to window: FileWindow, at offset: UInt64
    ) throws(BackendError) {
        try attempt(.write, window.file.path) { () throws(BackendError) in
            try files.write(bytes, to: window, at: offset)
        } half: { () throws(BackendError) in
            let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
            try files.write(half, to: window, at: offset)
        }
    }

    package override func truncate(_ file: OpenFile, to size: UInt64) throws(BackendError) {
        try attempt(.truncate, file.path) { () throws(BackendError) in
            try files.truncate(file, to: size)
        }
    }

    package override func reserve(_ file: OpenFile, upTo size: UInt64) throws(BackendError) {
        try attempt(.reserve, file.path) { () throws(BackendError) in
            try files.reserve(file, upTo: size)
        }
    }

    package override func sync(_ file: OpenFile) throws(BackendError) {
        try attempt(.sync, file.path) { () throws(BackendError) in try files.sync(file) }
    }

    package override func rename(_ path: String, to newPath: String) throws(BackendError) {
        try attempt(.rename, path) { () throws(BackendError) in
            try files.rename(path, to: newPath)
        }
    }

    package override func remove(_ path: String) throws(BackendError) {
        try attempt(.remove, path) { () throws(BackendError) in try files.remove(path) }
    }

    @discardableResult
    package override func makeDirectory(_ path: String) throws(BackendError) -> Bool {
        try attempt(.makeDirectory, path) { () throws(BackendError) in
            try files.makeDirectory(path)
        }
    }

    package override func removeDirectory(_ path: String) throws(BackendError) {
        try attempt(.removeDirectory, path) { () throws(BackendError) in
            try files.removeDirectory(path)
        }
    }

    package override func syncDirectory(_ path: String) throws(BackendError) {
        try attempt(.syncDirectory, path) { () throws(BackendError) in
            try files.syncDirectory(path)
        }
    }

    package override func list(_ path: String) throws(BackendError) -> [String] {
        try attempt(.list, path) { () throws(BackendError) in try files.list(path) }
    }

    package override func status(of path: String) throws(BackendError) -> FileStatus? {
        try attempt(.status, path) { () throws(BackendError) in try files.status(of: path) }
    }

    package override func letGo(of path: String, upTo size: UInt64) {
        try? attempt(.letGo, path) { files.letGo(of: path, upTo: size) }
    }
}
