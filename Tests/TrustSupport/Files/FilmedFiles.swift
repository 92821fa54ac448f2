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
        let (index, found) = try whileNothingHappens { try views() }
        images.withLock { $0[index, default: []] += found }
    }

    /// What `read` gives, and how many events there were before it. None is recorded meanwhile: a view that a
    /// thread of the store's own has changed would have a commit that the log of that moment has not.
    private func whileNothingHappens<Result>(
        _ read: () throws -> Result
    ) rethrows -> (index: Int, Result) {
        while true {
            let index = recording.events.count
            let result = try read()
            if recording.events.count == index { return (index, result) }
        }
    }

    private func views() throws -> [Recording.Image] {
        var views: [Recording.Image] = []
        for directory in [root, root + "/Journal"] {
            guard try files.status(of: directory) != nil else { continue }
            for name in try files.list(directory) {
                let path = directory + "/" + name
                guard StoreNames.isView(String(path.dropFirst(root.count + 1))),
                    try files.status(of: path)?.isDirectory == false
                else { continue }
                views.append(.path(path, try SparseFile(readingFrom: path)))
            }
        }
        return views
    }

    package override func sync(_ file: OpenFile) throws(BackendError) {
        let isView = StoreNames.isView(String(file.path.dropFirst(root.count + 1)))
        let (index, content) = whileNothingHappens {
            isView ? try? SparseFile(reading: file) : nil
        }
        try super.sync(file)
        guard let content, let number = recording.knownNumber(of: file) else { return }
        images.withLock { $0[index, default: []].append(.file(number, content)) }
    }
}

/// Which of a store's files are what.
package enum StoreNames {
    /// Whether the file at `path`, from the store's directory on, is written by Tokyo Cabinet.
    package static func isView(_ path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return !path.hasPrefix("Catalog.copy") }
        let name = path[path.index(after: slash)...]
        return !["log", "snapshot", "Clean", "Lock", "Key"].contains { name.hasPrefix($0) }
    }
}
