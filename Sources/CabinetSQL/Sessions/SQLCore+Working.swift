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
        let isGranted = try pool.write { session throws(BackendError) in
            try session.transaction(.bookkeeping) { () throws(BackendError) in
                try claimWork(name, in: session)
            }
        }
        guard isGranted else { return nil }
        works.add(1)
        return WorkClaim { [weak self] in self?.endWork(name) }
    }

    private func claimWork(_ name: String, in session: Session) throws(BackendError) -> Bool {
        let look = try session.statement("SELECT session FROM work WHERE name = $1")
        look.bind(name, at: 1)
        if let holder = try look.firstNumber(), try roster.isThere(holder, in: session) {
            return false
        }
        let claim = try session.statement(
            "INSERT INTO work VALUES ($1, $2) ON CONFLICT (name) DO UPDATE "
                + "SET session = excluded.session")
        claim.bind(name, at: 1)
        claim.bind(roster.id, at: 2)
        try claim.run()
        return true
    }

    private func endWork(_ name: String) {
        works.add(-1)
        // Where that fails, as after closing, it ends with the session.
        try? pool.write { session throws(BackendError) in
            try session.transaction(.bookkeeping) { () throws(BackendError) in
                let end = try session.statement(
                    "DELETE FROM work WHERE name = $1 AND session = $2")
                end.bind(name, at: 1)
                end.bind(roster.id, at: 2)
                try end.run()
            }
        }
    }

    /// - Throws: ``BackendError/readOnly(path:)`` for a store that was opened for reading.
    func checkWritable() throws(BackendError) {
        try pool.checkOpen()
        if access == .readOnly { throw .readOnly(path: host.location) }
    }
}
