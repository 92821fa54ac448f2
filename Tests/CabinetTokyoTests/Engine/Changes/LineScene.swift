import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A store in a directory that is copied, put back and left unclosed.
struct LineScene {
    let directory = ScratchDirectory(inMemory: false)
    var path: String { directory.file("Music") }
    var copy: String { directory.file("Copy") }

    /// A store with two commits, in a place of its own.
    func make(_ durability: Durability = .full, files: any FileLayer = SystemFiles()) throws
        -> TokyoBackend
    {
        let backend = try TokyoBackend(path: path, durability: durability, files: files)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.define(.byTitle)
        try backend.commit(batch)
        try save(backend, 2)
        return backend
    }

    @discardableResult
    func save(_ backend: TokyoBackend, _ row: RowID) throws -> ChangePosition {
        let number = try backend.put("song \(row)", at: row, in: 2)
        let position = try backend.position()
        #expect(position.commit == number)
        return position
    }

    func copyAside() throws {
        try FileManager.default.copyItem(atPath: path, toPath: copy)
    }

    /// Whether the store has made the commit of the position.
    func holds(_ position: ChangePosition, in backend: TokyoBackend) throws -> Bool {
        do {
            let next = try backend.changes(after: position).next()
            #expect(next == nil || next?.number == position.commit.next)
            return true
        } catch BackendError.changesGone {
            return false
        }
    }
}

/// The content of all files of a directory at one moment, and so what a power cut or a kill at that
/// moment leaves of them. It is put back into the files themselves, which keep their inodes.
struct DirectoryImage {
    private(set) var files: [String: Data] = [:]
    private let path: String

    init(_ path: String) throws {
        self.path = path
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let file = path + "/" + name
            guard try SystemFiles().status(of: file)?.isFile == true else { continue }
            files[name] = FileManager.default.contents(atPath: file)
        }
    }

    /// The same, with one file as another image has it.
    func with(_ name: String, as other: DirectoryImage) -> DirectoryImage {
        var image = self
        image.files[name] = other.files[name]
        return image
    }

    func putBack() throws {
        for name in try DirectoryImage(path).files.keys where files[name] == nil {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        for (name, bytes) in files {
            let file = path + "/" + name
            if !FileManager.default.fileExists(atPath: file) {
                try Data().write(to: URL(fileURLWithPath: file))
            }
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
            try handle.write(contentsOf: bytes)
            try handle.truncate(atOffset: UInt64(bytes.count))
            try handle.close()
        }
    }
}
