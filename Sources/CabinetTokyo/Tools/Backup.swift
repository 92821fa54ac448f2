import CLibrary
import CabinetBackend

/// One run of a backup; compaction is held off meanwhile.
struct Backup {
    private let backend: TokyoBackend
    private let pace: Pace
    private var files: any FileLayer { backend.files }

    init(_ backend: TokyoBackend, _ pace: Pace) {
        self.backend = backend
        self.pace = pace
    }

    func write(to path: String) throws {
        try NewDirectory(path, files: files).fill { directory in
            try fill(directory)
            try backend.checkPace(pace)
        }
    }

    private func fill(_ directory: String) throws {
        let paths = StorePaths(root: directory)
        if let frozen = try backend.freeze() {
            pace.expect(frozen.size)
            try files.makeDirectory(paths.log)
            try backend.commitLog.paths.copyKeys(to: paths, files)
            try frozen.writeSnapshot(
                to: paths.snapshot(frozen.commitNumber), in: paths.log, pace)
        } else if backend.lock.reading({ backend.isLegacy }) {
            return try copyViews(to: paths)
        }
        // Opening it makes its views and proves that it can be opened. That it makes them is no
        // news.
        let log = backend.log
        let copy = try TokyoBackend(
            path: directory,
            log: LogSink { level, message in if level > .notice { log(level, message) } },
            files: files)
        try copy.close()
    }

    /// Copies what BNRPersistence left; no save comes between.
    private func copyViews(to paths: StorePaths) throws {
        let owner = Copying()
        try backend.turn.take(for: owner)
        defer { backend.turn.giveBack(owner) }
        guard backend.isLegacy else {
            throw BackendError.busy(path: backend.location, holder: "another save")
        }
        for table in backend.byNumber {
            guard let table else { continue }
            let window = try ByteWindow(
                files: files, path: backend.paths.view(of: table.definition))
            let copy = try files.open(paths.view(of: table.definition), for: .replacing)
            var offset: UInt64 = 0
            while offset < window.size {
                let length = min(window.size - offset, 1 << 20)
                guard let bytes = try window.bytes(at: offset, length) else {
                    throw BackendError.corrupt(path: window.file.path, offset: offset)
                }
                try files.write(bytes, to: copy, at: offset)
                offset += length
                try backend.checkPace(pace)
            }
            try files.sync(copy)
        }
    }

    private final class Copying {}
}

/// A directory that has its name only when everything in it is there and on the device.
struct NewDirectory {
    private let path: String
    private let files: any FileLayer

    init(_ path: String, files: any FileLayer) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        self.files = files
    }

    /// Has `body` fill the directory under another name. After a throw there is nothing of it.
    /// - Throws: `.system` with `EEXIST` if there is something at the path already.
    func fill<Outcome>(_ body: (_ directory: String) throws -> Outcome) throws -> Outcome {
        guard try files.status(of: path) == nil else {
            throw BackendError.system(operation: "mkdir", path: path, code: EEXIST)
        }
        let aside = path + ".\(getpid()).new"
        guard try files.makeDirectory(aside) else {
            throw BackendError.system(operation: "mkdir", path: aside, code: EEXIST)
        }
        do {
            let outcome = try body(aside)
            try files.syncDirectory(aside)
            try files.rename(aside, to: path)
            let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
            try files.syncDirectory(parent.isEmpty ? "/" : parent)
            return outcome
        } catch {
            removeTree(aside)
            throw error
        }
    }

    private func removeTree(_ path: String) {
        for name in (try? files.list(path)) ?? [] {
            let child = path + "/" + name
            if (try? files.status(of: child))??.isDirectory == true {
                removeTree(child)
            } else {
                try? files.remove(child)
            }
        }
        try? files.removeDirectory(path)
    }
}
