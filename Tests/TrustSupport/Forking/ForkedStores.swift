import CLibrary
import Cabinet
import CabinetBackend
import CabinetTokyo

/// The stores that a program has open when it forks: one of a ledger, and one of objects.
final class ForkedStores {
    var tables: StoreUnderTest?
    var objects: Store?
    /// A batch of which a chunk is in the log.
    var staged: WriteBatch?
    let tablesPath: String
    let objectsPath: String

    init(_ directory: String) throws {
        tablesPath = directory + "/tables"
        objectsPath = directory + "/objects"
        tables = try StoreUnderTest.open(tablesPath, durability: .process, files: SystemFiles())
        let engine = try StoreUnderTest.open(
            objectsPath, durability: .full, files: SystemFiles())
        objects = try Store(backend: engine.backend, classes: Bookshop.classes)
    }

    func insertShelf() throws {
        guard let objects else { return }
        let shelf = Shelf()
        shelf.books = [Book(), Book()]
        objects.insert(shelf)
        try objects.save()
    }

    // MARK: A half written batch

    private static let stagedName = Array("staged".utf8)

    /// Begins a batch that is too large for one chunk.
    func stage() throws {
        guard let batch = tables?.backend.makeBatch() else { return }
        let value = [UInt8](repeating: 7, count: 3 << 20)
        try Self.stagedName.withUnsafeBytes { name in
            try value.withUnsafeBytes { try batch.put($0, for: name, in: .namedBuffers) }
            try value.withUnsafeBytes { try batch.put($0, for: name, in: .namedBuffers) }
        }
        guard batch.stagedChunks > 0 else { throw LedgerFailure("no chunk was written out") }
        staged = batch
    }

    /// Commits it, sees that it is there, and removes what it has put.
    func commitStaged() throws {
        guard let batch = staged, let backend = tables?.backend else { return }
        staged = nil
        try backend.commit(batch)
        let buffer = DataBuffer()
        try Self.stagedName.withUnsafeBytes { name in
            guard try backend.value(forKey: name, in: .namedBuffers, into: buffer),
                buffer.count == 3 << 20
            else { throw LedgerFailure("what was staged is not there") }
            let removal = backend.makeBatch()
            try removal.deleteKey(name, in: .namedBuffers)
            try backend.commit(removal)
        }
    }

    // MARK: Locks

    private var lockPaths: [String] { [tablesPath, objectsPath].map { $0 + "/Journal/Lock" } }

    /// Sees that a program that comes now finds both stores locked.
    func checkLocks() throws {
        for path in lockPaths {
            let descriptor = open(path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { throw LedgerFailure("\(path) cannot be opened") }
            let probe = OpenFile(path: path, descriptor: descriptor)
            guard flock(probe.descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else {
                throw LedgerFailure("\(path) is locked no more")
            }
        }
    }

    /// How many descriptors of this process lead to the locks.
    var lockDescriptors: Int {
        let wanted = lockPaths.compactMap { path in
            var status = stat()
            return stat(path, &status) == 0 ? status.st_ino : nil
        }
        return (0..<1024 as Range<Int32>).count { descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 && wanted.contains(status.st_ino)
        }
    }

    func close() throws {
        try tables?.backend.close()
        try objects?.close()
        tables = nil
        objects = nil
    }
}
