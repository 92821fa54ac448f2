import CabinetBackend
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

struct StoreLockTests {
    let directory = ScratchDirectory(inMemory: false)

    /// The descriptors by which this process has files or folders with these names open.
    private func descriptors(_ names: [String]) -> [Int32] {
        let wanted = names.compactMap { name in
            var status = stat()
            return stat(directory.file(name), &status) == 0 ? status : nil
        }
        return (0..<1024 as Range<Int32>).filter { descriptor in
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return false }
            return wanted.contains { $0.st_ino == status.st_ino && $0.st_dev == status.st_dev }
        }
    }

    /// A child process that is just being started has such copies, until it runs its program.
    @Test func aStoreThatIsClosedIsFreeThoughItsDescriptorsWereCopied() throws {
        let path = directory.file("store")
        let backend = try TokyoBackend(path: path)
        let copied = descriptors(["store/Journal/Lock"]).map { dup($0) }
        defer { for descriptor in copied { close(descriptor) } }
        try #require(!copied.isEmpty)
        try backend.close()
        try TokyoBackend(path: path).close()
    }

    @Test func soIsOneThatIsDropped() throws {
        let path = directory.file("store")
        var backend: TokyoBackend? = try TokyoBackend(path: path)
        let copied = descriptors(["store/Journal/Lock"]).map { dup($0) }
        defer { for descriptor in copied { close(descriptor) } }
        try #require(!copied.isEmpty && backend != nil)
        backend = nil
        try TokyoBackend(path: path).close()
    }

    /// A child would keep the space of removed files taken, and could write to the store.
    @Test func childProcessesGetNoneOfAStoresDescriptors() throws {
        let backend = try TokyoBackend(path: directory.file("store"))
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.define(.byTitle)
        try batch.put("record", at: 2, in: 2)
        try batch.put("entry", forKey: "key", in: 3)
        try backend.commit(batch)
        _ = try backend.put("another", at: 3, in: 2)
        #expect(try backend.text(at: 2, in: 2) == "record")
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        let open = descriptors(names)
        #expect(open.count >= 4, "log, lock, a hash file and a tree")
        #expect(open.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
        try backend.close()
    }
}
