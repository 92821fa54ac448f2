import CLibrary
import CabinetBackend
import CabinetTokyo

/// What a directory holds, with all that is below it: paths from the directory on.
package struct DiskImage: Hashable, Sendable {
    package var directories: Set<String> = []
    package var files: [String: SparseFile] = [:]

    package init() {}

    /// Reads what is below `root`.
    package init(readingFrom root: String) throws {
        try read(root, below: "", through: SystemFiles())
    }

    private mutating func read(
        _ root: String, below prefix: String, through files: SystemFiles
    ) throws {
        for name in try files.list(prefix.isEmpty ? root : root + "/" + prefix) {
            let path = prefix.isEmpty ? name : prefix + "/" + name
            guard let status = try files.status(of: root + "/" + path) else { continue }
            if status.isDirectory {
                directories.insert(path)
                try read(root, below: path, through: files)
            } else {
                self.files[path] = try SparseFile(readingFrom: root + "/" + path)
            }
        }
    }

    /// Writes everything below `root`, which must be an empty directory. Nothing is synced.
    package func write(below root: String) throws {
        let system = SystemFiles()
        for path in directories.sorted() { try system.makeDirectory(root + "/" + path) }
        for (path, content) in files { try content.write(to: root + "/" + path) }
    }

    /// A line for each file: its path and size.
    package var summary: String {
        files.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.size)" }
            .joined(separator: ", ")
    }
}

extension SparseFile {
    package init(readingFrom path: String) throws(BackendError) {
        try self.init(reading: try SystemFiles().open(path, for: .reading))
    }

    /// Reads all of an open file.
    package init(reading file: OpenFile) throws(BackendError) {
        let files = SystemFiles()
        let size = Int(try files.size(of: file))
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        defer {
            piece.deallocate()
            zeros.deallocate()
        }
        self.init()
        var offset = 0
        while offset < size {
            let count = try files.read(file, at: UInt64(offset), into: piece)
            guard count > 0, let base = piece.baseAddress, let zero = zeros.baseAddress else {
                break
            }
            if memcmp(base, zero, count) != 0 {
                for start in stride(from: 0, to: count, by: Self.sectorSize)
                where memcmp(base + start, zero, min(Self.sectorSize, count - start)) != 0 {
                    let end = min(start + Self.sectorSize, count)
                    write(Array(piece[start..<end]), at: offset + start)
                }
            }
            offset += count
        }
        extend(to: offset)
    }

    /// Makes or replaces the file at `path`.
    package func write(to path: String) throws {
        let files = SystemFiles()
        let file = try files.open(path, for: .replacing)
        var run: [UInt8] = []
        var start = 0
        func flush() throws {
            guard !run.isEmpty else { return }
            try run.withUnsafeBytes { bytes in
                try files.write(bytes, to: file, at: UInt64(start))
            }
            run = []
        }
        for (index, sector) in content {
            if start + run.count != index * Self.sectorSize {
                try flush()
                start = index * Self.sectorSize
            }
            run += sector
        }
        try flush()
        try files.truncate(file, to: UInt64(size))
    }
}
