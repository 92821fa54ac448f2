import CabinetBackend

/// How much work this process has claimed. `Sendable`, because a lock guards it.
final class WorkCount: Sendable {
    private let count = Guarded(0)
    var areThere: Bool { count.withLock { $0 > 0 } }
    func add(_ more: Int) { count.withLock { $0 += more } }
}

extension SQLCore {
    /// Claims work, unless a session has it that has not ended.
    func claimWork(_ name: String) throws(BackendError) -> WorkClaim? {
        try checkWritable()
        guard try route.claimWork(name, self) else { return nil }
        works.add(1)
        return WorkClaim { [weak self] in self?.endWork(name) }
    }

    private func endWork(_ name: String) {
        works.add(-1)
        // Where that fails, as after closing, it ends with the session.
        try? route.endWork(name, self)
    }

    /// - Throws: ``BackendError/readOnly(path:)`` for a store that was opened for reading.
    func checkWritable() throws(BackendError) {
        try pool.checkOpen()
        if access == .readOnly { throw .readOnly(path: host.location) }
    }
}
