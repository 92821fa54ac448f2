import CabinetBackend
import CabinetTokyo

/// A file layer that keeps what is done to the files of a store, and what its views were when
/// they were synced or looked at: Tokyo Cabinet writes those around the layer.
package final class FilmedFiles: PassingFiles, @unchecked Sendable {
    private let root: String
    private let recording: RecordingFiles
    private let images = Guarded<[Int: [Recording.Image]]>([:])

    /// Keeps what happens in the store at `root`.
    package init(root: String, _ files: any FileLayer = SystemFiles()) {
        self.root = root
        recording = RecordingFiles(wrapping: files)
        super.init(recording)
    }

    /// Everything so far, for a directory that held `initial` at the beginning.
    package func recording(from initial: DiskImage = DiskImage()) -> Recording {
        var result = Recording(root: root, events: recording.events)
        result.initial = initial
        result.images = images.withLock { $0 }
        return result
    }

    /// Keeps a note of the test's own.
    package func note(_ text: String) { recording.note(text) }

    /// Keeps what all views are now.
    package func look() throws {
        let index = recording.events.count
        for directory in [root, root + "/Journal"] {
            guard try files.status(of: directory) != nil else { continue }
            for name in try files.list(directory) {
                let path = directory + "/" + name
                guard StoreNames.isView(String(path.dropFirst(root.count + 1))),
                    try files.status(of: path)?.isDirectory == false
                else { continue }
                let content = try SparseFile(readingFrom: path)
                images.withLock { $0[index, default: []].append(.path(path, content)) }
            }
        }
    }

    package override func sync(_ file: OpenFile) throws(BackendError) {
        let index = recording.events.count
        let isView = StoreNames.isView(String(file.path.dropFirst(root.count + 1)))
        let content = isView ? try? SparseFile(reading: file) : nil
        try super.sync(file)
        guard let content, case .sync(let number)? = recording.events.last else { return }
        images.withLock { $0[index, default: []].append(.file(number, content)) }
    }
}

/// Which of a store's files are what.
package enum StoreNames {
    /// Whether the file at `path`, from the store's directory on, is written by Tokyo Cabinet.
    package static func isView(_ path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return !path.hasPrefix("Catalog.copy") }
        let name = path[path.index(after: slash)...]
        return !["log", "snapshot", "Clean", "Lock"].contains { name.hasPrefix($0) }
    }
}
