@_exported import CabinetBackend
import CabinetMemory

extension Store {
    /// A store in memory: nothing is written anywhere, and everything goes with it.
    ///
    /// - Throws: ``StoreError/badStorageName(_:)``, ``StoreError/tooManyClasses(_:)``.
    public convenience init(
        inMemory classes: [StoredObject.Type], log: LogSink = .none
    ) throws {
        try self.init(backend: MemoryBackend(), classes: classes, log: log)
    }
}
